// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPLITROWBLOCKS_HPP
#define LACUNA_SPLITROWBLOCKS_HPP

#include <Lacuna_BrickMatrix.hpp>
#include <formats/impl/row_block/Lacuna_Convert_RowBlock.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief Blocks with enough nonzeros, and the rest in CSR. Rows can be taken in an order of the caller's, so that rows
/// that share columns fall into one block.

namespace lacuna::Impl {

/// Rows as they are, or as a list has them.
template <class Ordinal>
struct OrderedRows {
  const Ordinal* list;  ///< null: as they are
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t position) const {
    return list == nullptr ? position : static_cast<std::int64_t>(list[position]);
  }
};

template <class Offset, class Ordinal>
struct ListedRowLength {
  const Offset* row_map;
  OrderedRows<Ordinal> row_of;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t position) const {
    const std::int64_t row = row_of(position);
    return static_cast<std::int64_t>(row_map[row + 1]) - static_cast<std::int64_t>(row_map[row]);
  }
};

/// Copies the rows of a list, one after the other; `source`: where a nonzero was.
template <class Scalar, class Ordinal, class Offset>
struct CopyListedRows {
  CrsArrays<Scalar, Ordinal, Offset> from;
  OrderedRows<Ordinal> row_of;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  std::int64_t* source;
  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    const std::int64_t row = row_of(position);
    auto to                = static_cast<std::int64_t>(row_map[position]);
    for (auto k = static_cast<std::int64_t>(from.row_map[row]); k < static_cast<std::int64_t>(from.row_map[row + 1]);
         ++k, ++to) {
      entries[to] = from.entries[k];
      values[to]  = from.values[k];
      source[to]  = k;
    }
  }
};

/// Which part a nonzero goes to: the block that it stands in has `least` nonzeros or not. `row_map` is that of blocks
/// without padding.
template <class Offset>
struct IsInDenseBlock {
  const Offset* slots;
  const Offset* row_map;
  std::int64_t positions;
  std::int64_t block_rows;
  std::int64_t least;
  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    const std::int64_t first = (upper_bound(row_map, 0, positions + 1, slots[k]) - 1) / block_rows * block_rows;
    return static_cast<std::int64_t>(row_map[first + block_rows]) - static_cast<std::int64_t>(row_map[first]) >= least;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CountParts {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  IsInDenseBlock<Offset> is_dense;
  OrderedRows<Ordinal> row_of;
  std::int64_t* dense;  ///< of a position
  std::int64_t* rest;   ///< of a row of A
  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    std::int64_t count = 0;
    const auto begin   = static_cast<std::int64_t>(crs.row_map[position]),
               end     = static_cast<std::int64_t>(crs.row_map[position + 1]);
    for (std::int64_t k = begin; k < end; ++k) count += is_dense(k) ? 1 : 0;
    dense[position]        = count;
    rest[row_of(position)] = end - begin - count;
  }
};

/// Copies nonzeros to the parts. `source` becomes that of the dense part; the positions of the others are written to
/// `slots`.
template <class Scalar, class Ordinal, class Offset>
struct FillParts {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  IsInDenseBlock<Offset> is_dense;
  OrderedRows<Ordinal> row_of;
  const std::int64_t* source;  ///< of crs in A; null: the same
  const Offset* dense_map;
  Ordinal* dense_entries;
  Scalar* dense_values;
  std::int64_t* dense_source;
  const Offset* rest_map;
  Ordinal* rest_entries;
  Scalar* rest_values;
  std::int64_t* slots;
  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    auto dense = static_cast<std::int64_t>(dense_map[position]);
    auto rest  = static_cast<std::int64_t>(rest_map[row_of(position)]);
    for (auto k = static_cast<std::int64_t>(crs.row_map[position]);
         k < static_cast<std::int64_t>(crs.row_map[position + 1]); ++k) {
      const std::int64_t in_a = source == nullptr ? k : source[k];
      if (is_dense(k)) {
        dense_entries[dense] = crs.entries[k];
        dense_values[dense]  = crs.values[k];
        dense_source[dense]  = in_a;
        ++dense;
      } else {
        rest_entries[rest] = crs.entries[k];
        rest_values[rest]  = crs.values[k];
        slots[in_a]        = -1 - rest;
        ++rest;
      }
    }
  }
};

