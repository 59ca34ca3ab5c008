// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERATORSPEC_HPP
#define LACUNA_GENERATORSPEC_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/generators/Lacuna_Generator.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// \brief The host side of generators: checks of sizes, and the specifications of the command line.

namespace lacuna {

namespace Impl {

/// \throws InvalidArgument unless minimum <= value <= maximum.
inline void check_size(const char* what, std::int64_t value, std::int64_t minimum, std::int64_t maximum) {
  if (value < minimum || value > maximum)
    raise<InvalidArgument>("generate", what, " = ", value, " is not in [", minimum, ", ", maximum, "]");
}

/// Up to here no expression of the patterns leaves 64 bits.
inline constexpr std::int64_t largest_extent  = std::int64_t(1) << 48;
inline constexpr std::int64_t largest_per_row = std::int64_t(1) << 32;

/// \throws InvalidArgument unless the product lies in [0, largest_extent].
inline std::int64_t checked_extent(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product) || product > largest_extent)
    raise<InvalidArgument>("generate", left, " x ", right, " rows are more than the ", largest_extent, " supported");
  return product;
}

inline Pattern mesh_pattern(PatternKind kind, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                            std::int64_t unknowns) {
  check_size("nx", nx, 0, largest_extent);
  check_size("ny", ny, 0, largest_extent);
  check_size("nz", nz, 0, largest_extent);
  check_size("b", unknowns, 1, 1 << 20);
  Pattern pattern;
  pattern.kind  = kind;
  pattern.nx    = nx;
  pattern.ny    = ny;
  pattern.nz    = nz;
  pattern.block = unknowns;
  // An extent of 0 makes the whole mesh empty, whatever the order in which the others are multiplied.
  const bool empty = nx == 0 || ny == 0 || nz == 0;
  pattern.rows     = empty ? 0 : checked_extent(checked_extent(checked_extent(nx, ny), nz), unknowns);
  pattern.columns  = pattern.rows;
  return pattern;
}

inline Pattern square_pattern(PatternKind kind, std::int64_t n) {
  check_size("n", n, 0, largest_extent);
  Pattern pattern;
  pattern.kind    = kind;
  pattern.rows    = n;
  pattern.columns = n;
  return pattern;
}

inline void set_per_row(Pattern& pattern, std::int64_t per_row, std::int64_t available) {
  check_size("per_row", per_row, 0, std::min(available, largest_per_row));
  pattern.per_row = per_row;
}

/// Fills the table of a power law: nonzeros before each segment of ranks, `nonzeros` in all, `longest` in the first.
inline void set_power_law(Pattern& pattern, std::int64_t nonzeros, std::int64_t longest) {
  const auto width_of = [&](int s) {
    return std::max<std::int64_t>(0, std::min(Pattern::segment_begin(s + 1), pattern.rows + 1) -
                                         std::min(Pattern::segment_begin(s), pattern.rows + 1));
  };
  const auto length_of = [&](int s, double exponent) {
    const double middle = 0.5 * static_cast<double>(2 * Pattern::segment_begin(s) + width_of(s) - 1);
    return static_cast<double>(longest) * std::pow(middle, -exponent);
  };
  double low = 0, high = 64;
  for (int step = 0; step < 200; ++step) {
    const double exponent = 0.5 * (low + high);
    double total          = 0;
    for (int s = 0; s < Pattern::max_segments; ++s) total += static_cast<double>(width_of(s)) * length_of(s, exponent);
    (total > static_cast<double>(nonzeros) ? low : high) = exponent;
  }
  double total = 0;
  for (int s = 0; s < Pattern::max_segments; ++s) {
    total += static_cast<double>(width_of(s)) * length_of(s, low);
    const std::int64_t most = pattern.segments[s] + width_of(s) * longest;
    const auto rounded      = static_cast<std::int64_t>(std::llround(total));
    pattern.segments[s + 1] = std::min({std::max(rounded, pattern.segments[s]), most, nonzeros});
  }
  // Rounding may have left a nonzero or two over: the last segments that can take them do.
  std::int64_t missing = nonzeros - pattern.segments[Pattern::max_segments];
  for (int s = Pattern::max_segments - 1; s >= 0 && missing > 0; --s) {
    const std::int64_t room = width_of(s) * longest - (pattern.segments[s + 1] - pattern.segments[s]);
    const std::int64_t more = std::min(room, missing);
    for (int after = s + 1; after <= Pattern::max_segments; ++after) pattern.segments[after] += more;
    missing -= more;
  }
}

}  // namespace Impl

