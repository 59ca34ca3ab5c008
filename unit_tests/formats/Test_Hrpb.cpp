// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbSynergy.hpp>

#include <formats/Reference_Panels.hpp>
#include <formats/Test_Conversions.hpp>

#include <cstring>

namespace {

using namespace lacuna::Test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// The arrays of an `HrpbMatrix`, worked out serially from the declarations of the paper.
template <class Scalar>
struct ReferenceHrpb {
  std::vector<std::int64_t> blockedRowPtr{0}, activeCols, sizePtr{0}, slots;
  std::vector<unsigned char> packedBlocks;

  template <class T>
  void append(const std::vector<T>& items) {
    const auto at = packedBlocks.size();
    packedBlocks.resize(at + items.size() * sizeof(T));
    if (!items.empty())
      std::memcpy(packedBlocks.data() + at, static_cast<const void*>(items.data()), items.size() * sizeof(T));
  }
  void align() { packedBlocks.resize((packedBlocks.size() + 15) / 16 * 16); }

  ReferenceHrpb(const HostMatrix<Scalar>& A, std::int64_t TM) {
    slots.resize(A.entries.size());
    const auto bricks = static_cast<std::size_t>(TM / 16 * 4);
    for (const auto& panel : reference_panels(A, TM, consecutive_rows(A.rows, TM))) {
      const auto active = static_cast<std::int64_t>(panel.columns.size());
      for (std::int64_t first = 0; first < active; first += 16) {
        for (std::int64_t i = first; i < first + 16; ++i)
          activeCols.push_back(panel.columns[static_cast<std::size_t>(std::min(i, active - 1))]);
        std::vector<Scalar> nnz_array;
        std::vector<std::uint64_t> patterns;
        std::vector<std::uint32_t> colPtr{0}, rows;
        for (std::int64_t column = 0; column < 4; ++column) {
          for (std::int64_t row = 0; row < TM / 16; ++row) {
            std::uint64_t pattern = 0;
            for (std::int64_t bit = 0; bit < 64; ++bit) {
              const auto found = panel.elements.find({row * 16 + bit / 4, first + column * 4 + bit % 4});
              if (found == panel.elements.end()) continue;
              pattern |= std::uint64_t{1} << bit;
              slots[static_cast<std::size_t>(found->second)] =
                  static_cast<std::int64_t>(packedBlocks.size() / sizeof(Scalar) + nnz_array.size());
              nnz_array.push_back(A.values[static_cast<std::size_t>(found->second)]);
            }
            if (pattern == 0) continue;
            patterns.push_back(pattern);
            rows.push_back(static_cast<std::uint32_t>(row));
          }
          colPtr.push_back(static_cast<std::uint32_t>(patterns.size()));
        }
        patterns.resize(bricks);
        rows.resize(bricks);
        append(nnz_array);
        align();
        append(patterns);
        append(colPtr);
        append(rows);
        align();
        sizePtr.push_back(static_cast<std::int64_t>(packedBlocks.size()));
      }
      blockedRowPtr.push_back(static_cast<std::int64_t>(activeCols.size()) / 16);
    }
  }
};

template <class Format>
void check_hrpb(const Format& hrpb, const HostMatrix<typename Format::Scalar>& A, const std::string& name) {
  const ReferenceHrpb<typename Format::Scalar> expected(A, hrpb.TM);
  expect_equal(hrpb.blockedRowPtr, expected.blockedRowPtr, name + ", blockedRowPtr");
  expect_equal(hrpb.activeCols, expected.activeCols, name + ", activeCols");
  expect_equal(hrpb.sizePtr, expected.sizePtr, name + ", sizePtr");
  expect_equal(hrpb.packedBlocks, expected.packedBlocks, name + ", packedBlocks");
  expect_equal(hrpb.slots, expected.slots, name + ", slots");
}

template <class Types>
class Hrpb : public testing::Test {};
TYPED_TEST_SUITE(Hrpb, ConversionTypes);

/// How to convert, as an argument of the checks.
struct ToHrpb {
  int panel_rows;
  template <class Exec, class A>
  auto operator()(const Exec& exec, const A& matrix) const {
    return lacuna::to_hrpb(exec, matrix, {.panel_rows = panel_rows});
  }
};

TYPED_TEST(Hrpb, ThereAndBack) {
  for (const int height : {16, 32}) check_round_trips<TypeParam>(ToHrpb{height}, Order::free);
}

TYPED_TEST(Hrpb, EveryByte) {
  using Scalar = typename TypeParam::Scalar;
  using Crs    = typename TypeParam::Matrix;
  auto samples = all_matrices<Scalar>();
  samples.push_back({"duplicates in sorted rows", with_duplicates(uneven_matrix<Scalar>(77, 90, 30))});
  samples.push_back({"long rows", uneven_matrix<Scalar>(40, 4000, 1700)});
  for (const auto& [name, matrix] : samples)
    for (const int height : {16, 32})
      check_hrpb(lacuna::to_hrpb(make_crs<Crs>(matrix), {.panel_rows = height}), matrix,
                 name + ", TM = " + std::to_string(height));
}

TYPED_TEST(Hrpb, SynergyIsThatOfThePattern) {
  using lacuna::Impl::brick_statistics, lacuna::Impl::synergy_of, lacuna::Impl::Synergy;
  const typename TypeParam::Space exec{};
  const auto expect = [](const Synergy& actual, const Synergy& expected, const std::string& name) {
    EXPECT_EQ(actual.alpha, expected.alpha) << name;
    EXPECT_EQ(actual.beta, expected.beta) << name;
  };
  for (const auto& [name, matrix] : all_matrices<typename TypeParam::Scalar>()) {
    if (name.starts_with("dense row") || name.starts_with("one row")) continue;  // bricks counted at cuts twice
    const auto A = make_crs<typename TypeParam::Matrix>(matrix);
    expect(synergy_of(exec, lacuna::to_hrpb(exec, A)), synergy_of(brick_statistics<16>(exec, A)), name + ", 16");
    expect(synergy_of(exec, lacuna::to_hrpb(exec, A, {.panel_rows = 32})),
           synergy_of(brick_statistics<32, 16>(exec, A)), name + ", 32");
  }
}

TYPED_TEST(Hrpb, OfEmptyRowMap) {
  const auto hrpb = lacuna::to_hrpb(matrix_without_row_map<typename TypeParam::Matrix>());
  EXPECT_EQ(hrpb.panels(), 0);
  EXPECT_EQ(hrpb.blocks(), 0);
  EXPECT_EQ(to_host(lacuna::to_crs(hrpb)).columns, 5);
}

using Matrix = KokkosSparse::CrsMatrix<float, int, DefaultSpace, void, int>;

/// Items of type T at a place of packed bytes.
template <class T>
std::vector<T> items_at(const std::vector<unsigned char>& bytes, std::size_t at, std::size_t count) {
  std::vector<T> items(count);
  std::memcpy(items.data(), bytes.data() + at, count * sizeof(T));
  return items;
}

TEST(HrpbLayout, WorkedByHand) {
  // A row panel of 32 rows. Active columns 2 5 6 8 | 9 11, moved to the left, so one block of two columns of bricks.
  //            2  5  6  8  9 11
  //   row  0   1  .  2  .  3  .        first row of bricks
  //   row  1   .  4  .  .  .  .
  //   row 15   .  .  .  5  .  6
  //   row 17   .  .  .  .  7  8        second row of bricks: no brick in the first column of bricks
  std::vector<std::vector<std::int64_t>> rows(18);
  rows[0]  = {2, 6, 9};
  rows[1]  = {5};
  rows[15] = {8, 11};
  rows[17] = {9, 11};
  auto A   = from_rows<float>(12, rows);
  A.values = {1, 2, 3, 4, 5, 6, 7, 8};

  const auto hrpb = lacuna::to_hrpb(make_crs<Matrix>(A), {.panel_rows = 32});
  EXPECT_EQ(hrpb.panels(), 1);
  EXPECT_EQ(hrpb.blocks(), 1);
  EXPECT_THAT(to_vector(hrpb.blockedRowPtr), ElementsAre(0, 1));
  EXPECT_THAT(to_vector(hrpb.activeCols), ElementsAre(2, 5, 6, 8, 9, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11));
  // 8 floats; 8 patterns, 5 + 8 words, rounded up to 128.
  EXPECT_THAT(to_vector(hrpb.sizePtr), ElementsAre(0, 32 + 128));
  const auto bytes = to_vector(hrpb.packedBlocks);
  // Brick (0, 0): 1 2 / 4 / 5; brick (0, 1): 3 / 6; brick (1, 1): 7 8.
  EXPECT_THAT(items_at<float>(bytes, 0, 8), ElementsAre(1, 2, 4, 5, 3, 6, 7, 8));
  constexpr auto bit = [](int row, int column) { return std::uint64_t{1} << (4 * row + column); };
  EXPECT_THAT(items_at<std::uint64_t>(bytes, 32, 8),
              ElementsAre(bit(0, 0) | bit(0, 2) | bit(1, 1) | bit(15, 3), bit(0, 0) | bit(15, 1), bit(1, 0) | bit(1, 1),
                          0, 0, 0, 0, 0));
  EXPECT_THAT(items_at<std::uint32_t>(bytes, 96, 5), ElementsAre(0, 1, 3, 3, 3));
  EXPECT_THAT(items_at<std::uint32_t>(bytes, 116, 8), ElementsAre(0, 0, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(items_at<std::uint32_t>(bytes, 148, 3), Each(0u));
  EXPECT_THAT(to_vector(hrpb.slots), ElementsAre(0, 1, 4, 2, 3, 5, 6, 7));

  // With TM = 16 the second panel has active columns of its own.
  const auto two = lacuna::to_hrpb(make_crs<Matrix>(A));
  EXPECT_THAT(to_vector(two.blockedRowPtr), ElementsAre(0, 1, 2));
  EXPECT_THAT(to_vector(two.sizePtr), ElementsAre(0, 32 + 80, 32 + 80 + 16 + 80));
  const auto active = to_vector(two.activeCols);
  EXPECT_THAT(std::vector(active.begin() + 16, active.end()),
              ElementsAre(9, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11));
  const auto second = to_vector(two.packedBlocks);
  EXPECT_THAT(items_at<float>(second, 112, 4), ElementsAre(7, 8, 0, 0));
  EXPECT_THAT(items_at<std::uint64_t>(second, 128, 4), ElementsAre(bit(1, 0) | bit(1, 1), 0, 0, 0));
  EXPECT_THAT(items_at<std::uint32_t>(second, 160, 5), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_EQ(two.bytes(), second.size() + 3 * 4 + 32 * 4 + 3 * 8 + 8 * 4);
}

TEST(HrpbOptions, AreChecked) {
  const auto A = make_crs<Matrix>(banded_matrix<float>(40, 40, 3, 3));
  EXPECT_THAT([&] { lacuna::to_hrpb(A, {.panel_rows = 8}); },
              testing::ThrowsMessage<lacuna::InvalidArgument>(HasSubstr("panel_rows is 8, it can be 16 or 32")));
  const auto bytes = lacuna::to_hrpb(A).bytes();
  EXPECT_THROW(lacuna::to_hrpb(A, {.memory_limit = bytes - 1}), lacuna::OutOfMemory);
  EXPECT_EQ(lacuna::to_hrpb(A, {.memory_limit = 3 * bytes}).bytes(), bytes);
}

}  // namespace
