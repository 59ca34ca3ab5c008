// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SELLMATRIX_HPP
#define LACUNA_SELLMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Slices of rows whose columns are stored as 16-bit deltas: fewer bytes than CSR.

namespace lacuna {

/// \brief How a `SellMatrix` stores columns.
enum class SellColumns {
  automatic,  ///< deltas where every row is sorted and they need fewer bytes, otherwise absolute
  deltas,     ///< 16-bit distances from one column of a row to the next; rows must be sorted
  absolute    ///< the columns themselves; rows may be in any order
};

/// \brief Sliced ELLPACK (Kreutzer et al. 2014) with slices of 32 slots and 16-bit column deltas.
///
/// A *slot* is a row, or one of `segments` consecutive parts of a row; a kernel works on one slot with one lane. More
/// slots than rows keep a GPU busy on small matrices. A slice holds `slots_per_slice / segments` rows. Slot s of slice
/// t is segment s / rows_per_slice of row t * rows_per_slice + s % rows_per_slice. The entries of a slot are stored in
/// *chunks* of `chunk` entries (4, or 2 for short rows, since the last chunk is padded). All slots of a slice have the
/// same number of chunks. Slice t has the chunks [slice_begin(t), slice_begin(t + 1)).
///
/// Entry e of chunk c of slot s is stored at
///   - values((c * planes + e / pack) * 32 * pack + s * pack + e % pack). `pack` is 16 bytes / sizeof(Scalar), at least
///     1 and at most chunk; `planes` is chunk / pack. Each plane is one load, contiguous over the slots.
///   - deltas((c * 32 + s) * chunk + e), or column_indices((c * 32 + s) * chunk + e) where columns are absolute.
///
/// The column of an entry is first_column(32 t + s) plus the deltas of the slot up to and with its own. A delta of
/// 65535 marks an entry that does not exist: padding, or a hop between two columns that are 65535 or more apart. An
/// absolute column of -1 means the same. A kernel must not read x for such entries: NaN and Inf of x would reach rows
/// that do not use them.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct SellMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  using Delta = std::uint16_t;

  static constexpr int slots_per_slice     = 32;
  static constexpr int void_delta          = 65535;
  static constexpr OrdinalType void_column = -1;

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int segments               = 1;  ///< slots of a row: 1, 2, 4, 8 or 16
  int chunk                  = 4;  ///< entries of a chunk: 2 or 4
  bool has_deltas            = true;
  /// The number of chunks of every slice, 0 where slices differ. A product need not read `slice_begin` where it is set.
  int uniform_chunks = 0;

  Kokkos::View<std::int32_t*, DeviceType> slice_begin;    ///< slices + 1, in chunks
  Kokkos::View<OrdinalType*, DeviceType> first_column;    ///< slices * 32; empty where columns are absolute
  Kokkos::View<ScalarType*, DeviceType> values;           ///< chunks * 32 * chunk
  Kokkos::View<Delta*, DeviceType> deltas;                ///< the same; empty where columns are absolute
  Kokkos::View<OrdinalType*, DeviceType> column_indices;  ///< the same; empty where there are deltas

  /// Values that one load brings, for chunks of `chunk` entries.
  KOKKOS_INLINE_FUNCTION static constexpr int pack_of(int chunk) {
    const int most = sizeof(ScalarType) >= 16 ? 1 : 16 / static_cast<int>(sizeof(ScalarType));
    return most < chunk ? most : chunk;
  }

  OffsetType nonzeros() const { return stored_nonzeros; }
  int rows_per_slice() const { return slots_per_slice / segments; }
  std::int64_t slices() const { return (static_cast<std::int64_t>(rows) + rows_per_slice() - 1) / rows_per_slice(); }
  /// Bytes of the storage, void entries included.
  std::size_t bytes() const { return Impl::bytes_of(slice_begin, first_column, values, deltas, column_indices); }
};

/// \brief The `SellMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_sell`
/// returns.
template <Impl::CrsMatrixType Matrix>
using SellOf = Impl::FormatOf<SellMatrix, Matrix>;

/// \brief Options of `to_sell`.
struct SellOptions {
  SellColumns columns = SellColumns::automatic;
  /// Into how many segments of equally many chunks every row is cut, each the slot of one lane: 1, 2, 4, 8 or 16. More
  /// than 1 suits matrices with fewer rows than a GPU has lanes, and long rows.
  int segments             = 1;
  int chunk                = 4;          ///< entries of a slot that are stored together: 2 or 4
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
};

}  // namespace lacuna

#endif
