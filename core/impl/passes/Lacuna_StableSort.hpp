// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_STABLESORT_HPP
#define LACUNA_STABLESORT_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// \file
/// \brief A stable radix sort of (key, item) pairs: the one way in which the library orders nonzeros, since what is
/// stable is the same on every run and every backend. (Satish, Harris, Garland, IPDPS 2009.)

namespace lacuna::Impl {

template <class ExecutionSpace>
struct RadixShape {
  static constexpr bool is_gpu          = ExecutionTraits<ExecutionSpace>::is_gpu;
  static constexpr int digit_bits       = is_gpu ? 4 : 8;
  static constexpr int digits           = 1 << digit_bits;
  static constexpr int items_per_thread = is_gpu ? 8 : 8192;
  static constexpr int threads          = is_gpu ? 256 : 1;
  static constexpr std::int64_t tile    = std::int64_t{items_per_thread} * threads;
  static constexpr std::size_t scratch  = sizeof(int) * digits * (threads + 1) + 64;
};

/// One digit, tile by tile. Every thread owns consecutive items, so that counts taken digit by digit, then thread by
/// thread, keep equal keys in order. With `positions` = nullptr it counts the digits of the tile, else it moves the
/// items; `items_in` = nullptr stands for 0, 1, 2, ….
template <class Shape, class Key, class Item>
struct RadixPass {
  std::int64_t count;
  std::int64_t tiles;
  int shift;
  const Key* keys_in;
  const Item* items_in;
  Key* keys_out;
  Item* items_out;
  std::int64_t* tile_counts;
  const std::int64_t* positions;

  KOKKOS_FUNCTION int digit_of(std::int64_t i) const {
    return static_cast<int>(static_cast<std::uint64_t>(keys_in[i]) >> shift & (Shape::digits - 1));
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int stride    = Shape::threads + 1;
    int* counts             = team.template scratch<int>(std::size_t{Shape::digits} * stride);
    const std::int64_t tile = team.league_rank();
    const int thread        = team.thread();
    std::int64_t first      = tile * Shape::tile + std::int64_t{thread} * Shape::items_per_thread;
    std::int64_t last       = first + Shape::items_per_thread;
    if (first > count) first = count;
    if (last > count) last = count;
    for (int digit = 0; digit < Shape::digits; ++digit) counts[digit * stride + thread] = 0;
    for (std::int64_t i = first; i < last; ++i) ++counts[digit_of(i) * stride + thread];
    team.barrier();
    for (int digit = thread; digit < Shape::digits; digit += team.threads()) {
      int sum = 0;
      for (int other = 0; other < team.threads(); ++other) {
        const int own                  = counts[digit * stride + other];
        counts[digit * stride + other] = sum;
        sum += own;
      }
      if (positions == nullptr) tile_counts[digit * tiles + tile] = sum;
    }
    if (positions == nullptr) return;
    team.barrier();
    for (std::int64_t i = first; i < last; ++i) {
      const int digit             = digit_of(i);
      const std::int64_t position = positions[digit * tiles + tile] + counts[digit * stride + thread]++;
      keys_out[position]          = keys_in[i];
      items_out[position]         = items_in != nullptr ? items_in[i] : static_cast<Item>(i);
    }
  }
};

struct TileCount {
  const std::int64_t* tile_counts;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return tile_counts[i]; }
};

template <class Item>
struct WriteIdentity {
  Item* items;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { items[i] = static_cast<Item>(i); }
};

inline int sorted_bits(std::int64_t key_limit) {
  return key_limit > 1 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(key_limit - 1))) : 0;
}

/// Bytes that `stable_sort` allocates beside `count` keys and items.
template <class ExecutionSpace, class Key, class Item>
std::size_t stable_sort_bytes(std::int64_t count, std::int64_t key_limit) {
  using Shape = RadixShape<ExecutionSpace>;
  if (sorted_bits(key_limit) == 0 || count == 0) return 0;
  const std::int64_t tiles = ceiling_quotient(count, Shape::tile);
  return static_cast<std::size_t>(count) * (sizeof(Key) + sizeof(Item)) +
         static_cast<std::size_t>(2 * tiles * Shape::digits + 1) * sizeof(std::int64_t);
}

/// Sorts `keys`, all in [0, key_limit), and `items` with them. With `number`, items are set to 0, 1, 2, … first.
/// Views are exchanged with those of the sort. Waits for `exec` once a digit.
template <class Keys, class Items, class ExecutionSpace>
void stable_sort(const char* function, const ExecutionSpace& exec, Keys& keys, Items& items, std::int64_t key_limit,
                 bool number) {
  using Shape             = RadixShape<ExecutionSpace>;
  using Key               = typename Keys::non_const_value_type;
  using Item              = typename Items::non_const_value_type;
  using Counts            = Kokkos::View<std::int64_t*, typename Keys::device_type>;
  const std::string label = std::string("Lacuna::") + function;
  const auto count        = static_cast<std::int64_t>(keys.extent(0));
  const int bits          = sorted_bits(key_limit);
  if (bits == 0 || count == 0) {
    if (number) for_each_index(exec, label + "::number", count, WriteIdentity<Item>{items.data()});
    return;
  }
  const std::int64_t tiles = (count + Shape::tile - 1) / Shape::tile;
  auto other_keys          = allocate<Keys>(function, exec, label + "::sorted_keys", count);
  auto other_items         = allocate<Items>(function, exec, label + "::sorted_items", count);
  const auto tile_counts   = allocate<Counts>(function, exec, label + "::tile_counts", tiles * Shape::digits);
  const auto positions     = allocate<Counts>(function, exec, label + "::positions", tiles * Shape::digits + 1);
  for (int shift = 0; shift < bits; shift += Shape::digit_bits) {
    const Item* from = number && shift == 0 ? nullptr : items.data();
    RadixPass<Shape, Key, Item> pass{
        count, tiles, shift, keys.data(), from, other_keys.data(), other_items.data(), tile_counts.data(), nullptr};
    launch_teams<256>(exec, label + "::count_digits", {tiles, Shape::threads}, Shape::scratch, pass);
    scan_lengths(exec, label + "::positions", tiles * Shape::digits, positions.data(), TileCount{tile_counts.data()});
    pass.positions = positions.data();
    launch_teams<256>(exec, label + "::move", {tiles, Shape::threads}, Shape::scratch, pass);
    std::swap(keys, other_keys);
    std::swap(items, other_items);
  }
}

}  // namespace lacuna::Impl

#endif