inline Generator Generator::mesh27(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t unknowns) {
  return Generator(Impl::mesh_pattern(Impl::PatternKind::mesh27, nx, ny, nz, unknowns));
}

inline Generator Generator::mesh7(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return Generator(Impl::mesh_pattern(Impl::PatternKind::stencil, nx, ny, nz, 1));
}

inline Generator Generator::mesh5(std::int64_t nx, std::int64_t ny) {
  return Generator(Impl::mesh_pattern(Impl::PatternKind::stencil, nx, ny, 1, 1));
}

inline Generator Generator::banded(std::int64_t n, std::int64_t half) {
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::banded, n);
  Impl::check_size("half", half, 0, Impl::largest_extent);
  pattern.half = half;
  return Generator(pattern);
}

inline Generator Generator::random(std::int64_t rows, std::int64_t columns, std::int64_t per_row) {
  Impl::check_size("rows", rows, 0, Impl::largest_extent);
  Impl::check_size("cols", columns, 0, Impl::largest_extent);
  Impl::Pattern pattern;
  pattern.kind    = Impl::PatternKind::random;
  pattern.rows    = rows;
  pattern.columns = columns;
  Impl::set_per_row(pattern, per_row, columns);
  return Generator(pattern);
}

inline Generator Generator::power(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest) {
  Impl::check_size("rows", rows, 0, std::int64_t(1) << 32);
  Impl::check_size("longest", longest, 0, std::min(rows, std::int64_t(1) << 30));
  Impl::check_size("nnz", nonzeros, rows == 0 ? 0 : longest, rows * longest);
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::power, rows);
  Impl::set_power_law(pattern, nonzeros, longest);
  return Generator(pattern);
}

inline Generator Generator::block(std::int64_t n, std::int64_t size, std::int64_t per_row) {
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::block, n);
  Impl::check_size("size", size, 1, std::max<std::int64_t>(n, 1));
  if (n % size != 0)
    Impl::raise<InvalidArgument>("generate", "n = ", n, " is not a multiple of the size of a block, ", size);
  Impl::set_per_row(pattern, per_row, n / size);
  pattern.block = size;
  return Generator(pattern);
}

inline Generator Generator::arrow(std::int64_t n, std::int64_t width) {
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::arrow, n);
  Impl::check_size("width", width, 0, n);
  pattern.half = width;
  return Generator(pattern);
}

inline Generator Generator::dense_row(std::int64_t n, std::int64_t per_row) {
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::dense_row, n);
  Impl::set_per_row(pattern, per_row, n);
  return Generator(pattern);
}

inline Generator Generator::empty_rows(std::int64_t n, std::int64_t per_row, std::int64_t period,
                                       std::int64_t trailing) {
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::empty_rows, n);
  Impl::set_per_row(pattern, per_row, n);
  Impl::check_size("period", period, 1, Impl::largest_extent);
  Impl::check_size("trailing", trailing, 0, n);
  pattern.period   = period;
  pattern.trailing = trailing;
  return Generator(pattern);
}

inline Generator Generator::dense(std::int64_t rows, std::int64_t columns) {
  Generator generator      = random(rows, columns, 0);
  generator.m_pattern.kind = Impl::PatternKind::arrow;
  generator.m_pattern.half = rows;
  return generator;
}

