// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Coalescing.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace lacuna::bench {

namespace {

constexpr std::int64_t half_warp = 16, idle = -1;

/// One instruction: the word that each thread reads.
using Words = std::array<std::int64_t, half_warp>;

class Counter {
 public:
  void read(const Words& words) {
    std::int64_t active = 0, base = idle;
    bool in_order = true;
    for (std::int64_t t = 0; t < half_warp; ++t) {
      const std::int64_t word = words[static_cast<std::size_t>(t)];
      if (word == idle) continue;
      if (active++ == 0) base = word - t;
      in_order = in_order && word - t == base;
    }
    if (active == 0) return;
    if (in_order && base % half_warp == 0)
      m_found.coalesced += 1;
    else
      m_found.uncoalesced += static_cast<double>(active);
  }
  /// Nonzeros as columns, as values, and of x.
  void read_nonzeros(const Words& places, std::span<const std::int64_t> entries) {
    read(places);
    read(places);
    Words columns;
    for (std::size_t t = 0; t < columns.size(); ++t)
      columns[t] = places[t] == idle ? idle : entries[static_cast<std::size_t>(places[t])];
    read(columns);
  }
  const Coalescing& found() const { return m_found; }

 private:
  Coalescing m_found;
};

Words consecutive(std::int64_t first, std::int64_t end) {
  Words words;
  for (std::int64_t t = 0; t < half_warp; ++t) words[static_cast<std::size_t>(t)] = first + t < end ? first + t : idle;
  return words;
}

Words all_read(std::int64_t word) {
  Words words;
  words.fill(word);
  return words;
}

/// A thread a row.
void count_naive(Counter& counter, std::span<const std::int64_t> row_map, std::span<const std::int64_t> entries) {
  const auto rows = static_cast<std::int64_t>(row_map.size()) - 1;
  for (std::int64_t first = 0; first < rows; first += half_warp) {
    const std::int64_t end = std::min(first + half_warp, rows);
    counter.read(consecutive(first, end));
    Words ends = consecutive(first, end);
    for (std::int64_t& word : ends) word += word == idle ? 0 : 1;
    counter.read(ends);
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < end; ++row)
      longest = std::max(longest, row_map[static_cast<std::size_t>(row) + 1] - row_map[static_cast<std::size_t>(row)]);
    for (std::int64_t step = 0; step < longest; ++step) {
      Words places = all_read(idle);
      for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t place = row_map[static_cast<std::size_t>(row)] + step;
        if (place < row_map[static_cast<std::size_t>(row) + 1]) places[static_cast<std::size_t>(row - first)] = place;
      }
      counter.read_nonzeros(places, entries);
    }
  }
}

/// 16 threads a row; `by_segments`: up to the next segment first.
void count_mapped(Counter& counter, std::span<const std::int64_t> row_map, std::span<const std::int64_t> entries,
                  bool by_segments) {
  for (std::size_t row = 0; row + 1 < row_map.size(); ++row) {
    counter.read(all_read(static_cast<std::int64_t>(row)));
    counter.read(all_read(static_cast<std::int64_t>(row) + 1));
    std::int64_t place     = row_map[row];
    const std::int64_t end = row_map[row + 1];
    if (by_segments && place % half_warp != 0) {
      const std::int64_t head = std::min((place / half_warp + 1) * half_warp, end);
      if (place < head) counter.read_nonzeros(consecutive(place, head), entries);
      place = head;
    }
    for (; place < end; place += half_warp) counter.read_nonzeros(consecutive(place, end), entries);
  }
}

}  // namespace

Coalescing coalescing_of(SpmvAlgorithm algorithm, std::span<const std::int64_t> row_map,
                         std::span<const std::int64_t> entries) {
  Counter counter;
  switch (algorithm) {
    case SpmvAlgorithm::naive: count_naive(counter, row_map, entries); break;
    case SpmvAlgorithm::thread_mapped: count_mapped(counter, row_map, entries, false); break;
    case SpmvAlgorithm::aligned: count_mapped(counter, row_map, entries, true); break;
    default: throw std::invalid_argument("coalescing_of: naive, thread_mapped or aligned");
  }
  return counter.found();
}

}  // namespace lacuna::bench
