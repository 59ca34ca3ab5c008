// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Bench_SpmmAlgorithms.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace lacuna::bench {

namespace {

constexpr std::array precisions_known{Precision::full, Precision::tf32, Precision::fp16, Precision::bf16};
constexpr std::array orders_known{RowOrder::automatic, RowOrder::natural, RowOrder::clustered};
constexpr std::array balances_known{PanelBalance::off, PanelBalance::average, PanelBalance::waves};

template <class Known>
auto find_by_name(const Known& known, const std::string& text, const std::string& option,
                  const std::string& also = {}) {
  const auto place = std::find_if(known.begin(), known.end(), [&](auto candidate) { return name(candidate) == text; });
  if (place != known.end()) return *place;
  std::string names = also;
  for (const auto candidate : known) names += (names.empty() ? "" : ", ") + std::string(name(candidate));
  throw std::runtime_error(option + " " + text + ": there are " + names);
}

bool read_number(const std::string& text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// The parts of `text` between colons.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

SpmmRequest parse_request(const std::string& text) {
  SpmmRequest request;
  request.text                         = text;
  const std::vector<std::string> parts = split(text);
  if (parts.front() == "one_shot") {
    request.one_shot = true;
    if (parts.size() > 1) throw std::runtime_error("one_shot takes no options");
    return request;
  }
  request.options.algorithm = find_by_name(spmm_algorithms, parts.front(), "--algorithm", "all, contenders, one_shot");
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string key    = parts[i].substr(0, equals);
    const std::string value  = equals == std::string::npos ? "" : parts[i].substr(equals + 1);
    std::int64_t number      = 0;
    if (key == "deterministic" && equals == std::string::npos)
      request.options.deterministic = true;
    else if (key == "autotune" && equals == std::string::npos)
      request.options.autotune = true;
    else if (key == "from_dense" && equals == std::string::npos && request.options.algorithm == SpmmAlgorithm::gcoo)
      request.from_dense = true;
    else if (key == "order")
      request.options.row_order = find_by_name(orders_known, value, "--algorithm " + text + ": order");
    else if (key == "balance" && request.options.algorithm == SpmmAlgorithm::hrpb)
      request.options.panel_balance = find_by_name(balances_known, value, "--algorithm " + text + ": balance");
    else if (key == "panel" && read_number(value, number))
      request.options.panel_rows = static_cast<int>(number);
    else if (key == "team" && read_number(value, number))
      request.options.team_size = static_cast<int>(number);
    else
      throw std::runtime_error("--algorithm " + text +
                               ": an option is :panel=N, :team=N, :order=NAME, :deterministic, :autotune, of gcoo "
                               ":from_dense, of hrpb :balance=NAME");
  }
  if (request.from_dense && request.options.team_size > 0)
    throw std::runtime_error("--algorithm " + text + ": gcoo:from_dense takes :panel=N alone");
  return request;
}

}  // namespace

Candidates rivals_wanted(Candidates rivals, const Options& options) {
  std::erase_if(rivals, [&](const Candidate& rival) {
    return !options.wants_rival(rival.name, rival.by_name) ||
           !options.wants_rival_layout(rival.layout == DenseLayout::right ? "right" : "left");
  });
  std::stable_partition(rivals.begin(), rivals.end(),
                        [](const Candidate& rival) { return rival.layout == DenseLayout::right; });
  return rivals;
}

std::string layout_ending(DenseLayout layout) { return layout == DenseLayout::left ? "+col" : ""; }

std::string SpmmRequest::implementation() const {
  std::string result = "lacuna:" + text;
  if (options.precision != Precision::full) result += "+" + std::string(name(options.precision));
  return result + layout_ending(layout);
}

std::vector<SpmmRequest> parse_spmm_requests(const std::vector<std::string>& algorithms,
                                             const std::vector<std::string>& precisions,
                                             const std::vector<std::string>& layouts) {
  std::vector<std::string> names;
  bool contenders = false;
  for (const std::string& text : algorithms) {
    if (text == "all" || text == "contenders") {
      contenders = contenders || text == "contenders";
      names.insert(names.end(), {"automatic", "one_shot"});
      for (const SpmmAlgorithm algorithm : spmm_algorithms) names.emplace_back(name(algorithm));
    } else {
      names.push_back(text);
    }
  }
  if (names.empty()) names = {"automatic"};
  std::vector<SpmmRequest> requests;
  for (const std::string& layout : layouts) {
    if (layout != "right" && layout != "left")
      throw std::runtime_error("--layout " + layout + ": there are right, left");
    for (const std::string& precision_text : precisions) {
      const Precision precision = find_by_name(precisions_known, precision_text, "--precision");
      for (const std::string& text : names) {
        SpmmRequest request = parse_request(text);
        // These calls have no options.
        if ((request.one_shot || request.from_dense) && precision != Precision::full) continue;
        request.options.precision = precision;
        request.keep   = !contenders || request.one_shot || request.options.algorithm == SpmmAlgorithm::automatic;
        request.layout = layout == "left" ? DenseLayout::left : DenseLayout::right;
        const std::string wanted = request.implementation();
        if (std::none_of(requests.begin(), requests.end(),
                         [&](const SpmmRequest& other) { return other.implementation() == wanted; }))
          requests.push_back(std::move(request));
      }
    }
  }
  return requests;
}

std::vector<SpmmRequest> requests_for(const std::string& scalar, std::vector<SpmmRequest> requests) {
  if (is_half_name(scalar))
    std::erase_if(requests, [](const SpmmRequest& request) { return request.options.precision != Precision::full; });
  return requests;
}

std::vector<std::int64_t> parse_column_counts(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> counts;
  for (const std::string& text : texts) {
    const std::size_t dash = text.find('-');
    std::int64_t first = 0, last = 0;
    const bool read = dash == std::string::npos
                          ? read_number(text, first) && read_number(text, last)
                          : read_number(text.substr(0, dash), first) && read_number(text.substr(dash + 1), last);
    if (!read || first < 1 || last < first || last > 65536)
      throw std::runtime_error("--n " + text + ": a number of columns is 1 to 65536, a range two of them, 1-40");
    for (std::int64_t count = first; count <= last; ++count)
      if (std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
  }
  return counts;
}

}  // namespace lacuna::bench