inline Generator Generator::uniform(std::int64_t rows, std::int64_t columns, double density) {
  if (!(density >= 0 && density <= 1))
    Impl::raise<InvalidArgument>("generate", "density = ", density, " is not in [0, 1]");
  Generator generator      = random(rows, columns, 0);
  generator.m_pattern.kind = Impl::PatternKind::uniform;
  const double rate = -std::log1p(-density) / std::log(2.0) * static_cast<double>(std::int64_t(1) << Impl::fixed_bits);
  generator.m_pattern.gap_rate = density == 1 ? -1 : density == 0 ? 0 : std::max<std::int64_t>(1, std::llround(rate));
  return generator;
}

inline Generator Generator::synergy(std::int64_t rows, double alpha, std::int64_t per_row) {
  constexpr std::int64_t panel = Impl::SharedColumns::panel_rows, cluster = Impl::SharedColumns::cluster;
  Impl::Pattern pattern = Impl::square_pattern(Impl::PatternKind::synergy, rows);
  if (rows % panel != 0)
    Impl::raise<InvalidArgument>("generate", "rows = ", rows, " is not a multiple of the ", panel, " of a panel");
  if (!(alpha >= 1.0 / static_cast<double>(panel) && alpha <= 1))
    Impl::raise<InvalidArgument>("generate", "alpha = ", alpha, " is not in [1/", panel, ", 1]");
  Impl::set_per_row(pattern, per_row, rows);
  const std::int64_t least = (per_row + 3) / 4 * 4, most = panel * per_row / 4 * 4;
  const std::int64_t wanted = std::llround(static_cast<double>(per_row) / alpha / 4) * 4;
  pattern.active            = per_row == 0 ? 0 : std::clamp(wanted, least, std::max(least, most));
  if ((pattern.active + cluster - 1) / cluster > rows / cluster)
    Impl::raise<InvalidArgument>("generate", pattern.active, " active columns of a panel, the matrix has ", rows);
  return Generator(pattern);
}

inline Generator Generator::with_seed(std::uint64_t seed) const {
  Generator generator      = *this;
  generator.m_pattern.seed = seed;
  return generator;
}

