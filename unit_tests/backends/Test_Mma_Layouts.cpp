// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <backends/Lacuna_Mma.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "Mma_Atoms.hpp"

namespace lacuna::Impl {
namespace {

/// How often each (row, column) of a rows × columns operand is owned; -1 in front if one lies outside.
template <class Row, class Column>
std::vector<int> owners(int rows, int columns, int lanes, int registers, const Row& row, const Column& column) {
  std::vector<int> count(static_cast<std::size_t>(rows * columns), 0);
  for (int lane = 0; lane < lanes; ++lane) {
    for (int reg = 0; reg < registers; ++reg) {
      const int i = row(lane, reg), j = column(lane, reg);
      if (i < 0 || i >= rows || j < 0 || j >= columns) return {-1};
      ++count[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return count;
}

template <class Atom>
struct MmaLayout : ::testing::Test {};
TYPED_TEST_SUITE(MmaLayout, MmaAtoms);

TYPED_TEST(MmaLayout, OwnsEveryElementOnce) {
  using T           = TypeParam;
  const auto once   = [](int size) { return std::vector<int>(static_cast<std::size_t>(size), 1); };
  const auto owners = [](int rows, int columns, int registers, auto row, auto column) {
    return lacuna::Impl::owners(rows, columns, T::lanes, registers, row, column);
  };
  EXPECT_EQ(owners(T::m, T::k, T::a_registers, T::a_row, T::a_column), once(T::m * T::k));
  EXPECT_EQ(owners(T::k, T::n, T::b_registers, T::b_row, T::b_column), once(T::k * T::n));
  EXPECT_EQ(owners(T::m, T::n, T::c_registers, T::c_row, T::c_column), once(T::m * T::n));
  EXPECT_EQ(sizeof(typename T::A), sizeof(typename T::element) * T::a_registers);
  EXPECT_EQ(sizeof(typename T::C), sizeof(typename T::accumulator) * T::c_registers);
}

// The layouts as PTX ISA prints them, "Matrix fragments for mma.…": groupID = lane >> 2, tig = lane % 4.
struct PtxRegister {
  int row, column;
};

template <class Atom, class A, class B>
void expect_ptx(const A& a, const B& b) {
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, tig = lane % 4;
    for (int i = 0; i < Atom::a_registers; ++i) {
      EXPECT_EQ(Atom::a_row(lane, i), a(i, group, tig).row) << lane << " a" << i;
      EXPECT_EQ(Atom::a_column(lane, i), a(i, group, tig).column) << lane << " a" << i;
    }
    for (int i = 0; i < Atom::b_registers; ++i) {
      EXPECT_EQ(Atom::b_row(lane, i), b(i, group, tig).row) << lane << " b" << i;
      EXPECT_EQ(Atom::b_column(lane, i), b(i, group, tig).column) << lane << " b" << i;
    }
    for (int i = 0; i < Atom::c_registers; ++i) {
      EXPECT_EQ(Atom::c_row(lane, i), i < 2 ? group : group + 8) << lane << " c" << i;
      EXPECT_EQ(Atom::c_column(lane, i), (tig * 2) + (i & 1)) << lane << " c" << i;
    }
  }
}

TEST(MmaPtx, M8N8K4Double) {
  expect_ptx<Sm80_8x8x4_f64>(
      [](int, int group, int tig) {
        return PtxRegister{group, tig};
      },
      [](int, int group, int tig) {
        return PtxRegister{tig, group};
      });
}

TEST(MmaPtx, M16N8K4Tf32) {
  expect_ptx<Sm80_16x8x4_f32_tf32>(
      [](int i, int group, int tig) {
        return PtxRegister{i == 0 ? group : group + 8, tig};
      },
      [](int, int group, int tig) {
        return PtxRegister{tig, group};
      });
}

TEST(MmaPtx, M16N8K8Tf32AndDouble) {
  const auto a = [](int i, int group, int tig) {
    return PtxRegister{i == 0 || i == 2 ? group : group + 8, i == 0 || i == 1 ? tig : tig + 4};
  };
  const auto b = [](int i, int group, int tig) { return PtxRegister{i == 0 ? tig : tig + 4, group}; };
  expect_ptx<Sm80_16x8x8_f32_tf32>(a, b);
  expect_ptx<Sm90_16x8x8_f64>(a, b);
}

TEST(MmaPtx, M16N8K8Sixteen) {
  const auto a = [](int i, int group, int tig) { return PtxRegister{i < 2 ? group : group + 8, (tig * 2) + (i & 1)}; };
  const auto b = [](int i, int group, int tig) { return PtxRegister{(tig * 2) + i, group}; };
  expect_ptx<Sm80_16x8x8_f32_f16>(a, b);
  expect_ptx<Sm80_16x8x8_f32_bf16>(a, b);
}

TEST(MmaPtx, M16N8K16Sixteen) {
  const auto a = [](int i, int group, int tig) {
    return PtxRegister{(i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8,
                       i < 4 ? (tig * 2) + (i & 1) : (tig * 2) + (i & 1) + 8};
  };
  const auto b = [](int i, int group, int tig) {
    return PtxRegister{i < 2 ? (tig * 2) + (i & 1) : (tig * 2) + (i & 1) + 8, group};
  };
  expect_ptx<Sm80_16x8x16_f32_f16>(a, b);
  expect_ptx<Sm80_16x8x16_f32_bf16>(a, b);
}

// Corners and a few other places of AMD's published tables: (row, column) of the operand -> lane, register.
struct Golden {
  char operand;
  int row, column, lane, reg;
};

template <class Atom>
void expect_golden(const std::vector<Golden>& places) {
  for (const Golden& at : places) {
    SCOPED_TRACE(::testing::Message() << at.operand << "[" << at.row << "][" << at.column << "]");
    std::pair<int, int> found;
    if (at.operand == 'A') found = {Atom::a_row(at.lane, at.reg), Atom::a_column(at.lane, at.reg)};
    if (at.operand == 'B') found = {Atom::b_row(at.lane, at.reg), Atom::b_column(at.lane, at.reg)};
    if (at.operand == 'C') found = {Atom::c_row(at.lane, at.reg), Atom::c_column(at.lane, at.reg)};
    EXPECT_EQ(found, std::make_pair(at.row, at.column));
  }
}

const std::vector<Golden> neighbour_rows{{'C', 0, 0, 0, 0},    {'C', 0, 15, 15, 0}, {'C', 15, 0, 48, 3},
                                         {'C', 15, 15, 63, 3}, {'C', 1, 0, 0, 1},   {'C', 4, 3, 19, 0},
                                         {'C', 6, 7, 23, 2},   {'C', 10, 2, 34, 2}, {'C', 12, 1, 49, 0}};

TEST(MmaAmd, F32_16x16x4) {
  EXPECT_EQ(Gfx90a_16x16x4_f32::a_registers, 1);
  expect_golden<Gfx90a_16x16x4_f32>({{'A', 0, 0, 0, 0},
                                     {'A', 15, 0, 15, 0},
                                     {'A', 0, 3, 48, 0},
                                     {'A', 15, 3, 63, 0},
                                     {'A', 5, 2, 37, 0},
                                     {'B', 0, 0, 0, 0},
                                     {'B', 0, 15, 15, 0},
                                     {'B', 3, 0, 48, 0},
                                     {'B', 3, 15, 63, 0},
                                     {'B', 1, 9, 25, 0}});
  expect_golden<Gfx90a_16x16x4_f32>(neighbour_rows);
}

TEST(MmaAmd, F64_16x16x4) {
  EXPECT_EQ(Gfx90a_16x16x4_f64::b_registers, 1);
  expect_golden<Gfx90a_16x16x4_f64>({{'A', 0, 0, 0, 0},
                                     {'A', 15, 3, 63, 0},
                                     {'A', 5, 2, 37, 0},
                                     {'A', 9, 1, 25, 0},
                                     {'B', 0, 0, 0, 0},
                                     {'B', 3, 15, 63, 0},
                                     {'B', 1, 9, 25, 0},
                                     {'B', 2, 4, 36, 0},
                                     {'C', 0, 0, 0, 0},
                                     {'C', 0, 15, 15, 0},
                                     {'C', 15, 0, 48, 3},
                                     {'C', 15, 15, 63, 3},
                                     {'C', 1, 0, 16, 0},
                                     {'C', 4, 3, 3, 1},
                                     {'C', 6, 7, 39, 1},
                                     {'C', 10, 2, 34, 2},
                                     {'C', 12, 1, 1, 3}});
}

template <class Atom>
void expect_sixteen_bit() {
  EXPECT_EQ(Atom::a_registers, 4);
  expect_golden<Atom>({{'A', 0, 0, 0, 0},
                       {'A', 0, 3, 0, 3},
                       {'A', 0, 15, 48, 3},
                       {'A', 15, 15, 63, 3},
                       {'A', 3, 6, 19, 2},
                       {'A', 7, 12, 55, 0},
                       {'B', 0, 0, 0, 0},
                       {'B', 6, 3, 19, 2},
                       {'B', 15, 0, 48, 3},
                       {'B', 1, 15, 15, 1},
                       {'B', 9, 8, 40, 1},
                       {'B', 15, 15, 63, 3}});
  expect_golden<Atom>(neighbour_rows);
}
TEST(MmaAmd, F16_16x16x16) { expect_sixteen_bit<Gfx90a_16x16x16_f32_f16>(); }
TEST(MmaAmd, Bf16_16x16x16) { expect_sixteen_bit<Gfx90a_16x16x16_f32_bf16>(); }

TEST(MmaAmd, Xf32_16x16x8) {
  EXPECT_EQ(Gfx942_16x16x8_f32_xf32::a_registers, 2);
  expect_golden<Gfx942_16x16x8_f32_xf32>({{'A', 0, 0, 0, 0},
                                          {'A', 0, 1, 0, 1},
                                          {'A', 15, 7, 63, 1},
                                          {'A', 3, 2, 19, 0},
                                          {'A', 4, 5, 36, 1},
                                          {'A', 9, 6, 57, 0},
                                          {'B', 0, 0, 0, 0},
                                          {'B', 7, 15, 63, 1},
                                          {'B', 3, 0, 16, 1},
                                          {'B', 4, 11, 43, 0}});
  expect_golden<Gfx942_16x16x8_f32_xf32>(neighbour_rows);
}

}  // namespace
}  // namespace lacuna::Impl
