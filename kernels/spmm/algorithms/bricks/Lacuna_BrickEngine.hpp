// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKENGINE_HPP
#define LACUNA_BRICKENGINE_HPP

#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_Options.hpp>
#include <backends/Lacuna_Mma.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief How a step of 8 active columns is multiplied on a matrix engine: where its elements go, and in which numbers.
///
/// Cᵀ = Bᵀ Aᵀ: 16 columns of B are the rows (m) of an atom, rows of A its columns (n), active columns its k.

namespace lacuna::Impl {

/// \brief Which element of a step each register of a fragment is.
///
/// The atom's m and k may be numbered as it suits memory, as long as all operands agree. So a lane of a CUDA warp reads
/// and writes *pairs* of neighbouring columns, and its element of a brick is the bit of the pattern with its own
/// number. `Shifted` rows of B have no aligned pairs.
template <class Mma, bool Shifted>
struct BrickMap {
  static constexpr bool is_warp   = Mma::n == 8;
  static constexpr bool is_packed = is_warp && Mma::a_column(0, 1) == 1;  // 16-bit operands: two k in a register
  static constexpr bool has_pairs = is_warp && !Shifted;
  static constexpr int products   = 8 / Mma::k;  // that a step takes

  static_assert(Mma::m == 16 && (Mma::k == 8 || Mma::k == 4), "lacuna: an atom that steps of 8 columns do not fit");