/// Slots of the dense part's nonzeros as those of A's.
template <class Offset>
struct SlotsOfSource {
  const Offset* slots_of_part;
  const std::int64_t* source;  ///< null: the same
  std::int64_t* slots;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    slots[source == nullptr ? k : source[k]] = static_cast<std::int64_t>(slots_of_part[k]);
  }
};

template <class Scalar>
struct ScatterToParts {
  const Scalar* source;
  const std::int64_t* slots;
  Scalar* blocks;
  Scalar* rest;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t slot = slots[k];
    if (slot >= 0)
      blocks[slot] = source[k];
    else
      rest[-1 - slot] = source[k];
  }
};

struct NoNonzeros {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t) const { return 0; }
};

/// A split while it is made.
template <CrsMatrixType Matrix, class ExecutionSpace>
class RowBlockSplitter {
  using Crs     = CrsOf<Matrix>;
  using Scalar  = typename Matrix::non_const_value_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Offset  = typename Matrix::non_const_size_type;
  using Device  = typename Matrix::device_type;
  using Numbers = Kokkos::View<std::int64_t*, Device>;

 public:
  RowBlockSplitter(const char* function, const ExecutionSpace& exec, const RowListOf<Matrix>& list,
                   const RowBlockOptions& options)
      : m_function(function),
        m_exec(exec),
        m_list(list),
        m_row_of{list.extent(0) > 0 ? list.data() : nullptr},
        m_options(options) {}

  RowBlockSplitOf<Matrix> run(const Matrix& A, std::int64_t least) {
    const auto nonzeros = static_cast<std::int64_t>(arrays_of(A).nonzeros);
    check_memory(m_function, static_cast<std::size_t>(nonzeros) * sizeof(std::int64_t), m_options.memory_limit);
    m_split.slots = numbers("slots", nonzeros);
    if (m_list.extent(0) > 0)
      take_part(in_order(A), least);
    else
      take_part(A, least);
    if (least == 0) m_split.rest = no_rest(A);
    m_exec.fence("Lacuna: the parts that a split was made of end here");
    return m_split;
  }

 private:
  std::string label(const char* step) const { return std::string("Lacuna::") + m_function + "::" + step; }
  Numbers numbers(const char* step, std::int64_t count) const {
    return allocate<Numbers>(m_function, m_exec, label(step), count);
  }
  const std::int64_t* source() const { return m_source.is_allocated() ? m_source.data() : nullptr; }
  RowBlockOptions left() const {
    RowBlockOptions options = m_options;
    const std::size_t used  = m_split.bytes();
    if (options.memory_limit != unlimited) options.memory_limit -= std::min(options.memory_limit, used);
    return options;
  }
  void check(std::int64_t copies_of_nonzeros) const {
    check_memory(m_function,
                 m_split.bytes() + static_cast<std::size_t>(copies_of_nonzeros) *
                                       (sizeof(Scalar) + sizeof(Ordinal) + sizeof(std::int64_t)),
                 m_options.memory_limit);
  }

  /// `part`: all nonzeros of A, in the order of the list.
  template <class Part>
  void take_part(const Part& part, std::int64_t least) {
    if (least > 0)
      keep(dense_part(part, least));
    else
      keep(part);
  }
  template <class Part>
  void keep(const Part& part) {
    m_split.blocks = row_block_from_crs(m_exec, part, left());
    for_each_index(m_exec, label("slots"), static_cast<std::int64_t>(arrays_of(part).nonzeros),
                   SlotsOfSource<Offset>{m_split.blocks.slots.data(), source(), m_split.slots.data()});
    m_exec.fence("Lacuna: the slots of blocks end here");
    m_split.blocks.slots = {};  // those of A stand for them
  }

  Crs in_order(const Matrix& A) {
    const auto from = arrays_of(A);
    check(static_cast<std::int64_t>(from.nonzeros));
    const auto made = new_crs<Crs>(m_function, m_exec, from.rows, from.columns,
                                   ListedRowLength<Offset, Ordinal>{from.row_map, m_row_of});
    m_source        = numbers("source", static_cast<std::int64_t>(from.nonzeros));
    for_each_index(m_exec, label("in_order"), static_cast<std::int64_t>(from.rows),
                   CopyListedRows<Scalar, Ordinal, Offset>{from, m_row_of, made.row_map.data(), made.entries.data(),
                                                           made.values.data(), m_source.data()});
    return made.matrix(label("in_order"));
  }

