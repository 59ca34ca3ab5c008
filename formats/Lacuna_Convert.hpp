// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_HPP
#define LACUNA_CONVERT_HPP

#include <Lacuna_ConvertGcoo.hpp>
#include <formats/impl/bricks/Lacuna_Convert_Bricks.hpp>
#include <formats/impl/coo/Lacuna_Convert_Coo.hpp>
#include <formats/impl/dia/Lacuna_Convert_Dia.hpp>
#include <formats/impl/diagonals/Lacuna_Convert_Cdm.hpp>
#include <formats/impl/diagonals/Lacuna_Convert_Hm.hpp>
#include <formats/impl/ell/Lacuna_Convert_Ell.hpp>
#include <formats/impl/hrpb/Lacuna_Convert_Hrpb.hpp>
#include <formats/impl/hyb/Lacuna_Convert_Hyb.hpp>
#include <formats/impl/padded_rows/Lacuna_Convert_PaddedRows.hpp>
#include <formats/impl/row_block/Lacuna_Convert_RowBlock.hpp>
#include <formats/impl/sell/Lacuna_Convert_Sell.hpp>
#include <formats/impl/sliced_dia/Lacuna_Convert_SlicedDia.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

/// \file
/// \brief Between CSR and the other storage formats, on the device.
///
/// All `to_x(exec, A, options)`:
///   - copy: the result shares no memory with `A`, and `A` may go once `exec` has finished;
///   - accept rows in any order and entries that occur more than once, but for `to_sliced_dia`. The order inside a row
///     is kept, except where a format says otherwise;
///   - give the same bits on every run and every backend;
///   - run on `exec` and wait for it only where a size has to be known (each function says how often);
///   - throw `OutOfMemory` before the allocation that `memory_limit` would not allow or that fails.
/// `A` must be valid, see `validate`. Each also exists without `exec`: default instance, fenced before and after.

namespace lacuna {

/// \brief A in coordinate storage. Does not fence.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<CooMatrix, Matrix> to_coo(const ExecutionSpace& exec, const Matrix& A, const CooOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_coo");
  return Impl::coo_from_crs(exec, A, options);
}

/// \brief A in ELLPACK. Fences once.
/// \throws NotSupported where padding would exceed `fill_limit`.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<EllMatrix, Matrix> to_ell(const ExecutionSpace& exec, const Matrix& A, const EllOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_ell");
  return Impl::ell_from_crs(exec, A, options);
}

/// \brief A with rows padded to a multiple of `multiple`. Fences once.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<PaddedRowsMatrix, Matrix> to_padded_rows(const ExecutionSpace& exec, const Matrix& A,
                                                        const PaddedRowsOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_padded_rows");
  return Impl::padded_rows_from_crs(exec, A, options);
}

/// \brief A in diagonal storage. Entries that occur more than once become one. Fences once.
/// \throws NotSupported where fill would exceed `fill_limit`.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<DiaMatrix, Matrix> to_dia(const ExecutionSpace& exec, const Matrix& A, const DiaOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_dia");
  return Impl::dia_from_crs(exec, A, options);
}

/// \brief A in ELLPACK and coordinate storage. Fences three times, once where the width is given.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<HybMatrix, Matrix> to_hyb(const ExecutionSpace& exec, const Matrix& A, const HybOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_hyb");
  return Impl::hyb_from_crs(exec, A, options);
}

/// \brief A in blocks of constant size, found at run time. Inside a row nonzeros are grouped by block, so rows that
/// were not sorted come back in another order. Fences twice.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<RowBlockMatrix, Matrix> to_row_block(const ExecutionSpace& exec, const Matrix& A,
                                                    const RowBlockOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_row_block");
  return Impl::row_block_from_crs(exec, A, options);
}

/// \brief A in slices of 32 slots, columns as 16-bit deltas where rows are sorted and that needs fewer bytes. Fences
/// for sizes: once, or twice where columns lie far apart or rows are not sorted. \throws InvalidArgument for `parts`
/// other than 1, 2, 4, 8, 16; InvalidMatrix where deltas are asked for and a row is not sorted.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<SellMatrix, Matrix> to_sell(const ExecutionSpace& exec, const Matrix& A,
                                           const SellOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_sell");
  return Impl::sell_from_crs(exec, A, options);
}

/// \brief A as diagonals within slices of 32 rows. Fences for sizes: once, or twice where `group` is to be chosen.
/// \throws InvalidArgument for a negative `group`; InvalidMatrix where a row is not sorted or has a column twice.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<SlicedDiaMatrix, Matrix> to_sliced_dia(const ExecutionSpace& exec, const Matrix& A,
                                                      const SlicedDiaOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_sliced_dia");
  return Impl::sliced_dia_from_crs(exec, A, options);
}

/// \brief A in bricks of 8 x 4, panels of consecutive rows. Rows that are not sorted come back sorted. Fences once, a
/// few times more where rows are not sorted. \throws InvalidArgument for `panel_rows` other than 8 and 16.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<BrickMatrix, Matrix> to_bricks(const ExecutionSpace& exec, const Matrix& A,
                                              const BrickOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_bricks");
  return Impl::bricks_from_crs(exec, A, {}, options);
}

