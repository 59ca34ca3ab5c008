// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTVECTOR_HPP
#define LACUNA_HOSTVECTOR_HPP

#include <backends/generic/Lacuna_Generic_Vectors.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// \file
/// \brief The sums of a few neighbouring columns on a host: in vector registers, where the compiler has a type for
/// them. Host code only: device compilers have no such types.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// Numbers of a part of a vector of `width` numbers: as many as a register holds, 1 where the compiler has no type for
/// them. GCC 12 vectorizes only some loops over arrays; vectors wider than a register it takes through memory.
template <class Number>
constexpr int host_vector_part([[maybe_unused]] int width, [[maybe_unused]] int register_bytes) {
#ifdef __GNUC__  // also Clang, and the host compiler behind nvcc
  if (std::is_floating_point_v<Number>)
    for (int part = register_bytes / static_cast<int>(sizeof(Number)); part > 1; part /= 2)
      if (width % part == 0) return part;
#endif
  return 1;
}

/// A number, or a vector type of the compiler.
template <class Number, int part>
struct HostVectorPart {
#ifdef __GNUC__
  typedef Number type __attribute__((vector_size(part * sizeof(Number))));
#endif
};
template <class Number>
struct HostVectorPart<Number, 1> {
  using type = Number;
};

/// A part as integers, to mask it: one instruction compares them. SSE2 compares no integers of 64 bits.
template <class Number, int part>
struct HostVectorBits {
  using Integer                 = std::conditional_t<(sizeof(Number) == 8 && part > 2), std::int64_t, std::int32_t>;
  static constexpr int integers = static_cast<int>(sizeof(Number) / sizeof(Integer));  ///< of a number
#ifdef __GNUC__
  typedef Integer type __attribute__((vector_size(part * sizeof(Number))));
#endif
};

/// `width` times all bits, then as many zeros.
template <class Integer, int width>
struct HostMaskWindow {
  Integer value[2 * width];
  constexpr HostMaskWindow() : value() {
    for (int j = 0; j < width; ++j) value[j] = Integer(-1);
  }
};
template <class Integer, int width>
inline constexpr HostMaskWindow<Integer, width> host_mask_window{};

/// `width` numbers. Nothing here is a loop over them: compilers unroll some at -O3 alone, and numbers of a loop go by
/// memory.
template <class Number, int width, int register_bytes = host_register_bytes>
struct HostVector {
  static constexpr int part  = host_vector_part<Number>(width, register_bytes);
  static constexpr int parts = width / part;
  using Part                 = typename HostVectorPart<Number, part>::type;

  Part value[parts];

  /// Contiguous numbers.
  LACUNA_HOST_INLINE static HostVector load(const Number* numbers) { return load(numbers, each_of<parts>()); }

  /// Number j is element(j).
  template <class Element>
  LACUNA_HOST_INLINE static HostVector of(const Element& element) {
    return of(element, each_of<parts>());
  }

  /// This, with 0 for the numbers whose bit of `set` is 0, whatever they were.
  LACUNA_HOST_INLINE HostVector kept(unsigned set) const { return kept(set, each_of<parts>()); }

  LACUNA_HOST_INLINE void add(const HostVector& other) { add(other, each_of<parts>()); }
  /// Adds a * b to the first `count` numbers, whatever the other products are.
  LACUNA_HOST_INLINE void add_first_products(const HostVector& a, const HostVector& b, int count) {
    add_first_products(a, b, count, each_of<parts>());
  }
  LACUNA_HOST_INLINE void add_product(const HostVector& a, const HostVector& b) { add_product(a, b, each_of<parts>()); }

  /// Adds factor * b[j * step] to number j. `contiguous`: the step is 1.
  template <bool contiguous, class Scalar>
  LACUNA_HOST_INLINE void add_product(const Number& factor, const Scalar* b, std::int64_t step) {
    if constexpr (contiguous && std::is_same_v<Scalar, Number>)
      add_contiguous(factor, b, each_of<parts>());
    else
      add_elements(
          factor, [&](int j) { return b[contiguous ? j : j * step]; }, each_of<parts>());
  }

  /// Adds factor(j) * element(j) to number j.
  template <class Factor, class Element>
  LACUNA_HOST_INLINE void add_products(const Factor& factor, const Element& element) {
    add_product(of(factor), of(element));
  }

  /// From the first number to the last.
  LACUNA_HOST_INLINE Number total() const { return total(each_of<width>()); }

  LACUNA_HOST_INLINE void multiply(const Number& factor) { multiply(factor, each_of<parts>()); }

  /// Stores all numbers contiguously.
  template <class Output>
  LACUNA_HOST_INLINE void store(Output* c) const {
    if constexpr (std::is_same_v<Output, Number> && part > 1)
      std::memcpy(c, value, sizeof(value));
    else
      store(c, each_of<width>());
  }

 private:
  template <int count>
  using each_of = std::make_integer_sequence<int, count>;

