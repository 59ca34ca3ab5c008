// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTVECTOR_HPP
#define LACUNA_HOSTVECTOR_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// \file
/// \brief The sums of a few neighbouring columns on a host: in vector registers, where the compiler has a type for
/// them. Host code only: device compilers have no such types.

namespace lacuna::Impl {

/// Holds `width` numbers: an array, or a vector type of the compiler. GCC 12 vectorizes only some loops over arrays.
template <class Number, int width>
struct HostVectorStorage {
  using type = Number[width];
};
#ifdef __GNUC__  // also Clang, and the host compiler behind nvcc
template <class Number, int width>
requires(std::is_floating_point_v<Number> &&
         (width == 2 || width == 4 || width == 8 || width == 16)) struct HostVectorStorage<Number, width> {
  typedef Number type __attribute__((vector_size(width * sizeof(Number))));
};
#endif

/// Integers of the size of a vector's numbers: masking with them is one instruction.
template <class Number, int width>
struct HostVectorBits {
  using Integer = std::conditional_t<sizeof(Number) == 8, std::int64_t, std::int32_t>;
#ifdef __GNUC__
  typedef Integer type __attribute__((vector_size(width * sizeof(Number))));
#endif
};

template <class Number, int width>
struct HostVector {
  using Storage = typename HostVectorStorage<Number, width>::type;

  Storage value;

  /// Contiguous numbers.
  static HostVector load(const Number* numbers) {
    HostVector vector;
    if constexpr (std::is_array_v<Storage>)
      std::copy_n(numbers, width, vector.value);
    else
      std::memcpy(&vector.value, numbers, sizeof(vector.value));
    return vector;
  }

  /// Number j is element(j). Without a loop: compilers unroll some at -O3 alone, and numbers of a loop go by memory.
  template <class Element>
  static HostVector of(const Element& element) {
    return of(element, std::make_integer_sequence<int, width>());
  }

  /// Sets the numbers whose bit of `set` is 0 to 0, whatever they were.
  void keep(unsigned set) {
    if constexpr (std::is_array_v<Storage>) {
      for (int j = 0; j < width; ++j)
        if ((set >> j & 1) == 0) value[j] = Number(0);
    } else {
      using Bits = HostVectorBits<Number, width>;
      typename Bits::type bit, all;
      for (int j = 0; j < width; ++j) bit[j] = typename Bits::Integer{1} << j;
      all                        = bit & static_cast<typename Bits::Integer>(set);
      const auto wanted          = all == bit;
      typename Bits::type number = reinterpret_cast<typename Bits::type>(value);
      value                      = reinterpret_cast<Storage>(number & wanted);
    }
  }

  void add_product(const HostVector& a, const HostVector& b) {
    if constexpr (std::is_array_v<Storage>) {
      for (int j = 0; j < width; ++j) value[j] += a.value[j] * b.value[j];
    } else {
      value += a.value * b.value;
    }
  }

  /// Adds factor * b[j * step] to number j. `contiguous`: the step is 1.
  template <bool contiguous, class Scalar>
  void add_product(const Number& factor, const Scalar* b, std::int64_t step) {
    if constexpr (std::is_array_v<Storage>) {
      for (int j = 0; j < width; ++j) value[j] += factor * static_cast<Number>(b[contiguous ? j : j * step]);
    } else {
      if constexpr (contiguous && std::is_same_v<Scalar, Number>)
        value += factor * load(b).value;
      else
        value += factor * of([&](int j) { return b[contiguous ? j : j * step]; }).value;
    }
  }

  /// Adds factor(j) * element(j) to number j.
  template <class Factor, class Element>
  void add_products(const Factor& factor, const Element& element) {
    add_product(of(factor), of(element));
  }

  /// From the first number to the last.
  Number total() const { return total(std::make_integer_sequence<int, width>()); }

  void multiply(const Number& factor) {
    if constexpr (std::is_array_v<Storage>) {
      for (int j = 0; j < width; ++j) value[j] = factor * value[j];
    } else {
      value = factor * value;
    }
  }

  /// Stores all numbers contiguously.
  template <class Output>
  void store(Output* c) const {
    if constexpr (std::is_same_v<Output, Number>) {
      std::memcpy(c, &value, sizeof(value));
    } else {
      for (int j = 0; j < width; ++j) c[j] = static_cast<Output>(value[j]);
    }
  }

 private:
  template <class Element, int... j>
  static HostVector of(const Element& element, std::integer_sequence<int, j...>) {
    if constexpr (std::is_array_v<Storage>)
      return {{static_cast<Number>(element(j))...}};
    else
      return {Storage{static_cast<Number>(element(j))...}};
  }
  template <int... j>
  Number total(std::integer_sequence<int, j...>) const {
    return (... + value[j]);
  }
};

/// Numbers in a vector of about `bytes` bytes.
template <class Number>
constexpr int host_vector_width(int bytes) {
  return std::max(1, bytes / static_cast<int>(sizeof(Number)));
}

}  // namespace lacuna::Impl

#endif