namespace Impl {

/// The numbers of a specification, and what was asked for.
class SpecArguments {
 public:
  /// \throws InvalidArgument where the text is not key=integer,…; a density and an alpha are any numbers.
  SpecArguments(const std::string& spec, std::string_view text) : m_spec(spec) {
    while (!text.empty()) {
      const std::size_t comma     = std::min(text.find(','), text.size());
      const std::string_view item = text.substr(0, comma);
      const std::size_t equals    = item.find('=');
      if (equals == std::string_view::npos) fail("\"" + std::string(item) + "\" is not key=value");
      const std::string key(item.substr(0, equals));
      const std::string_view v = item.substr(equals + 1);
      Number number;
      const auto [end, error] = key == "density" || key == "alpha"
                                    ? std::from_chars(v.data(), v.data() + v.size(), number.real)
                                    : std::from_chars(v.data(), v.data() + v.size(), number.integer);
      if (error == std::errc::result_out_of_range) fail("\"" + std::string(item) + "\" does not fit in 64 bits");
      if (error != std::errc() || end != v.data() + v.size()) fail("\"" + std::string(item) + "\" is not a number");
      for (const auto& [other, unused] : m_values) {
        if (other == key) fail("key \"" + key + "\" is given twice");
      }
      m_values.emplace_back(key, number);
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }

  [[noreturn]] void fail(const std::string& fact) const {
    raise<InvalidArgument>("generate", "\"", m_spec, "\": ", fact);
  }

  bool has(std::string_view key) const {
    return std::any_of(m_values.begin(), m_values.end(), [&](const auto& pair) { return pair.first == key; });
  }

  std::int64_t get(std::string_view key) const { return find(key).integer; }
  double get_real(std::string_view key) const { return find(key).real; }
  std::int64_t get(std::string_view key, std::int64_t otherwise) const { return has(key) ? get(key) : otherwise; }

  /// The extent of a mesh: its own key, or n.
  std::int64_t extent(std::string_view key) const { return has(key) ? get(key) : get("n"); }

  /// \throws InvalidArgument where a key is not one of `allowed`, words with spaces around, nor the seed.
  void allow(std::string_view allowed) const {
    for (const auto& [key, unused] : m_values) {
      const bool known = key.find(' ') == std::string::npos && allowed.find(" " + key + " ") != std::string_view::npos;
      if (!known && key != "seed") fail("unknown key \"" + key + "\", there are:" + std::string(allowed) + "seed");
    }
  }

 private:
  struct Number {
    std::int64_t integer = 0;
    double real          = 0;  // of a density or an alpha
  };

  const Number& find(std::string_view key) const {
    for (const auto& [name, value] : m_values) {
      if (name == key) return value;
    }
    fail("key \"" + std::string(key) + "\" is missing");
  }

  std::string m_spec;
  std::vector<std::pair<std::string, Number>> m_values;
};

struct SpecEntry {
  std::string_view name;
  std::string_view keys;
  Generator (*make)(const SpecArguments&);
};

inline const std::array<SpecEntry, 14>& spec_entries() {
  using Arguments = const SpecArguments&;
  static const std::array<SpecEntry, 14> entries{{
      {"mesh27", " n nx ny nz b ",
       [](Arguments a) { return Generator::mesh27(a.extent("nx"), a.extent("ny"), a.extent("nz"), a.get("b", 1)); }},
      {"mesh7", " n nx ny nz ",
       [](Arguments a) { return Generator::mesh7(a.extent("nx"), a.extent("ny"), a.extent("nz")); }},
      {"mesh5", " n nx ny ", [](Arguments a) { return Generator::mesh5(a.extent("nx"), a.extent("ny")); }},
      {"banded", " n half ", [](Arguments a) { return Generator::banded(a.get("n"), a.get("half")); }},
      {"random", " rows cols per_row ",
       [](Arguments a) { return Generator::random(a.get("rows"), a.get("cols", a.get("rows")), a.get("per_row")); }},
      {"power", " rows nnz longest ",
       [](Arguments a) { return Generator::power(a.get("rows"), a.get("nnz"), a.get("longest")); }},
      {"block", " n size per_row ",
       [](Arguments a) { return Generator::block(a.get("n"), a.get("size"), a.get("per_row")); }},
      {"arrow", " n width ", [](Arguments a) { return Generator::arrow(a.get("n"), a.get("width")); }},
      {"dense_row", " n per_row ", [](Arguments a) { return Generator::dense_row(a.get("n"), a.get("per_row")); }},
      {"empty_rows", " n per_row period trailing ",
       [](Arguments a) {
         return Generator::empty_rows(a.get("n"), a.get("per_row"), a.get("period", 2), a.get("trailing", 0));
       }},
      {"diagonal", " n ", [](Arguments a) { return Generator::diagonal(a.get("n")); }},
      {"dense", " rows cols ",
       [](Arguments a) { return Generator::dense(a.get("rows"), a.get("cols", a.get("rows"))); }},
      {"uniform", " rows cols density ",
       [](Arguments a) {
         return Generator::uniform(a.get("rows"), a.get("cols", a.get("rows")), a.get_real("density"));
       }},
      {"synergy", " rows alpha per_row ",
       [](Arguments a) { return Generator::synergy(a.get("rows"), a.get_real("alpha"), a.get("per_row")); }},
  }};
  return entries;
}

inline const SpecEntry* find_spec(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  for (const SpecEntry& entry : spec_entries()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace Impl

inline Generator Generator::parse(const std::string& spec) {
  const Impl::SpecEntry* entry = Impl::find_spec(spec);
  if (entry == nullptr) {
    std::string names;
    for (const auto& known : Impl::spec_entries()) names.append(" ").append(known.name);
    Impl::raise<InvalidArgument>("generate", "\"", spec, "\" names no generator, there are:", names);
  }
  const std::size_t colon = spec.find(':');
  const Impl::SpecArguments arguments(
      spec, colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(colon + 1));
  arguments.allow(entry->keys);
  return entry->make(arguments).with_seed(static_cast<std::uint64_t>(arguments.get("seed", 1)));
}

inline bool is_generator_spec(const std::string& text) { return Impl::find_spec(text) != nullptr; }

}  // namespace lacuna

#endif
