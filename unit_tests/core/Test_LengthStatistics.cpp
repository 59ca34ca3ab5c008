// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>

#include <formats/Test_Conversions.hpp>

#include <bit>

namespace {

using namespace lacuna::Test;
using lacuna::Impl::LengthStatistics;

template <class Scalar>
std::vector<std::int64_t> lengths_of(const HostMatrix<Scalar>& A) {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) lengths.push_back(A.row_map[i + 1] - A.row_map[i]);
  return lengths;
}

/// The longest of each `group` neighbouring rows.
std::vector<std::int64_t> longest_of_groups(const std::vector<std::int64_t>& lengths, std::size_t group) {
  std::vector<std::int64_t> longest;
  for (std::size_t first = 0; first < lengths.size(); first += group) {
    const auto begin = lengths.begin() + static_cast<std::ptrdiff_t>(first);
    longest.push_back(*std::max_element(begin, lengths.end() - begin > static_cast<std::ptrdiff_t>(group)
                                                   ? begin + static_cast<std::ptrdiff_t>(group)
                                                   : lengths.end()));
  }
  return longest;
}

/// Entries of each of the 2^i slots that a row of `length` is cut into, in whole chunks.
std::int64_t slot_width(std::int64_t length, std::int64_t chunk, int i) {
  const std::int64_t chunks = (length + chunk - 1) / chunk;
  const std::int64_t slots  = std::int64_t{1} << i;
  return (chunks + slots - 1) / slots * chunk;
}

/// The definitions, row by row.
void expect_definitions(const LengthStatistics& actual, const std::vector<std::int64_t>& lengths,
                        const std::string& name) {
  std::array<std::int64_t, LengthStatistics::octave_choices> octaves{};
  std::int64_t squares = 0, nonzeros = 0;
  for (const std::int64_t length : lengths) {
    ++octaves[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)))];
    squares += length * length;
    nonzeros += length;
  }
  EXPECT_EQ(actual.rows, static_cast<std::int64_t>(lengths.size())) << name;
  EXPECT_EQ(actual.nonzeros, nonzeros) << name;
  EXPECT_EQ(actual.longest, lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end())) << name;
  EXPECT_EQ(actual.shortest, lengths.empty() ? 0 : *std::min_element(lengths.begin(), lengths.end())) << name;
  EXPECT_EQ(actual.empty, std::count(lengths.begin(), lengths.end(), 0)) << name;
  EXPECT_EQ(actual.squares, squares) << name;
  EXPECT_EQ(actual.octaves, octaves) << name;
  for (int i = 0; i < LengthStatistics::group_choices; ++i) {
    std::int64_t span = 0;
    for (const std::int64_t longest : longest_of_groups(lengths, std::size_t{1} << i)) span += longest << i;
    EXPECT_EQ(actual.group_span[i], span) << name << ", groups of " << (1 << i);
  }
  for (int c = 0; c < LengthStatistics::chunk_choices; ++c)
    for (int i = 0; i < LengthStatistics::segment_choices; ++i) {
      const std::int64_t chunk = LengthStatistics::chunk(c);
      std::int64_t widths      = 0;
      for (std::size_t first = 0; first < lengths.size(); first += 32u >> i) {
        std::int64_t widest = 0;
        for (std::size_t row = first; row < std::min(first + (32u >> i), lengths.size()); ++row)
          widest = std::max(widest, slot_width(lengths[row], chunk, i));
        widths += widest;
      }
      EXPECT_EQ(actual.slice_widths[c][i], widths) << name << ", chunks of " << chunk << ", slots " << (1 << i);
    }
}

/// Each bin ends before the next begins. A constant expression: a sum that overflows on the way does not compile.
constexpr bool bins_follow_each_other() {
  using Bins = lacuna::Impl::LengthBins;
  for (int b = 0; b + 1 < Bins::count; ++b)
    if (Bins::bin(Bins::last_of(b)) != b || Bins::bin(Bins::last_of(b) + 1) != b + 1) return false;
  return Bins::last_of(Bins::count - 1) == INT64_MAX && Bins::bin(INT64_MAX) == Bins::count - 1;
}
static_assert(bins_follow_each_other());

template <class Types>
class Lengths : public testing::Test {};
TYPED_TEST_SUITE(Lengths, ConversionTypes);

TYPED_TEST(Lengths, MatchTheDefinitions) {
  using Scalar = typename TypeParam::Scalar;
  auto samples = all_matrices<Scalar>();
  samples.push_back({"many rows", uneven_matrix<Scalar>(70001, 300, 5)});
  samples.push_back({"a long row", dense_row_matrix<Scalar>(4099, 60000, 4098, 2)});
  for (const std::int64_t rows : {1, 31, 32, 33, 64})
    samples.push_back({std::to_string(rows) + " rows", uneven_matrix<Scalar>(rows, 90, 80)});
  const typename TypeParam::Space exec{};
  for (const auto& [name, matrix] : samples) {
    const auto crs     = make_crs<typename TypeParam::Matrix>(matrix);
    const auto A       = lacuna::Impl::arrays_of(crs);
    const auto lengths = lengths_of(matrix);
    expect_definitions(lacuna::Impl::length_statistics(exec, A), lengths, name);
    EXPECT_EQ(lacuna::Impl::longest_row(exec, "Lacuna::Test::longest_row", A.rows, A.row_map),
              lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end()))
        << name;
  }
}

TEST(LengthStatistics, GuessedLowerBoundsAreLowerBounds) {
  Random random(3);
  for (int repeat = 0; repeat < 400; ++repeat) {
    std::vector<int> sorted;
    for (std::int64_t i = random.below(40); i >= 0; --i) sorted.push_back(static_cast<int>(random.below(60)));
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<std::int64_t>(sorted.size());
    const auto first = random.below(count), last = first + 1 + random.below(count - first);
    for (std::int64_t near = first; near < last; ++near) {
      const int value     = static_cast<int>(random.below(62)) - 1;
      const auto expected = lacuna::Impl::lower_bound(sorted.data(), first, last, value);
      ASSERT_EQ(lacuna::Impl::lower_bound_near(sorted.data(), first, last, near, value), expected);
    }
  }
}

}  // namespace