  /// The nonzeros in blocks that have `least` of them; the others become the rest.
  template <class Part>
  Crs dense_part(const Part& part, std::int64_t least) {
    const auto crs  = arrays_of(part);
    const auto rows = static_cast<std::int64_t>(crs.rows);
    check(2 * static_cast<std::int64_t>(crs.nonzeros));
    RowBlockOptions exact = left();
    exact.multiple        = 1;
    const auto whole      = row_block_from_crs(m_exec, part, exact);
    const IsInDenseBlock<Offset> is_dense{whole.slots.data(), whole.row_map.data(), whole.blocks() * whole.block_rows,
                                          whole.block_rows, least};
    const Numbers of_dense = numbers("in_blocks", rows), of_rest = numbers("in_rest", rows);
    for_each_index(m_exec, label("count_parts"), rows,
                   CountParts<Scalar, Ordinal, Offset>{crs, is_dense, m_row_of, of_dense.data(), of_rest.data()});
    const auto dense = new_crs<Crs>(m_function, m_exec, crs.rows, crs.columns, CountAt{of_dense.data(), 1});
    const auto rest  = new_crs<Crs>(m_function, m_exec, crs.rows, crs.columns, CountAt{of_rest.data(), 1});
    const auto from  = m_source;
    m_source         = numbers("source_of_blocks", static_cast<std::int64_t>(dense.values.extent(0)));
    for_each_index(m_exec, label("fill_parts"), rows,
                   FillParts<Scalar, Ordinal, Offset>{
                       crs, is_dense, m_row_of, from.is_allocated() ? from.data() : nullptr, dense.row_map.data(),
                       dense.entries.data(), dense.values.data(), m_source.data(), rest.row_map.data(),
                       rest.entries.data(), rest.values.data(), m_split.slots.data()});
    m_exec.fence("Lacuna: the blocks that a split was made of end here");
    m_split.rest = rest.matrix(label("rest"));
    return dense.matrix(label("dense_part"));
  }

  Crs no_rest(const Matrix& A) const {
    const auto from = arrays_of(A);
    return new_crs<Crs>(m_function, m_exec, from.rows, from.columns, NoNonzeros()).matrix(label("rest"));
  }

  const char* m_function;
  ExecutionSpace m_exec;
  RowListOf<Matrix> m_list;
  OrderedRows<Ordinal> m_row_of;
  RowBlockOptions m_options;
  RowBlockSplitOf<Matrix> m_split;
  Numbers m_source;  ///< of the nonzeros of the part in hand; not allocated: they are A's
};

/// `list`: every row once, or empty for their own order; row `position` of the blocks is row list(position) of A.
template <class ExecutionSpace, CrsMatrixType Matrix>
RowBlockSplitOf<Matrix> split_row_blocks(const char* function, const ExecutionSpace& exec, const Matrix& A,
                                         const RowListOf<Matrix>& list, std::int64_t least,
                                         const RowBlockOptions& options) {
  if (least < 0) raise<InvalidArgument>(function, "least_nonzeros is ", least);
  check_options(options);
  return RowBlockSplitter<Matrix, ExecutionSpace>(function, exec, list, options).run(A, least);
}

/// \throws DimensionMismatch
template <class ExecutionSpace, CrsMatrixType Matrix, CrsMatrixType Crs>
void refresh_row_blocks(const char* function, const ExecutionSpace& exec, const Matrix& A,
                        const RowBlockSplit<Crs>& split) {
  const auto crs = arrays_of(A);
  if (crs.rows != split.blocks.rows || crs.columns != split.blocks.columns ||
      static_cast<std::size_t>(crs.nonzeros) != split.slots.extent(0))
    raise<DimensionMismatch>(function, "A is ", shape_text(crs.rows, crs.columns), " with ", crs.nonzeros,
                             " nonzeros, the split is of ", shape_text(split.blocks.rows, split.blocks.columns),
                             " with ", split.slots.extent(0));
  using Scalar = typename Matrix::non_const_value_type;
  for_each_index(
      exec, "Lacuna::update_values::row_block_split", static_cast<std::int64_t>(crs.nonzeros),
      ScatterToParts<Scalar>{crs.values, split.slots.data(), split.blocks.values.data(), split.rest.values.data()});
}

}  // namespace lacuna::Impl

#endif
