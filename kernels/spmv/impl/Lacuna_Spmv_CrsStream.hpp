// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_CRSSTREAM_HPP
#define LACUNA_SPMV_CRSSTREAM_HPP

#include <kernels/spmv/impl/Lacuna_Spmv_Common.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Values and columns of a CSR matrix, read in packs of 16 bytes of values.
///
/// Pack q holds the nonzeros [q * width, (q + 1) * width), so packs are aligned whatever the rows are; a row masks what
/// is not its own in its first and last pack. Neighbouring lanes take neighbouring packs, so that every load is
/// contiguous over the lane group. Where the arrays of a matrix are not themselves aligned, and in the last pack, which
/// may be incomplete, elements are read one by one.
template <class ExecutionSpace, class Arrays>
class CrsStream {
 public:
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using lanes   = typename ExecutionTraits<ExecutionSpace>::lanes;

  static constexpr int width = ExecutionTraits<ExecutionSpace>::load_bytes > static_cast<int>(sizeof(Scalar))
                                   ? ExecutionTraits<ExecutionSpace>::load_bytes / static_cast<int>(sizeof(Scalar))
                                   : 1;
  using Values               = Pack<Scalar, width>;
  using Columns              = Pack<Ordinal, width>;

  explicit CrsStream(const Arrays& A) : m_values(A.values), m_columns(A.entries), m_nonzeros(A.nonzeros) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(A.values) % alignof(Values) == 0 &&
                         reinterpret_cast<std::uintptr_t>(A.entries) % alignof(Columns) == 0;
    m_whole_packs = aligned ? static_cast<Offset>(A.nonzeros / width) : Offset(0);
  }

  /// What pack `pack` adds to each of its nonzeros in [begin, end): `visit(nonzero, value * x[column])`, in order.
  template <class Vector, class Visitor>
  KOKKOS_FORCEINLINE_FUNCTION void products(Offset pack, Offset begin, Offset end, const Vector& x,
                                            const Visitor& visit) const {
    Values values;
    Columns columns;
    const Offset first = pack * width;
    load(pack, values, columns);
    // The gathers stand apart from what is done with them: all are in flight before the first is used.
    Scalar gathered[width];
    for (int i = 0; i < width; ++i) {
      const bool own = first + i >= begin && first + i < end;
      gathered[i]    = own ? x[columns.value[i]] : Scalar(0);
    }
    for (int i = 0; i < width; ++i) {
      const bool own = first + i >= begin && first + i < end;
      if (own) visit(first + i, values.value[i] * gathered[i]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void load(Offset pack, Values& values, Columns& columns) const {
    if (pack < m_whole_packs) {
      values  = lanes::load_once(reinterpret_cast<const Values*>(m_values) + pack);
      columns = lanes::load_once(reinterpret_cast<const Columns*>(m_columns) + pack);
      return;
    }
    for (int i = 0; i < width; ++i) {
      const Offset nonzero = pack * width + i;
      const bool exists    = nonzero < m_nonzeros;
      values.value[i]      = exists ? m_values[nonzero] : Scalar(0);
      columns.value[i]     = exists ? m_columns[nonzero] : Ordinal(0);
    }
  }

  const Scalar* m_values;
  const Ordinal* m_columns;
  Offset m_nonzeros;
  Offset m_whole_packs;
};

}  // namespace lacuna::Impl

#endif
