// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_CDM_HPP
#define LACUNA_CONVERT_CDM_HPP

#include <Lacuna_CdmMatrix.hpp>
#include <formats/impl/diagonals/Lacuna_Convert_Hm.hpp>

namespace lacuna::Impl {

/// Adds the nonzeros of a row to the compact diagonals, by one thread in the order of the CSR.
template <class Scalar, class Ordinal, class Offset>
struct AddRowToCdm {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  const Offset* dense;
  Scalar* list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto n = static_cast<std::int64_t>(crs.rows);
    for (Offset k = crs.row_map[i]; k < crs.row_map[i + 1]; ++k) {
      const std::int64_t offset = static_cast<std::int64_t>(crs.entries[k]) - i;
      list[static_cast<std::int64_t>(dense[offset < 0 ? offset + n : offset]) + i] += crs.values[k];
    }
  }
};

/// The elements of a row that are not 0, by ascending column: first those behind the wrap-around.
template <class Scalar, class Ordinal>
struct CdmRow {
  std::int64_t n;
  std::int64_t dg;
  const Ordinal* Ds;
  const Scalar* list;

  template <class Visit>
  KOKKOS_FUNCTION void visit(std::int64_t i, const Visit& visit) const {
    const std::int64_t wrapped = lower_bound(Ds, 0, dg, static_cast<Ordinal>(n - i));
    for (std::int64_t position = 0; position < dg; ++position) {
      const std::int64_t d = position + wrapped < dg ? position + wrapped : position + wrapped - dg;
      const Scalar value   = list[d * n + i];
      const std::int64_t j = i + static_cast<std::int64_t>(Ds[d]);
      if (value != Scalar(0)) visit(j < n ? j : j - n, value);
    }
  }
  /// Their number.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    for (std::int64_t d = 0; d < dg; ++d) count += list[d * n + i] != Scalar(0) ? 1 : 0;
    return count;
  }
};

template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void fill_cdm(const ExecutionSpace& exec, const std::string& label, const CrsArrays<Scalar, Ordinal, Offset>& crs,
              const CdmMatrix<Scalar, Ordinal, Device, Offset>& cdm) {
  Kokkos::deep_copy(exec, cdm.list, Scalar(0));
  for_each_index(exec, label, static_cast<std::int64_t>(crs.rows),
                 AddRowToCdm<Scalar, Ordinal, Offset>{crs, cdm.DiagDense.data(), cdm.list.data()});
}

/// Offsets from -(n - 1) to n - 1 as indices of compact diagonals, ascending, each once.
inline DiagonalList compact_diagonals(const DiagonalList& offsets, std::int64_t n) {
  DiagonalList compact;
  for (const std::int64_t offset : offsets) compact.push_back(offset < 0 ? offset + n : offset);
  std::sort(compact.begin(), compact.end());
  compact.erase(std::unique(compact.begin(), compact.end()), compact.end());
  return compact;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<CdmMatrix, Matrix> cdm_from_crs(const ExecutionSpace& exec, const Matrix& A, const CdmOptions& options) {
  using Format   = FormatOf<CdmMatrix, Matrix>;
  const auto crs = arrays_of(A);
  const auto n   = static_cast<std::int64_t>(crs.rows);
  if (crs.rows != crs.columns)
    raise<NotSupported>("to_cdm", "compact diagonals are those of square matrices, A is ",
                        shape_text(crs.rows, crs.columns), "; to_hm takes it");
  DiagonalList compact;
  if (options.form == CdmForm::dense)
    for (std::int64_t k = 0; k < n; ++k) compact.push_back(k);
  else
    compact =
        compact_diagonals(stored_diagonals<typename Format::Device>("to_cdm", exec, crs, options.memory_limit), n);
  if (options.memory_limit == unlimited && options.form == CdmForm::sparse)  // else the error tells the bytes
    check_fill("to_cdm", checked_product("to_cdm", static_cast<std::int64_t>(compact.size()), n),
               static_cast<std::int64_t>(crs.nonzeros), options.fill_limit);
  const auto cdm =
      new_cdm<Format>("to_cdm", exec, crs.rows, compact, static_cast<std::int64_t>(crs.nonzeros), options.memory_limit);
  fill_cdm(exec, "Lacuna::to_cdm::fill", crs, cdm);
  return cdm;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const CdmMatrix<S, O, D, F>& cdm) {
  fill_cdm(exec, "Lacuna::update_values::cdm", arrays_of(A), cdm);
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename CdmMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const CdmMatrix<S, O, D, F>& cdm) {
  return crs_from_visits(exec, cdm,
                         CdmRow<S, O>{static_cast<std::int64_t>(cdm.rows), cdm.dg(), cdm.Ds.data(), cdm.list.data()});
}

}  // namespace lacuna::Impl

#endif
