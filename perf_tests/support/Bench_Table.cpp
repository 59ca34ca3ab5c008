// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Table.hpp>

#include <support/Bench_Regret.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <ostream>
#include <tuple>

namespace lacuna::bench {

namespace {

/// The first line of a reason: tables have no room for more.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Regrets, gathered: their geometric mean, and the worst.
struct Regrets {
  double logarithms = 0, worst = 0;
  int count = 0;
  std::string where;
  void add(double value, const std::string& place) {
    logarithms += std::log(value);
    if (count++ > 0 && value <= worst) return;
    worst = value;
    where = place;
  }
  double mean() const { return std::exp(logarithms / count); }
};

std::string scientific(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return text.data();
}

}  // namespace

void Table::print(std::ostream& stream) const {
  std::vector<std::size_t> widths;
  for (const auto& row : m_rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  for (std::size_t r = 0; r < m_rows.size(); ++r) {
    std::string line = " ";
    for (std::size_t c = 0; c < m_rows[r].size(); ++c) {
      const std::string& cell = m_rows[r][c];
      const std::string padding(widths[c] - cell.size(), ' ');
      line += " " + (c == 0 || c >= m_left_from ? cell + padding : padding + cell) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    stream << line << "\n";
    if (r == 0) {
      line = " ";
      for (const std::size_t width : widths) line += " " + std::string(width, '-') + " ";
      line.pop_back();
      stream << line << "\n";
    }
  }
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string grouped(std::int64_t value) {
  std::string text        = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t place = text.size(); place > first + 3;) text.insert(place -= 3, ",");
  return text;
}

std::string readable_time(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, seconds < 1e-4 ? 2 : 1) + " us";
  if (seconds < 1) return fixed(seconds * 1e3, seconds < 0.1 ? 3 : 1) + " ms";
  return fixed(seconds, 2) + " s";
}

std::string readable_bytes(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fixed(bytes, unit == 0 || bytes >= 100 ? 0 : 1) + " " + units[unit];
}

bool has_time(const Record& record) {
  return record.measurement.skipped.empty() && !record.measurement.wrong && record.measurement.seconds > 0;
}

const Record* find_record(const std::vector<Record>& records, const std::string& implementation) {
  for (const Record& record : records)
    if (record.description.implementation == implementation && has_time(record)) return &record;
  return nullptr;
}

const Record* find_best(const std::vector<const Record*>& records, std::string_view start) {
  const Record* best = nullptr;
  for (const Record* record : records)
    if (has_time(*record) && record->description.implementation.starts_with(start) &&
        (best == nullptr || record->measurement.seconds < best->measurement.seconds))
      best = record;
  return best;
}

std::vector<const Record*> pointers_to(const std::vector<Record>& records) {
  std::vector<const Record*> pointers;
  for (const Record& record : records) pointers.push_back(&record);
  return pointers;
}

/// A line for each `automatic` of a problem where Lacuna's algorithms were timed by name.
void print_regret(std::ostream& stream, const std::vector<const Record*>& cases) {
  for (const Record* record : cases) {
    if (!has_time(*record) || !is_automatic(record->description.implementation)) continue;
    if (const Record* best = best_own(cases, *record); best != nullptr)
      stream << "  " << record->description.implementation << " chose " << record->measurement.label << ", regret "
             << fixed(regret_of(cases, *record), 2)
             << (best == record ? std::string() : ": " + best->description.implementation + " is the best of ours")
             << "\n";
  }
}

namespace {

/// Kokkos Kernels at its best in what `record` does: the whole call or a part of it, transposes formed or given.
const Record* native_like(const std::vector<const Record*>& cases, const Record& record) {
  const auto does = [](const Record& candidate, std::string_view what) {
    return candidate.description.implementation.find(what) != std::string::npos;
  };
  std::vector<const Record*> alike;
  for (const Record* candidate : cases)
    if (does(*candidate, ":reuse") == does(record, ":reuse") && does(*candidate, "+given") == does(record, "+given") &&
        !does(record, ":symbolic"))
      alike.push_back(candidate);
  return find_best(alike, "kokkos-kernels");
}

}  // namespace

void print_cases(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth) {
  const std::vector<const Record*> cases = pointers_to(records);
  Table table({"implementation", "time", "GFLOP/s", "GB/s", "of copy", "x Kokkos Kernels", "set-up", "keeps",
               "expected", "error", "remark"});
  table.align_left_from(10);
  for (const Record& record : records) {
    const Measurement& measurement = record.measurement;
    if (!has_time(record)) {
      const std::string reason = measurement.wrong ? "WRONG RESULT" : "skipped: " + first_line(measurement.skipped);
      table.add({record.description.implementation, "-", "-", "-", "-", "-", "-", "-", "-",
                 measurement.wrong ? scientific(measurement.relative_error) : "-", reason});
      continue;
    }
    const double rate    = record.description.work.bytes / measurement.seconds;
    const Record* native = native_like(cases, record);
    table.add(
        {record.description.implementation, readable_time(measurement.seconds),
         fixed(record.description.work.flops / measurement.seconds * 1e-9, 2), fixed(rate * 1e-9, 1),
         copy_bandwidth > 0 ? fixed(100 * rate / copy_bandwidth, 0) + " %" : "-",
         native != nullptr ? fixed(native->measurement.seconds / measurement.seconds, 2) : "-",
         measurement.setup_seconds > 0 ? readable_time(measurement.setup_seconds) : "-",
         measurement.persistent_bytes > 0 ? readable_bytes(static_cast<double>(measurement.persistent_bytes)) : "-",
         measurement.expected_seconds > 0 ? readable_time(measurement.expected_seconds) : "-",
         scientific(measurement.relative_error), measurement.label});
  }
  table.print(stream);
  print_regret(stream, cases);
}

void print_summary(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth) {
  using Key = std::tuple<std::string, std::string, std::string, std::int64_t>;
  std::vector<Key> order;
  std::map<Key, std::vector<const Record*>> groups;
  for (const Record& record : records) {
    const Case& description = record.description;
    if (description.columns > 0) continue;  // SpMM has a summary of its own
    const Key key{description.operation, description.matrix, description.scalar, description.columns};
    if (groups[key].empty()) order.push_back(key);
    groups[key].push_back(&record);
  }

  Table table({"matrix", "scalar", "rows", "nonzeros", "lacuna:automatic", "of copy", "best rival", "time", "ratio",
               "x Kokkos Kernels", "regret", "chose"});
  table.align_left_from(11);
  Regrets regrets;
  double logarithms = 0, worst = 0;
  int count = 0;
  std::string worst_matrix;
  for (const Key& key : order) {
    const Record *mine = nullptr, *rival = nullptr;
    for (const Record* record : groups[key]) {
      if (!has_time(*record)) continue;
      if (record->description.implementation == "lacuna:automatic") mine = record;
      if (record->description.ours()) continue;
      if (rival == nullptr || record->measurement.seconds < rival->measurement.seconds) rival = record;
    }
    if (mine == nullptr || rival == nullptr) continue;
    const double ratio   = rival->measurement.seconds / mine->measurement.seconds;
    const Record* native = find_best(groups[key], "kokkos-kernels");
    const double regret  = regret_of(groups[key], *mine);
    if (regret > 0) regrets.add(regret, mine->description.matrix + " (" + mine->description.scalar + ")");
    const Work& work = mine->description.work;
    table.add(
        {mine->description.matrix, mine->description.scalar, grouped(work.rows), grouped(work.nonzeros),
         readable_time(mine->measurement.seconds),
         copy_bandwidth > 0 ? fixed(100 * work.bytes / mine->measurement.seconds / copy_bandwidth, 0) + " %" : "-",
         rival->description.implementation, readable_time(rival->measurement.seconds), fixed(ratio, 2),
         native != nullptr ? fixed(native->measurement.seconds / mine->measurement.seconds, 2) : "-",
         regret > 0 ? fixed(regret, 2) : "-", mine->measurement.label});
    logarithms += std::log(ratio);
    if (count++ == 0 || ratio < worst) {
      worst        = ratio;
      worst_matrix = mine->description.matrix + " (" + mine->description.scalar + ")";
    }
  }
  if (count == 0) return;
  stream << "\nlacuna:automatic against the best rival of this run\n";
  table.print(stream);
  stream << "  geometric mean " << fixed(std::exp(logarithms / count), 2) << " x over " << count << " cases, worst "
         << fixed(worst, 2) << " x on " << worst_matrix << "\n";
  if (regrets.count > 0)
    stream << "  regret against the best of ours: geometric mean " << fixed(regrets.mean(), 3) << " over "
           << regrets.count << " cases, worst " << fixed(regrets.worst, 2) << " on " << regrets.where << "\n";
}

void print_problem(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth, std::size_t place,
                   std::size_t count) {
  const Case& description = records.front().description;
  const Work& work        = description.work;
  stream << "\n[" << place << "/" << count << "] " << description.operation << ", " << description.matrix << ", "
         << description.scalar << (description.columns > 0 ? ", N = " + std::to_string(description.columns) : "")
         << ": " << grouped(work.rows) << " x " << grouped(work.columns) << ", " << grouped(work.nonzeros)
         << " nonzeros, " << readable_bytes(work.bytes) << " compulsory\n";
  print_cases(stream, records, copy_bandwidth);
}

void print_choice(std::ostream& stream, const std::vector<Record>& records, const Options& options) {
  if (const Record* automatic = find_record(records, "lacuna:automatic");
      options.inspect && automatic != nullptr && !automatic->measurement.report.empty())
    stream << "\nlacuna:automatic\n" << automatic->measurement.report << "\n";
}

}  // namespace lacuna::bench