  /// The column of a tile of 16 that index m is.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int column(int m) {
    if (has_pairs) return m % 8 * 2 + m / 8;
    if (!is_warp && Mma::c_row(0, 1) == 4) return m % 4 * 4 + m / 4;
    return m;
  }
  /// The position in the step, 0 to 7, that index k of a product is.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position(int product, int k) {
    return is_packed ? k / 2 + k % 2 * 4 : (Mma::k == 4 ? 4 * product : 0) + k;
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int dense_place(int product, int lane, int reg) {
    return position(product, Mma::a_column(lane, reg));
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int dense_column(int lane, int reg) {
    return column(Mma::a_row(lane, reg));
  }
  /// Registers of dense pair i: both of one position, columns c and c + 1.
  static constexpr int dense_pairs = 2;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int dense_first(int i) { return is_packed ? i : 2 * i; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int dense_second(int i) { return is_packed ? i + 2 : 2 * i + 1; }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int sparse_row(int atom, int lane, int reg) {
    return atom * Mma::n + Mma::b_column(lane, reg);
  }
  /// Where the lane's element of the sparse operand lies among the 32 elements of each brick.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int sparse_slot(int product, int atom, int lane, int reg) {
    const int row = sparse_row(atom, lane, reg);
    const int at  = position(product, Mma::b_row(lane, reg));
    return (row / 8 * 2 + at / 4) * 32 + row % 8 * 4 + at % 4;
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int sum_row(int atom, int lane, int reg) {
    return atom * Mma::n + Mma::c_column(lane, reg);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int sum_column(int lane, int reg) {
    return column(Mma::c_row(lane, reg));
  }
};

/// \brief Operands rounded to the atom's format, sums kept in the engine.
///
/// For double (nothing is rounded), and for the reduced precisions of float. Error of one sum of n terms, relative to
/// Σ|a||b|: double that of plain arithmetic; tf32 and fp16 2^-10 from rounding both factors (fp16 within its range:
/// factors below 2^-14 lose digits), bf16 2^-7; and the engine's truncating accumulator at most n / 8 + 8 times 2^-23.
template <class MmaType>
struct RoundedEngine {
  using Mma          = MmaType;
  using Scalar       = typename Mma::accumulator;
  using Sum          = typename Mma::C;
  using Dense        = Fragment<Scalar, Mma::a_registers, Mma::lanes_held>;
  using Sparse       = typename Mma::B;
  using SparseValues = Fragment<Scalar, Mma::b_registers, Mma::lanes_held>;

  KOKKOS_FORCEINLINE_FUNCTION static void prepare(int own, const SparseValues& values, Sparse& sparse) {
    round<Mma::b_registers>(own, values, sparse);
  }
  /// sums[t * Count + i] += dense[t] · sparse[i], for `Tiles` of dense values.
  template <int Tiles, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(int own, const Dense* values, const Sparse* sparse, Sum* sums) {
    LACUNA_UNROLL
    for (int tile = 0; tile < Tiles; ++tile) {
      typename Mma::A dense;
      if constexpr (is_tf32)
        round_quickly(own, values[tile], dense);
      else
        round<Mma::a_registers>(own, values[tile], dense);
      LACUNA_UNROLL
      for (int i = 0; i < Count; ++i) {
        Sum& sum = sums[tile * Count + i];
        Mma::fma(sum, dense, sparse[i], sum);
      }
      if constexpr (is_tf32) show_what_is_not_finite(own, values[tile], sums[tile * Count]);
    }
  }

 private:
  static constexpr bool is_tf32 = std::is_same_v<typename Mma::operand, Tf32Operand>;

  /// To TF32 by one integer addition, the engine does not read the low bits: a third of what the rounding conversion
  /// costs. Some NaN become numbers.
  template <class Rounded>
  KOKKOS_FORCEINLINE_FUNCTION static void round_quickly(int own, const Dense& values, Rounded& rounded) {
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::a_registers; ++reg)
        rounded(lane, reg) = Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(values(lane, reg)) + 0x1000u);
    });
  }
  /// Adds 0 where all values are finite, else NaN.
  KOKKOS_FORCEINLINE_FUNCTION static void show_what_is_not_finite(int own, const Dense& values, Sum& sum) {
    Sparse zero;
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::b_registers; ++reg) zero(lane, reg) = 0.0f;
    });
    Mma::fma(sum, values, zero, sum);
  }

  template <int Registers, class Values, class Rounded>
  KOKKOS_FORCEINLINE_FUNCTION static void round(int own, const Values& values, Rounded& rounded) {
    using operand = typename Mma::operand;
    for_each_lane<Mma>(own, [&](int lane) {
      if constexpr (sizeof(typename operand::storage) == 2) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Registers; reg += 2)
          store_pair<operand>(values(lane, reg), values(lane, reg + 1), &rounded(lane, reg));
      } else {
        LACUNA_UNROLL
        for (int reg = 0; reg < Registers; ++reg) rounded(lane, reg) = store_operand<operand>(values(lane, reg));
      }
    });
  }
};

/// \brief Float by four TF32 products: as accurate as plain fp32 arithmetic.
///
/// Error of a sum of n terms: at most 2 max(n, 6) 2^-24 Σ|a||b|, twice the bound of plain arithmetic from 6
/// terms on. A single product may err by 2^-20.4: the engine drops up to 3 2^-23 of B's low part and 2^-23 of
/// A's, and truncates its sums.
///
/// Each factor is x = high + low, where high is a TF32 number. A step adds low·low + low·high + high·low + high·high,
/// small terms first, on a zero accumulator, since the engine's accumulator truncates; steps are added outside of it.
/// A's high parts are rounded. B's high parts, of which there are 16 times as many, are truncated: this takes two
/// instructions instead of three, and costs less even with the fourth product, which is then needed. The low part of a
/// value that is not finite is NaN, and so is the sum: the owner of the sums must then compute the panel again in plain
/// arithmetic. Evidence of the error on matrices: kernels/spmm/tuning.md.
template <class MmaType>
struct SplitEngine {
  using Mma    = MmaType;
  using Scalar = float;
  using Sum    = typename Mma::C;
  using Dense  = typename Mma::A;
  struct Sparse {
    typename Mma::B high, low;
  };
  using SparseValues = typename Mma::B;