  // What makes or takes vectors has no lambda around it: GCC 16 calls some of them, and vectors go through memory.
  template <int... p>
  LACUNA_HOST_INLINE static HostVector load(const Number* numbers, std::integer_sequence<int, p...>) {
    return {{loaded(numbers + p * part)...}};
  }
  template <class Element, int... p>
  LACUNA_HOST_INLINE static HostVector of(const Element& element, std::integer_sequence<int, p...>) {
    return {{part_of(p * part, element, each_of<part>())...}};
  }
  template <int... p>
  LACUNA_HOST_INLINE HostVector kept(unsigned set, std::integer_sequence<int, p...>) const {
    return {{kept_part(value[p], set >> (p * part))...}};
  }
  template <int... p>
  LACUNA_HOST_INLINE void add(const HostVector& other, std::integer_sequence<int, p...>) {
    ((value[p] += other.value[p]), ...);
  }
  template <int... p>
  LACUNA_HOST_INLINE void multiply(const Number& factor, std::integer_sequence<int, p...>) {
    ((value[p] = factor * value[p]), ...);
  }
  template <int... p>
  LACUNA_HOST_INLINE void add_first_products(const HostVector& a, const HostVector& b, int count,
                                             std::integer_sequence<int, p...>) {
    ((value[p] += first_of(a.value[p] * b.value[p], p * part, count)), ...);
  }
  template <int... p>
  LACUNA_HOST_INLINE void add_contiguous(const Number& factor, const Number* b, std::integer_sequence<int, p...>) {
    ((value[p] += factor * loaded(b + p * part)), ...);
  }
  template <class Element, int... p>
  LACUNA_HOST_INLINE void add_elements(const Number& factor, const Element& element, std::integer_sequence<int, p...>) {
    ((value[p] += factor * part_of(p * part, element, each_of<part>())), ...);
  }
  template <int... p>
  LACUNA_HOST_INLINE void add_product(const HostVector& a, const HostVector& b, std::integer_sequence<int, p...>) {
    ((value[p] += a.value[p] * b.value[p]), ...);
  }

  LACUNA_HOST_INLINE static Part loaded(const Number* numbers) {
    if constexpr (part == 1) {
      return *numbers;
    } else {
      Part result;
      std::memcpy(&result, numbers, sizeof(result));
      return result;
    }
  }
  template <class Element, int... j>
  LACUNA_HOST_INLINE static Part part_of(int first, const Element& element, std::integer_sequence<int, j...>) {
    return Part{static_cast<Number>(element(first + j))...};
  }
  LACUNA_HOST_INLINE static Part kept_part(const Part& numbers, unsigned set) {
    if constexpr (part == 1)
      return (set & 1) != 0 ? numbers : Number(0);
    else
      return kept_part(numbers, set, each_of<part * HostVectorBits<Number, part>::integers>());
  }
  template <int... j>
  LACUNA_HOST_INLINE static Part kept_part(const Part& numbers, unsigned set, std::integer_sequence<int, j...>) {
    using Bits      = HostVectorBits<Number, part>;
    using Integer   = typename Bits::Integer;
    const auto bit  = typename Bits::type{(Integer{1} << (j / Bits::integers))...};
    const auto kept = (bit & static_cast<Integer>(set)) == bit;
    return reinterpret_cast<Part>(reinterpret_cast<typename Bits::type>(numbers) & kept);
  }
  /// Numbers from the `first` one on: those before `count` of all as they are, the others 0. The mask is a window of
  /// ones and zeros: that is one load.
  LACUNA_HOST_INLINE static Part first_of(const Part& numbers, int first, int count) {
    if constexpr (part == 1) {
      return first < count ? numbers : Number(0);
    } else {
      using Bits             = typename HostVectorBits<Number, part>::type;
      using Integer          = std::conditional_t<sizeof(Number) == 8, std::int64_t, std::int32_t>;
      const Integer* const m = host_mask_window<Integer, width>.value + (width - count + first);
      Bits window;
      std::memcpy(&window, m, sizeof(window));
      return reinterpret_cast<Part>(reinterpret_cast<Bits>(numbers) & window);
    }
  }
  LACUNA_HOST_INLINE Number number(int j) const {
    if constexpr (part == 1)
      return value[j];
    else
      return value[j / part][j % part];
  }
  template <int... j>
  LACUNA_HOST_INLINE Number total(std::integer_sequence<int, j...>) const {
    return (... + number(j));
  }
  template <class Output, int... j>
  LACUNA_HOST_INLINE void store(Output* c, std::integer_sequence<int, j...>) const {
    ((c[j] = static_cast<Output>(number(j))), ...);
  }
};

/// Numbers in a vector of about `bytes` bytes.
template <class Number>
constexpr int host_vector_width(int bytes) {
  return std::max(1, bytes / static_cast<int>(sizeof(Number)));
}

}  // namespace lacuna::Impl

#endif
