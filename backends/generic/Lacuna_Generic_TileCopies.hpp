// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_TILECOPIES_HPP
#define LACUNA_GENERIC_TILECOPIES_HPP

namespace lacuna::Impl {

/// No engine: threads copy (Lacuna_Stages.hpp).
struct NoTileCopies {
  static constexpr bool has_engine = false;
  struct Map {};
};

/// See Lacuna_TileCopies.hpp.
template <class ExecutionSpace>
struct TileCopiesOf {
  using type = NoTileCopies;
};

}  // namespace lacuna::Impl

#endif
