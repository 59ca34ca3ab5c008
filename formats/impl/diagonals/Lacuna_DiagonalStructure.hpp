// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRUCTURE_HPP
#define LACUNA_DIAGONALSTRUCTURE_HPP

#include <formats/impl/Lacuna_FormatPolicy.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Which diagonals a matrix in HM or CDM has, without their values: kept on the host too, so that the structure
/// of a product is known before anything runs. Offsets on the host are 64-bit numbers.

namespace lacuna::Impl {

using DiagonalList = std::vector<std::int64_t>;

/// Elements of the diagonal of offset `offset`.
KOKKOS_INLINE_FUNCTION std::int64_t diagonal_length(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const std::int64_t first = offset < 0 ? -offset : 0;
  const std::int64_t end   = rows < columns - offset ? rows : columns - offset;
  return end > first ? end - first : 0;
}

/// Ascending offsets in the order of HM: 0 and above ascending, then those below 0 from -1 on.
inline DiagonalList hm_order(const DiagonalList& ascending) {
  const auto zero = std::lower_bound(ascending.begin(), ascending.end(), 0);
  DiagonalList ordered(zero, ascending.end());
  ordered.insert(ordered.end(), std::make_reverse_iterator(zero), ascending.rend());
  return ordered;
}

/// Ascending positions within `Ds` of HM: subdiagonals stand behind in descending order.
KOKKOS_INLINE_FUNCTION std::int64_t hm_ascending(std::int64_t position, std::int64_t dg, std::int64_t subdiagonals) {
  return position < subdiagonals ? dg - 1 - position : position - subdiagonals;
}

/// Whether a diagonal stands before another in the order of HM.
KOKKOS_INLINE_FUNCTION bool hm_before(std::int64_t offset, std::int64_t other) {
  if ((offset < 0) != (other < 0)) return offset >= 0;
  return offset < 0 ? offset > other : offset < other;
}

/// Where the diagonal of offset `offset` begins in the `list` of HM, -1 where it is not stored. By `DiagDense`, or by a
/// search of `Ds` where the matrix has none (null).
template <class Ordinal, class Offset>
KOKKOS_INLINE_FUNCTION std::int64_t hm_start(const Ordinal* Ds, const Offset* starts, const Offset* dense,
                                             std::int64_t dg, std::int64_t rows, std::int64_t offset) {
  if (dense != nullptr) return static_cast<std::int64_t>(dense[rows - 1 + offset]);
  std::int64_t first = 0, last = dg;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (hm_before(static_cast<std::int64_t>(Ds[middle]), offset))
      first = middle + 1;
    else
      last = middle;
  }
  const bool is_stored = first < dg && static_cast<std::int64_t>(Ds[first]) == offset;
  return is_stored ? static_cast<std::int64_t>(starts[first]) : -1;
}

/// `DiagDense` for kernels: null where the matrix has none.
template <class Hm>
const typename Hm::Offset* hm_dense(const Hm& hm) {
  return hm.DiagDense.extent(0) > 0 ? hm.DiagDense.data() : nullptr;
}

/// Elements of the `DiagDense` of HM: none where it would be nearly all of the matrix.
inline std::int64_t hm_dense_extent(std::int64_t rows, std::int64_t columns, double elements) {
  const std::int64_t wide = rows > 0 && columns > 0 ? rows + columns - 1 : 0;
  return static_cast<double>(wide) > FormatTuning::starts_of_an_element * elements ? 0 : wide;
}

/// \throws InvalidArgument where an offset is outside of [least, most] or occurs twice.
inline void check_offsets(const char* function, const DiagonalList& ascending, std::int64_t least, std::int64_t most) {
  for (std::size_t d = 0; d < ascending.size(); ++d) {
    if (ascending[d] < least || ascending[d] > most)
      raise<InvalidArgument>(function, "diagonal ", ascending[d], " is outside of ", least, " to ", most);
    if (d > 0 && ascending[d] == ascending[d - 1])
      raise<InvalidArgument>(function, "diagonal ", ascending[d], " is named twice");
  }
}

