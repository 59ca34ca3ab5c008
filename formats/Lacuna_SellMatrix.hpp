// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SELLMATRIX_HPP
#define LACUNA_SELLMATRIX_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Slices of rows whose columns are stored as 16-bit steps: fewer bytes than CSR.

namespace lacuna {

/// \brief How a `SellMatrix` stores columns.
enum class SellColumns {
  automatic,  ///< deltas where every row is sorted, absolute otherwise
  deltas,     ///< 16-bit steps from one entry of a row to the next; rows must be sorted
  absolute    ///< the column itself; any order
};

/// \brief Sliced ELLPACK (Kreutzer et al. 2014) with slices of 32 slots and 16-bit column deltas.
///
/// A *slot* is a row, or one of `parts` consecutive pieces of a row (more slots than rows keep a GPU busy on small
/// matrices). A slice holds `slots_per_slice / parts` rows: slot s of slice t is part s / rows_per_slice of row
/// t * rows_per_slice + s % rows_per_slice. All slots of a slice have the same number of *chunks* of 4 entries;
/// chunks of slice t are [slice_begin(t), slice_begin(t + 1)).
///
/// Entry e of chunk c of slot s is stored at
///   - values((c * planes + e / pack) * 32 * pack + s * pack + e % pack), with pack = 16 bytes / sizeof(Scalar) (at
///   least 1)
///     and planes = 4 / pack: each plane is one load of 16 bytes, contiguous over the slots;
///   - deltas((c * 32 + s) * 4 + e), or columns((c * 32 + s) * 4 + e) where columns are absolute.
/// The column of an entry is first_column(32 t + s) plus the deltas up to and with its own. A delta of 65535 marks an
/// entry that does not exist (padding, or a hop where two columns lie 65535 or more apart); an absolute column of -1
/// does the same. Such entries never touch x, so NaN and Inf in x do not leak into rows that do not use them.
template <class ScalarType, class OrdinalType, class DeviceType>
class SellMatrix {
 public:
  using value_type      = ScalarType;
  using ordinal_type    = OrdinalType;
  using device_type     = DeviceType;
  using memory_space    = typename DeviceType::memory_space;
  using execution_space = typename DeviceType::execution_space;
  using delta_type      = std::uint16_t;

  static constexpr int slots_per_slice      = 32;
  static constexpr int chunk                = 4;
  static constexpr int pack                 = sizeof(value_type) >= 16 ? 1 : 16 / static_cast<int>(sizeof(value_type));
  static constexpr int planes               = chunk / pack;
  static constexpr int void_delta           = 65535;
  static constexpr ordinal_type void_column = -1;

  ordinal_type rows     = 0;
  ordinal_type columns  = 0;
  std::int64_t nonzeros = 0;
  int parts             = 1;  ///< slots of a row: 1, 2, 4, 8 or 16
  bool has_deltas       = true;

  Kokkos::View<std::int32_t*, memory_space> slice_begin;    ///< slices + 1, in chunks
  Kokkos::View<ordinal_type*, memory_space> first_column;   ///< slices * 32; empty where columns are absolute
  Kokkos::View<value_type*, memory_space> values;           ///< chunks * 128
  Kokkos::View<delta_type*, memory_space> deltas;           ///< chunks * 128, or empty
  Kokkos::View<ordinal_type*, memory_space> entry_columns;  ///< chunks * 128, or empty

  int rows_per_slice() const { return slots_per_slice / parts; }
  std::int64_t slices() const { return (static_cast<std::int64_t>(rows) + rows_per_slice() - 1) / rows_per_slice(); }
  std::int64_t chunks() const { return static_cast<std::int64_t>(values.extent(0)) / (slots_per_slice * chunk); }

  /// \brief Bytes of the storage.
  std::size_t bytes() const {
    return slice_begin.span() * sizeof(std::int32_t) + first_column.span() * sizeof(ordinal_type) +
           values.span() * sizeof(value_type) + deltas.span() * sizeof(delta_type) +
           entry_columns.span() * sizeof(ordinal_type);
  }
};

/// \brief What `to_sell` can be asked for.
struct SellOptions {
  SellColumns columns      = SellColumns::automatic;
  int parts                = 1;                             ///< slots of a row
  std::size_t memory_limit = static_cast<std::size_t>(-1);  ///< bytes of the result; more throws `OutOfMemory`
};

}  // namespace lacuna

#include <formats/impl/Lacuna_Sell_Build.hpp>

#endif
