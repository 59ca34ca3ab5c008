// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_STAGES_HPP
#define LACUNA_GENERIC_STAGES_HPP

#include <Kokkos_Core.hpp>

#include <cstring>
#include <type_traits>

namespace lacuna::Impl {

/// Copies that are complete when they return. See Lacuna_Stages.hpp.
struct PlainStages {
  using Address = char*;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static Address address(T* scratch) {
    return reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(scratch));
  }
  template <int Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void copy(Address to, const void* source, int valid = Bytes) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "lacuna: stages are filled by 4, 8 or 16 bytes");
    if (valid == Bytes) {
      memcpy(to, source, Bytes);
    } else {
      for (int i = 0; i < Bytes; ++i) to[i] = i < valid ? static_cast<const char*>(source)[i] : char(0);
    }
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load(Address from) {
    return *reinterpret_cast<const T*>(from);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void store(Address to, const T& value) {
    *reinterpret_cast<T*>(to) = value;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void commit() {}
  template <int Pending>
  KOKKOS_FORCEINLINE_FUNCTION static void wait() {}
};

template <class ExecutionSpace>
struct StagesOf {
  using type = PlainStages;
};

}  // namespace lacuna::Impl

#endif