template <class Ordinal, class Offset>
struct MarkStart {
  const Ordinal* offsets;
  const Offset* starts;  // null: diagonals of `length`, one behind the other
  std::int64_t length;
  std::int64_t shift;
  Offset* dense;
  KOKKOS_FUNCTION void operator()(std::int64_t d) const {
    dense[static_cast<std::int64_t>(offsets[d]) + shift] =
        starts != nullptr ? starts[d] : static_cast<Offset>(d * length);
  }
};

/// A host list in a View on the device and one on the host.
template <class DeviceView, class HostView, class ExecutionSpace>
void place_list(const char* function, const ExecutionSpace& exec, const std::string& label, const DiagonalList& source,
                DeviceView& on_device, HostView& on_host) {
  const auto count = static_cast<std::int64_t>(source.size());
  on_host          = allocated_by(function, label, count * std::int64_t{sizeof(typename HostView::value_type)}, [&] {
    return HostView(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "_on_host"), source.size());
  });
  for (std::size_t d = 0; d < source.size(); ++d)
    on_host(d) = static_cast<typename HostView::non_const_value_type>(source[d]);
  on_device = allocate<DeviceView>(function, exec, label, count);
  if (count > 0) Kokkos::deep_copy(exec, on_device, on_host);
}

/// `DiagDense` from what is stored. `extent` 0: none.
template <class ExecutionSpace, class Format>
void place_dense(const char* function, const ExecutionSpace& exec, const std::string& label, std::int64_t extent,
                 const typename Format::Offset* starts, std::int64_t shift, std::int64_t length, Format& matrix) {
  using Offset = typename Format::Offset;
  if (extent == 0) return;
  matrix.DiagDense =
      allocate<std::remove_cvref_t<decltype(matrix.DiagDense)>>(function, exec, label + "::DiagDense", extent);
  Kokkos::deep_copy(exec, matrix.DiagDense, static_cast<Offset>(-1));
  for_each_index(
      exec, label + "::mark_starts", matrix.dg(),
      MarkStart<typename Format::Ordinal, Offset>{matrix.Ds.data(), starts, length, shift, matrix.DiagDense.data()});
}

/// Bytes of a storage of these elements and diagonals.
template <class Format>
std::size_t diagonal_bytes(std::int64_t elements, std::int64_t dg, std::int64_t dense, bool has_starts) {
  using Offset = typename Format::Offset;
  return static_cast<std::size_t>(elements) * sizeof(typename Format::Scalar) +
         static_cast<std::size_t>(dg) * (sizeof(typename Format::Ordinal) + (has_starts ? sizeof(Offset) : 0)) +
         static_cast<std::size_t>(dense) * sizeof(Offset);
}

