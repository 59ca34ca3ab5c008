// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_TABLE_HPP
#define LACUNA_BENCH_TABLE_HPP

#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// \brief Tables for the terminal.

namespace lacuna::bench {

/// \brief Columns as wide as their widest cell; the first is aligned left, the others right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : m_rows{std::move(head)} {}
  void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }
  /// \brief Columns from `first` on are aligned left as well.
  void align_left_from(std::size_t first) { m_left_from = first; }
  void print(std::ostream& stream) const;

 private:
  std::vector<std::vector<std::string>> m_rows;
  std::size_t m_left_from = static_cast<std::size_t>(-1);
};

/// \brief `value` with `digits` after the point.
std::string fixed(double value, int digits);
/// \brief 1234567 as "1,234,567".
std::string grouped(std::int64_t value);
/// \brief A time with the unit that suits it.
std::string readable_time(double seconds);
/// \brief A size with the unit that suits it.
std::string readable_bytes(double bytes);

/// \brief One line an implementation: time, rates, share of the copy bandwidth, the ratio to the best of Kokkos
/// Kernels, set-up, error; then the regret of `automatic`, where Lacuna's algorithms were timed by name.
void print_cases(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth);

/// \brief The heading of one problem, the `place`th of `count`, and its cases.
void print_problem(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth, std::size_t place,
                   std::size_t count);

/// \brief Why `automatic` did what it did, where `options.inspect` asks for it.
void print_choice(std::ostream& stream, const std::vector<Record>& records, const Options& options);

/// \brief One line a matrix: `lacuna:automatic` against the best rival of the same run, against Kokkos Kernels at its
/// best, and against the best of Lacuna (`regret`); then the geometric means and the worst. Nothing where no rival ran.
void print_summary(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth);

/// \brief Whether the case ran and was right.
bool has_time(const Record& record);

/// \brief The fastest of those whose names start so, if one has a time.
const Record* find_best(const std::vector<const Record*>& records, std::string_view start);

/// \brief The record of an implementation, if it has a time.
const Record* find_record(const std::vector<Record>& records, const std::string& implementation);

}  // namespace lacuna::bench

#endif
