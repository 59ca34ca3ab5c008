// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_HPP
#define LACUNA_CONVERT_HPP

#include <Lacuna_ConvertGcoo.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
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

/// \file
/// \brief Converts between CSR and the other storage formats, on the device.
///
/// What holds for every `to_coo(exec, A, options)`, `to_ell(exec, A, options)` and so on:
///   - All work goes to the instance `exec`. The function waits for it only to learn a size; each says how often.
///   - `A` is a valid `KokkosSparse::CrsMatrix`, see `validate`. Rows may be in any order and entries may occur more
///     than once, unless the function says otherwise. The order inside a row is kept, unless the format has its own.
///   - `options` are documented with each format. All have a `memory_limit`.
///   - The result shares no memory with `A`, which may be destroyed once `exec` has finished. Its type has a name:
///     `to_sell` returns `SellOf<Matrix>`.
///   - The result has the same bits on every run and every backend.
///   - The function throws `OutOfMemory` before an allocation that `memory_limit` does not allow, and where memory is
///     exhausted.
///
/// Every function also exists without `exec`: it runs on the default instance and fences before and after.

namespace lacuna {

/// \brief Converts A to coordinate storage. Does not fence.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
CooOf<Matrix> to_coo(const ExecutionSpace& exec, const Matrix& A, const CooOptions& options = {}) {
  return Impl::in_region("to_coo", [&] { return Impl::coo_from_crs(exec, A, options); });
}

/// \brief Converts A to ELLPACK. Fences once.
/// \throws InvalidArgument for a negative `alignment`
/// \throws NotSupported where padding would exceed `fill_limit`
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
EllOf<Matrix> to_ell(const ExecutionSpace& exec, const Matrix& A, const EllOptions& options = {}) {
  return Impl::in_region("to_ell", [&] { return Impl::ell_from_crs(exec, A, options); });
}

/// \brief Copies A with rows padded to a multiple of `multiple` entries. Fences once.
/// \throws InvalidArgument for a `multiple` outside of 1 … 1024
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
PaddedRowsOf<Matrix> to_padded_rows(const ExecutionSpace& exec, const Matrix& A,
                                    const PaddedRowsOptions& options = {}) {
  return Impl::in_region("to_padded_rows", [&] { return Impl::padded_rows_from_crs(exec, A, options); });
}

/// \brief Converts A to diagonal storage. Entries that occur more than once are added. Fences once, or a few
/// times where A has far fewer nonzeros than rows and columns: it takes memory and time of the nonzeros then.
/// \throws NotSupported where fill would exceed `fill_limit`
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
DiaOf<Matrix> to_dia(const ExecutionSpace& exec, const Matrix& A, const DiaOptions& options = {}) {
  return Impl::in_region("to_dia", [&] { return Impl::dia_from_crs(exec, A, options); });
}

/// \brief Converts A to ELLPACK and coordinate storage. Fences three times, or once where `width` is given.
/// \throws InvalidArgument for a `width` below -1
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
HybOf<Matrix> to_hyb(const ExecutionSpace& exec, const Matrix& A, const HybOptions& options = {}) {
  return Impl::in_region("to_hyb", [&] { return Impl::hyb_from_crs(exec, A, options); });
}

/// \brief Converts A to blocks of constant size. Nonzeros of a row are grouped by block, so `to_crs` returns unsorted
/// rows in another order. Fences twice.
/// \throws InvalidArgument for `block_rows`, `block_columns` or `multiple` out of range
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
RowBlockOf<Matrix> to_row_block(const ExecutionSpace& exec, const Matrix& A, const RowBlockOptions& options = {}) {
  return Impl::in_region("to_row_block", [&] { return Impl::row_block_from_crs(exec, A, options); });
}

/// \brief Converts A to slices of 32 slots. Fences once; twice where columns lie far apart or rows are not sorted.
/// \throws InvalidArgument for `segments` other than 1, 2, 4, 8 and 16, and for `chunk` other than 2 and 4
/// \throws InvalidMatrix where `columns` asks for deltas and a row is not sorted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
SellOf<Matrix> to_sell(const ExecutionSpace& exec, const Matrix& A, const SellOptions& options = {}) {
  return Impl::in_region("to_sell", [&] { return Impl::sell_from_crs(exec, A, options); });
}

/// \brief Converts A to diagonals within slices of 32 rows. Fences once; twice where `group` is 0.
/// \param[in] exec all work goes to this instance
/// \param[in] A rows must be sorted and free of duplicates
/// \param[in] options described with the format
/// \throws InvalidArgument for a negative `group`
/// \throws InvalidMatrix where a row is not sorted or has a column twice
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
SlicedDiaOf<Matrix> to_sliced_dia(const ExecutionSpace& exec, const Matrix& A, const SlicedDiaOptions& options = {}) {
  return Impl::in_region("to_sliced_dia", [&] { return Impl::sliced_dia_from_crs(exec, A, options); });
}

/// \brief Converts A to bricks of 8 x 4 in panels of consecutive rows. Rows come out sorted. Fences once; a few times
/// more where rows of A are not sorted.
/// \throws InvalidArgument for `panel_rows` other than 8 and 16
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
BrickOf<Matrix> to_bricks(const ExecutionSpace& exec, const Matrix& A, const BrickOptions& options = {}) {
  return Impl::in_region("to_bricks", [&] { return Impl::bricks_from_crs(exec, A, {}, options); });
}

/// \brief The same with panels of the rows that `row_list` names. Fences once more.
/// \param[in] exec all work goes to this instance
/// \param[in] A a valid matrix, see `validate`
/// \param[in] row_list its extent is a multiple of `panel_rows`. It names every row once, and -1 where a panel has no
///     row. It is copied.
/// \param[in] options described with the format
/// \throws InvalidArgument where it is no such list
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
BrickOf<Matrix> to_bricks(const ExecutionSpace& exec, const Matrix& A, const RowListOf<Matrix>& row_list,
                          const BrickOptions& options = {}) {
  return Impl::in_region("to_bricks", [&] { return Impl::bricks_from_crs(exec, A, row_list, options); });
}

/// \brief Converts A to HRPB, the published format for matrix engines. Rows come out sorted. Fences twice; a few times
/// more where rows of A are not sorted.
/// \throws InvalidArgument for `panel_rows` other than 16 and 32
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
HrpbOf<Matrix> to_hrpb(const ExecutionSpace& exec, const Matrix& A, const HrpbOptions& options = {}) {
  return Impl::in_region("to_hrpb", [&] { return Impl::hrpb_from_crs(exec, A, options); });
}

/// \brief Converts A to HM, diagonals without padding. Entries that occur more than once are added. Fences twice, or a
/// few times more, as to_dia, whose time and memory go with the nonzeros too.
/// \throws NotSupported where fill would exceed `fill_limit`, or the offset type cannot count the elements
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
HmOf<Matrix> to_hm(const ExecutionSpace& exec, const Matrix& A, const HmOptions& options = {}) {
  return Impl::in_region("to_hm", [&] { return Impl::hm_from_crs(exec, A, options); });
}

/// \brief Converts A to CDM, compact diagonals. Entries that occur more than once are added. Fences twice, or a
/// few times more, as to_dia; the dense form never.
/// \param[in] exec all work goes to this instance
/// \param[in] A a square matrix
/// \param[in] options described with the format
/// \throws NotSupported where A is not square, fill would exceed `fill_limit`, or the offset type cannot count the
/// elements
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
CdmOf<Matrix> to_cdm(const ExecutionSpace& exec, const Matrix& A, const CdmOptions& options = {}) {
  return Impl::in_region("to_cdm", [&] { return Impl::cdm_from_crs(exec, A, options); });
}

/// \brief Converts a matrix in any format to CSR. Elements of HM and CDM that are 0 are left out. Fences once; twice
/// where the format has its own order of rows.
/// \param[in] exec all work goes to this instance
/// \param[in] matrix a matrix in any format of the library
/// \throws InvalidMatrix where rows of a COO matrix are out of range or out of order
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
typename Format::Crs to_crs(const ExecutionSpace& exec, const Format& matrix) {
  return Impl::in_region("to_crs", [&] { return crs_from(exec, matrix); });
}

/// \brief Copies the values of `A` to a matrix that was made from it. One pass, no fence, no allocation.
/// \param[in] exec all work goes to this instance
/// \param[in] A has the pattern, in the same order, that `matrix` was made from. The pattern is not compared.
/// \param[in,out] matrix its values are overwritten
/// \throws InvalidArgument where extents or numbers of nonzeros differ
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix, Impl::FormatType Format>
void update_values(const ExecutionSpace& exec, const Matrix& A, const Format& matrix) {
  Impl::check_same_shape("update_values", A, matrix);
  Impl::in_region("update_values", [&] { refresh(exec, A, matrix); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
CooOf<Matrix> to_coo(const Matrix& A, const CooOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_coo", [&](const auto& exec) { return to_coo(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
EllOf<Matrix> to_ell(const Matrix& A, const EllOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_ell", [&](const auto& exec) { return to_ell(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
PaddedRowsOf<Matrix> to_padded_rows(const Matrix& A, const PaddedRowsOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_padded_rows", [&](const auto& exec) { return to_padded_rows(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
DiaOf<Matrix> to_dia(const Matrix& A, const DiaOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_dia", [&](const auto& exec) { return to_dia(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
HybOf<Matrix> to_hyb(const Matrix& A, const HybOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_hyb", [&](const auto& exec) { return to_hyb(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
RowBlockOf<Matrix> to_row_block(const Matrix& A, const RowBlockOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_row_block", [&](const auto& exec) { return to_row_block(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
SellOf<Matrix> to_sell(const Matrix& A, const SellOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_sell", [&](const auto& exec) { return to_sell(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
SlicedDiaOf<Matrix> to_sliced_dia(const Matrix& A, const SlicedDiaOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_sliced_dia", [&](const auto& exec) { return to_sliced_dia(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
BrickOf<Matrix> to_bricks(const Matrix& A, const BrickOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_bricks", [&](const auto& exec) { return to_bricks(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
HrpbOf<Matrix> to_hrpb(const Matrix& A, const HrpbOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_hrpb", [&](const auto& exec) { return to_hrpb(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
HmOf<Matrix> to_hm(const Matrix& A, const HmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_hm", [&](const auto& exec) { return to_hm(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
CdmOf<Matrix> to_cdm(const Matrix& A, const CdmOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "to_cdm", [&](const auto& exec) { return to_cdm(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::FormatType Format>
typename Format::Crs to_crs(const Format& matrix) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_crs", [&](const auto& exec) { return to_crs(exec, matrix); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix, Impl::FormatType Format>
void update_values(const Matrix& A, const Format& matrix) {
  Impl::with_default_instance<typename Format::execution_space>(
      "update_values", [&](const auto& exec) { update_values(exec, A, matrix); });
}

}  // namespace lacuna

#endif