/// The number of elements, checked: that they can be addressed, and their bytes against the limit. `nonzeros` < 0: not
/// known.
template <class Format>
void check_diagonal_storage(const char* function, double elements, std::int64_t nonzeros, std::int64_t dg,
                            std::int64_t dense, bool has_starts, std::size_t memory_limit) {
  using Offset      = typename Format::Offset;
  const auto share  = share_of_zeros(elements, nonzeros);
  const double most = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 32;
  if (elements > most) raise<OutOfMemory>(function, "would store ", elements, " elements", share);
  if (static_cast<std::uint64_t>(elements) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    raise<NotSupported>(function, dg, " diagonals of ", elements, " elements", share,
                        ", do not fit the offset type of ", 8 * sizeof(Offset), " bits");
  const std::size_t bytes = diagonal_bytes<Format>(static_cast<std::int64_t>(elements), dg, dense, has_starts);
  if (bytes > memory_limit)
    raise<OutOfMemory>(function, dg, " diagonals of ", elements, " elements", share, ", need ", bytes,
                       " bytes, memory_limit is ", memory_limit);
}

/// The offsets and those across the main diagonal, ascending, each once.
inline DiagonalList with_opposites(DiagonalList offsets) {
  const std::size_t count = offsets.size();
  for (std::size_t d = 0; d < count; ++d) offsets.push_back(-offsets[d]);
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

/// Where the diagonals of HM begin, in the order of the format, and at the end the number of elements. `symmetric`:
/// those below the main diagonal where those above it do, which are as many.
inline DiagonalList hm_starts(const DiagonalList& Ds, std::int64_t rows, std::int64_t columns, bool symmetric) {
  DiagonalList starts;
  std::int64_t start = 0;
  const auto below   = static_cast<std::size_t>(std::count_if(Ds.begin(), Ds.end(), [](auto d) { return d < 0; }));
  for (std::size_t d = 0; d < Ds.size(); ++d) {
    if (symmetric && Ds[d] < 0) {
      starts.push_back(starts[d - below]);
      continue;
    }
    starts.push_back(start);
    start += diagonal_length(rows, columns, Ds[d]);
  }
  starts.push_back(start);
  return starts;
}

/// HM with these diagonals (ascending, without duplicates). `list` is not initialised. `nonzeros` < 0: not known.
/// `symmetric`: of a square matrix whose diagonals come in pairs.
template <class Hm, class ExecutionSpace>
Hm new_hm(const char* function, const ExecutionSpace& exec, typename Hm::Ordinal rows, typename Hm::Ordinal columns,
          const DiagonalList& ascending, std::int64_t nonzeros, std::size_t memory_limit, bool symmetric = false) {
  using Offset            = typename Hm::Offset;
  const std::string label = std::string("Lacuna::") + function;
  const auto m            = static_cast<std::int64_t>(rows);
  const auto n            = static_cast<std::int64_t>(columns);
  const DiagonalList Ds   = hm_order(ascending);
  const auto dg           = static_cast<std::int64_t>(Ds.size());
  double elements         = 0;
  std::int64_t listed     = 0;
  for (const std::int64_t offset : Ds) {
    if (!symmetric || offset >= 0) elements += static_cast<double>(diagonal_length(m, n, offset));
    listed += diagonal_length(m, n, offset);
  }
  const std::int64_t dense = hm_dense_extent(m, n, elements);
  check_diagonal_storage<Hm>(function, elements, nonzeros, dg, dense, true, memory_limit);
  DiagonalList starts      = hm_starts(Ds, m, n, symmetric);
  const std::int64_t start = starts.back();
  starts.pop_back();
  Hm hm;
  hm.symmetric       = symmetric;
  hm.rows            = rows;
  hm.columns         = columns;
  hm.stored_nonzeros = static_cast<Offset>(nonzeros >= 0 ? nonzeros : listed);
  place_list(function, exec, label + "::Ds", Ds, hm.Ds, hm.host_Ds);
  Kokkos::View<Offset*, Kokkos::HostSpace> host_starts;
  place_list(function, exec, label + "::StartDg", starts, hm.StartDg, host_starts);
  place_dense(function, exec, label, dense, hm.StartDg.data(), m - 1, 0, hm);
  hm.list = allocate<decltype(hm.list)>(function, exec, label + "::list", start);
  return hm;
}

/// CDM with these compact diagonals (ascending, without duplicates). `list` is not initialised.
template <class Cdm, class ExecutionSpace>
Cdm new_cdm(const char* function, const ExecutionSpace& exec, typename Cdm::Ordinal n, const DiagonalList& ascending,
            std::int64_t nonzeros, std::size_t memory_limit) {
  const std::string label = std::string("Lacuna::") + function;
  const auto wide         = static_cast<std::int64_t>(n);
  const auto dg           = static_cast<std::int64_t>(ascending.size());
  check_diagonal_storage<Cdm>(function, static_cast<double>(dg) * static_cast<double>(wide), nonzeros, dg, wide, false,
                              memory_limit);
  Cdm cdm;
  cdm.rows            = n;
  cdm.columns         = n;
  cdm.stored_nonzeros = static_cast<typename Cdm::Offset>(nonzeros >= 0 ? nonzeros : dg * wide);
  place_list(function, exec, label + "::Ds", ascending, cdm.Ds, cdm.host_Ds);
  place_dense(function, exec, label, wide, nullptr, 0, wide, cdm);
  cdm.list = allocate<decltype(cdm.list)>(function, exec, label + "::list", dg * wide);
  return cdm;
}

}  // namespace lacuna::Impl

#endif
