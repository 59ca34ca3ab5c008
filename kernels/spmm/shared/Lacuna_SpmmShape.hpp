// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMSHAPE_HPP
#define LACUNA_SPMMSHAPE_HPP

#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// How an algorithm cuts its work, where a search tries what its policy would not take. 0: as the policy says.
struct SpmmShape {
  std::int64_t rows    = 0;  ///< of a panel (bricks, hrpb), a group (gcoo) or a tile (tiled)
  std::int64_t columns = 0;  ///< of a tile
  int threads          = 0;  ///< of a team
  int load             = 0;  ///< bytes of a row of B that a lane reads at once, in tiles
  int packs            = 0;  ///< loads of `load` bytes that a lane has, in tiles

  bool operator==(const SpmmShape&) const = default;
  bool is_of_the_policy() const { return *this == SpmmShape{}; }

  /// " rows=8 threads=128"; empty for the policy's own.
  std::string text() const {
    std::string result;
    const auto add = [&](const char* name, std::int64_t value) {
      if (value != 0) result += std::string(" ") + name + "=" + std::to_string(value);
    };
    add("rows", rows);
    add("columns", columns);
    add("threads", threads);
    add("load", load);
    add("packs", packs);
    return result;
  }
};

}  // namespace lacuna::Impl

#endif