  KOKKOS_FORCEINLINE_FUNCTION static void prepare(int own, const SparseValues& values, Sparse& sparse) {
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::b_registers; ++reg) {
        sparse.high(lane, reg) = store_operand<typename Mma::operand>(values(lane, reg));
        sparse.low(lane, reg)  = values(lane, reg) - sparse.high(lane, reg);
      }
    });
  }
  /// sums[t * Count + i] += dense[t] · sparse[i], for `Tiles` of dense values. Products that depend on each other are
  /// kept apart, since a product has a long latency.
  template <int Tiles, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(int own, const Dense* values, const Sparse* sparse, Sum* sums) {
    Dense high[Tiles], low[Tiles];
    Sum step[Tiles * Count];
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int tile = 0; tile < Tiles; ++tile) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::a_registers; ++reg) {
          high[tile](lane, reg) = truncate_to_tf32(values[tile](lane, reg));
          low[tile](lane, reg)  = values[tile](lane, reg) - high[tile](lane, reg);
        }
      }
      LACUNA_UNROLL
      for (int i = 0; i < Tiles * Count; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) step[i](lane, reg) = 0.0f;
      }
    });
    add_products<Tiles, Count>(low, sparse, &Sparse::low, step);
    add_products<Tiles, Count>(low, sparse, &Sparse::high, step);
    add_products<Tiles, Count>(high, sparse, &Sparse::low, step);
    add_products<Tiles, Count>(high, sparse, &Sparse::high, step);
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < Tiles * Count; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) sums[i](lane, reg) += step[i](lane, reg);
      }
    });
  }

 private:
  template <int Tiles, int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void add_products(const Dense* dense, const Sparse* sparse,
                                                       typename Mma::B Sparse::*part, Sum* step) {
    LACUNA_UNROLL
    for (int tile = 0; tile < Tiles; ++tile) {
      LACUNA_UNROLL
      for (int i = 0; i < Count; ++i) {
        Sum& sum = step[tile * Count + i];
        Mma::fma(sum, dense[tile], sparse[i].*part, sum);
      }
    }
  }
};

/// \brief The engine that serves a scalar type and precision. `Wavefront`: AMD's, which multiply float as it is, so
/// that every precision is the full one; else NVIDIA's, which hosts emulate.
template <class ExecutionSpace, class Scalar, Precision precision,
          bool Wavefront = ExecutionTraits<ExecutionSpace>::is_gpu&& ExecutionTraits<ExecutionSpace>::lane_width == 64>
struct BrickEngineChoice {
  template <class Atom>
  using Mma = MmaFor<ExecutionSpace, Atom>;

  static constexpr auto choose() {
    if constexpr (Wavefront) {
      if constexpr (std::is_same_v<Scalar, double>)
        return std::type_identity<RoundedEngine<Mma<Gfx90a_16x16x4_f64>>>();
      else
        return std::type_identity<RoundedEngine<Mma<Gfx90a_16x16x4_f32>>>();
    } else if constexpr (std::is_same_v<Scalar, double>) {
      return std::type_identity<RoundedEngine<Mma<Sm90_16x8x8_f64>>>();
    } else if constexpr (precision == Precision::full) {
      return std::type_identity<SplitEngine<Mma<Sm80_16x8x8_f32_tf32>>>();
    } else if constexpr (precision == Precision::tf32) {
      return std::type_identity<RoundedEngine<Mma<Sm80_16x8x8_f32_tf32>>>();
    } else if constexpr (precision == Precision::fp16) {
      return std::type_identity<RoundedEngine<Mma<Sm80_16x8x8_f32_f16>>>();
    } else {
      return std::type_identity<RoundedEngine<Mma<Sm80_16x8x8_f32_bf16>>>();
    }
  }
  using type = typename decltype(choose())::type;
};

template <class ExecutionSpace, class Scalar, Precision precision>
using BrickEngineFor = typename BrickEngineChoice<ExecutionSpace, Scalar, precision>::type;

}  // namespace lacuna::Impl

#endif
