// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SORTEDDIAGONALS_HPP
#define LACUNA_SORTEDDIAGONALS_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_StableSort.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief The diagonals of a matrix that has far fewer nonzeros than rows and columns, by a sort of its nonzeros.

namespace lacuna::Impl {

/// Numbers the diagonal of every nonzero; diagonal 0 is that of the lower left corner.
template <class Ordinal, class Offset>
struct NumberDiagonal {
  std::int64_t rows;
  const Ordinal* entries;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    numbers[k] = static_cast<std::int64_t>(entries[k]) - static_cast<std::int64_t>(row) + rows - 1;
  }
};

/// 1 where a sorted number is not the one before.
struct IsNewNumber {
  const std::int64_t* numbers;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return i == 0 || numbers[i] != numbers[i - 1] ? 1 : 0;
  }
};

template <class Ordinal>
struct WriteNewDiagonal {
  std::int64_t rows;
  IsNewNumber is_new;
  const std::int64_t* position;
  Ordinal* offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (is_new(i) != 0) offsets[position[i]] = static_cast<Ordinal>(is_new.numbers[i] - rows + 1);
  }
};

/// As `occupied_diagonals`, in time and memory of the nonzeros. `diagonals`: all there could be.
template <class Offsets, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
Offsets sorted_diagonals(const char* function, const ExecutionSpace& exec,
                         const CrsArrays<Scalar, Ordinal, Offset>& crs, std::int64_t diagonals,
                         std::size_t memory_limit, std::int64_t most) {
  using Device            = typename Offsets::device_type;
  using Numbers           = Kokkos::View<std::int64_t*, Device>;
  using Unused            = unsigned char;  // what the sort moves along
  const std::string label = std::string("Lacuna::") + function;
  const auto rows         = static_cast<std::int64_t>(crs.rows);
  const auto nonzeros     = static_cast<std::int64_t>(crs.nonzeros);
  check_memory(function,
               static_cast<std::size_t>(nonzeros) * (sizeof(std::int64_t) + sizeof(Unused)) +
                   static_cast<std::size_t>(nonzeros + 1) * sizeof(std::int64_t) +
                   stable_sort_bytes<ExecutionSpace, std::int64_t, Unused>(nonzeros, diagonals),
               memory_limit);
  auto numbers = allocate<Numbers>(function, exec, label + "::diagonals", nonzeros);
  auto unused  = allocate<Kokkos::View<Unused*, Device>>(function, exec, label + "::unused", nonzeros);
  for_each_nonzero(exec, label + "::number_diagonals", crs.rows, crs.nonzeros, crs.row_map,
                   NumberDiagonal<Ordinal, Offset>{rows, crs.entries, numbers.data()});
  stable_sort(function, exec, numbers, unused, diagonals, true);
  const IsNewNumber is_new{numbers.data()};
  const auto position      = allocate<Numbers>(function, exec, label + "::position", nonzeros + 1);
  const std::int64_t count = scan_lengths(exec, label + "::position", nonzeros, position.data(), is_new);
  if (count > most) return Offsets();
  const auto offsets = allocate<Offsets>(function, exec, label + "::offsets", count);
  for_each_index(exec, label + "::offsets", nonzeros,
                 WriteNewDiagonal<Ordinal>{rows, is_new, position.data(), offsets.data()});
  return offsets;
}

}  // namespace lacuna::Impl

#endif