/// \brief The same with the rows that `row_list` names as panels: a multiple of `panel_rows` elements, every row once
/// and -1 where a panel has none. It is copied. Fences once more. \throws InvalidArgument where it is no such list.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<BrickMatrix, Matrix> to_bricks(const ExecutionSpace& exec, const Matrix& A,
                                              const Impl::RowListOf<Matrix>& row_list,
                                              const BrickOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_bricks");
  return Impl::bricks_from_crs(exec, A, row_list, options);
}

/// \brief A in HRPB, the published format for matrix engines. Rows that are not sorted come back sorted. Fences twice,
/// a few times more where rows are not sorted. \throws InvalidArgument for `panel_rows` other than 16 and 32.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<HrpbMatrix, Matrix> to_hrpb(const ExecutionSpace& exec, const Matrix& A,
                                           const HrpbOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_hrpb");
  return Impl::hrpb_from_crs(exec, A, options);
}

/// \brief A in HM, diagonals without padding. Entries that occur more than once become one. Fences twice.
/// \throws NotSupported where fill would exceed `fill_limit`, or elements the offset type.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<HmMatrix, Matrix> to_hm(const ExecutionSpace& exec, const Matrix& A, const HmOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_hm");
  return Impl::hm_from_crs(exec, A, options);
}

/// \brief A in CDM, compact diagonals. Entries that occur more than once become one. Fences twice; the dense form
/// never. \throws NotSupported where A is not square, fill would exceed `fill_limit`, or elements the offset type.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
Impl::FormatOf<CdmMatrix, Matrix> to_cdm(const ExecutionSpace& exec, const Matrix& A, const CdmOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_cdm");
  return Impl::cdm_from_crs(exec, A, options);
}

/// \brief Any format back in CSR. Elements of HM and CDM that are 0 are left out. Fences once, twice where a format has
/// its own order of rows. \throws InvalidMatrix where the rows of a COO are out of range or out of order.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
typename Format::Crs to_crs(const ExecutionSpace& exec, const Format& matrix) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_crs");
  return crs_from(exec, matrix);
}

/// \brief Takes over the values of `A`, which has the pattern that `matrix` was made from, in the same order. One pass,
/// no fence, nothing allocated.
/// \throws InvalidArgument where extents or the number of nonzeros differ. The pattern itself is not compared.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix, Impl::FormatType Format>
void update_values(const ExecutionSpace& exec, const Matrix& A, const Format& matrix) {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::update_values");
  Impl::check_same_shape("update_values", A, matrix);
  refresh(exec, A, matrix);
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<CooMatrix, Matrix> to_coo(const Matrix& A, const CooOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_coo", [&](const auto& exec) { return to_coo(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<EllMatrix, Matrix> to_ell(const Matrix& A, const EllOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_ell", [&](const auto& exec) { return to_ell(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<PaddedRowsMatrix, Matrix> to_padded_rows(const Matrix& A, const PaddedRowsOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_padded_rows", [&](const auto& exec) { return to_padded_rows(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<DiaMatrix, Matrix> to_dia(const Matrix& A, const DiaOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_dia", [&](const auto& exec) { return to_dia(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<HybMatrix, Matrix> to_hyb(const Matrix& A, const HybOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_hyb", [&](const auto& exec) { return to_hyb(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<RowBlockMatrix, Matrix> to_row_block(const Matrix& A, const RowBlockOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_row_block", [&](const auto& exec) { return to_row_block(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<SellMatrix, Matrix> to_sell(const Matrix& A, const SellOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_sell", [&](const auto& exec) { return to_sell(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<SlicedDiaMatrix, Matrix> to_sliced_dia(const Matrix& A, const SlicedDiaOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_sliced_dia", [&](const auto& exec) { return to_sliced_dia(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<BrickMatrix, Matrix> to_bricks(const Matrix& A, const BrickOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_bricks", [&](const auto& exec) { return to_bricks(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<HrpbMatrix, Matrix> to_hrpb(const Matrix& A, const HrpbOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_hrpb", [&](const auto& exec) { return to_hrpb(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<HmMatrix, Matrix> to_hm(const Matrix& A, const HmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_hm", [&](const auto& exec) { return to_hm(exec, A, options); });
}

template <Impl::CrsMatrixType Matrix>
Impl::FormatOf<CdmMatrix, Matrix> to_cdm(const Matrix& A, const CdmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_cdm", [&](const auto& exec) { return to_cdm(exec, A, options); });
}

template <Impl::FormatType Format>
typename Format::Crs to_crs(const Format& matrix) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_crs", [&](const auto& exec) { return to_crs(exec, matrix); });
}

template <Impl::CrsMatrixType Matrix, Impl::FormatType Format>
void update_values(const Matrix& A, const Format& matrix) {
  Impl::with_default_instance<typename Format::execution_space>(
      "update_values", [&](const auto& exec) { update_values(exec, A, matrix); });
}

}  // namespace lacuna

#endif
