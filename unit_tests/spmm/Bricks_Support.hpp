// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_BRICKS_SUPPORT_HPP
#define LACUNA_TEST_BRICKS_SUPPORT_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickLaunch.hpp>

#include <reference/Reference_Spmm.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Products with bricks in all their variants, from host data to host data.

namespace lacuna::Test {

/// The engine that `precision` stands for.
struct AnyEngine {};

/// How a product is made.
struct BricksCase {
  int panel_rows                = 8;
  std::int64_t longest_segment  = 0;      ///< 0: the tuned one
  std::int64_t schedule_columns = 128;    ///< that the schedule is made for
  std::int64_t padding          = 0;      ///< elements behind each row of B, and of C
  bool column_major             = false;  ///< C; B is row-major always
  bool reversed                 = false;  ///< panels of rows in reverse order
};

/// C = alpha A B + beta C. Elements between the rows of B and C are NaN, and must be so afterwards in C.
template <Precision precision, class Engine, class Crs, Impl::LaunchPath path = Impl::LaunchPath::automatic,
          bool any_alignment = true, class ExecutionSpace, class Scalar>
std::vector<Scalar> bricks_product(const ExecutionSpace& exec, const BricksCase& how, Scalar alpha,
                                   const HostMatrix<Scalar>& A, const std::vector<Scalar>& B, std::int64_t columns,
                                   Scalar beta, const std::vector<Scalar>& C) {
  using Memory        = typename ExecutionSpace::memory_space;
  using Block         = Kokkos::View<Scalar**, Kokkos::LayoutStride, Memory>;
  using Buffer        = Kokkos::View<Scalar*, Memory>;
  using Ordinal       = typename Crs::non_const_ordinal_type;
  const Scalar poison = std::numeric_limits<Scalar>::quiet_NaN();
  const auto strided  = [&](const Buffer& buffer, std::int64_t rows, bool column_major) {
    const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns);
    const auto pad = static_cast<std::size_t>(how.padding);
    return column_major ? Block(buffer.data(), Kokkos::LayoutStride(m, 1, n, m + pad))
                         : Block(buffer.data(), Kokkos::LayoutStride(m, n + pad, n, 1));
  };
  const auto size = [&](std::int64_t rows) {
    return static_cast<std::size_t>(std::max(rows * (columns + how.padding), columns * (rows + how.padding)));
  };
  const Buffer b_buffer("B", size(A.columns)), c_buffer("C", size(A.rows));
  Kokkos::deep_copy(b_buffer, poison);
  Kokkos::deep_copy(c_buffer, poison);
  const Block b = strided(b_buffer, A.columns, false), c = strided(c_buffer, A.rows, how.column_major);
  copy_in(b, B);
  if (!C.empty()) copy_in(c, C);

  const auto matrix = make_crs<Crs>(A);
  const auto bricks = [&] {
    const BrickOptions options{.panel_rows = how.panel_rows};
    if (!how.reversed) return to_bricks(exec, matrix, options);
    const std::int64_t places = Impl::round_up(A.rows, how.panel_rows);
    std::vector<std::int64_t> list(static_cast<std::size_t>(places), -1);
    for (std::int64_t i = 0; i < A.rows; ++i) list[static_cast<std::size_t>(places - 1 - i)] = i;
    return to_bricks(exec, matrix, make_view<Kokkos::View<Ordinal*, typename Crs::device_type>>("rows", list), options);
  }();
  const auto schedule  = Impl::make_brick_schedule(exec, bricks, how.schedule_columns, how.longest_segment);
  const auto arguments = Impl::make_block_arguments<Scalar>(alpha, b, beta, c, A.rows, A.columns);
  using Chosen         = std::conditional_t<std::is_same_v<Engine, AnyEngine>, void, Engine>;
  Impl::spmm_bricks<precision, Chosen, path, any_alignment>(exec, bricks, arguments, schedule);
  // Once more with the same schedule: partial sums must have been left ready. With beta == 0 nothing of C is read.
  if (beta == Scalar(0)) Impl::spmm_bricks<precision, Chosen, path, any_alignment>(exec, bricks, arguments, schedule);
  exec.fence("Lacuna::Test::bricks: result");
  const auto everything = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c_buffer);
  std::int64_t touched  = 0;
  for (std::size_t i = 0; i < everything.extent(0); ++i) touched += everything(i) == everything(i) ? 1 : 0;
  const auto result     = to_row_major(c);
  std::int64_t expected = 0;
  for (const Scalar& value : result) expected += value == value ? 1 : 0;
  EXPECT_EQ(touched, expected) << "elements between the rows of C were written";
  return result;
}

/// A product of random blocks against the reference, with alpha, beta and a C full of NaN where beta is 0.
template <Precision precision, class Engine, class Crs, Impl::LaunchPath path = Impl::LaunchPath::automatic,
          class ExecutionSpace, class Scalar>
void check_bricks(const ExecutionSpace& exec, const BricksCase& how, const HostMatrix<Scalar>& A, std::int64_t columns,
                  Scalar alpha, Scalar beta, double relative, const std::string& name) {
  const auto B         = random_vector<Scalar>(A.columns * columns, 3);
  const auto C         = beta == Scalar(0) ? std::vector<Scalar>() : random_vector<Scalar>(A.rows * columns, 4);
  const auto reference = reference_spmm(Op::none, alpha, A, B, columns, beta, C);
  const auto result    = bricks_product<precision, Engine, Crs, path>(exec, how, alpha, A, B, columns, beta, C);
  EXPECT_TRUE(matches(reference, result, relative))
      << name << ", " << columns << " columns, panels of " << how.panel_rows << ", alpha " << alpha << ", beta " << beta
      << (how.column_major ? ", C column-major" : "") << ", padding " << how.padding << ", segments of "
      << how.longest_segment << (how.reversed ? ", reversed" : "");
}

template <class Scalar, class ExecutionSpace>
using BricksCrs = KokkosSparse::CrsMatrix<Scalar, int, typename ExecutionSpace::device_type, void, int>;

/// A little of everything.
template <class Engine, Impl::LaunchPath path, class Scalar, class ExecutionSpace>
void check_bricks_of_every_kind(const ExecutionSpace& exec) {
  using Crs        = BricksCrs<Scalar, ExecutionSpace>;
  const auto check = [&](const BricksCase& how, const HostMatrix<Scalar>& A, std::int64_t columns, double alpha,
                         double beta, const std::string& name) {
    check_bricks<Precision::full, Engine, Crs, path>(exec, how, A, columns, static_cast<Scalar>(alpha),
                                                     static_cast<Scalar>(beta), 0.0, name);
  };
  for (const int panel_rows : {8, 16}) {
    for (const std::int64_t columns : {0, 1, 16, 17, 33, 64, 129, 300})
      check({.panel_rows = panel_rows}, uneven_matrix<Scalar>(41, 60, 13), columns, 1, 0, "uneven");
    for (const auto& [name, A] : sample_matrices<Scalar>()) check({.panel_rows = panel_rows}, A, 20, 1, 0, name);
    for (const std::int64_t padding : {1, 2, 4})
      check({.panel_rows = panel_rows, .padding = padding, .column_major = true}, uneven_matrix<Scalar>(19, 23, 11), 40,
            -2, 0.5, "strides");
    check({.panel_rows = panel_rows, .longest_segment = 2, .reversed = true}, random_matrix<Scalar>(37, 300, 60), 45, 1,
          1, "segments");
  }
}

}  // namespace lacuna::Test

#endif
