// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMMPROBLEM_HPP
#define LACUNA_BENCH_SPGEMMPROBLEM_HPP

#include <rivals/Rival.hpp>
#include <support/Bench_Timing.hpp>

#include <Lacuna_Options.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief The factors of C = A B (or A B C …), the rivals that multiply them, and what those have in common.
///
/// Where factors are transposed, an implementation is timed twice: with the forming of transposes, and, `+given` behind
/// its name, with the transposes as matrices that were there before. Of three factors, rivals are timed in both orders:
/// `:right` multiplies A (B C).

namespace lacuna::bench {

template <class ScalarType, class OrdinalType, class OffsetType>
struct SpgemmProblem {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;
  using Matrix  = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  using Entries = Kokkos::View<Ordinal*, Device>;
  using Values  = Kokkos::View<Scalar*, Device>;
  using RowMap  = Kokkos::View<Offset*, Device>;

  struct Factor {
    Matrix matrix;
    Op op = Op::none;
  };

  ExecutionSpace exec;
  std::vector<Factor> factors;  ///< two or more, from left to right
  bool given = false;           ///< transposes were formed before
  bool right = false;           ///< the last two factors are multiplied first
  /// What the last call computed; every call frees what the one before left.
  std::shared_ptr<std::optional<Matrix>> C = std::make_shared<std::optional<Matrix>>();

  bool has_transposes() const {
    for (const Factor& factor : factors)
      if (factor.op != Op::none) return true;
    return false;
  }
  /// Whether there are two orders, and `triple_product` for us.
  bool is_triple() const { return factors.size() == 3 && !has_transposes(); }
  std::string ending() const { return std::string(right ? ":right" : "") + (given ? "+given" : ""); }

  /// The factors in the order that they are multiplied in: each with the product of those before it, which stands on
  /// its right where `right` says so.
  std::vector<Factor> in_order() const {
    return right ? std::vector<Factor>(factors.rbegin(), factors.rend()) : factors;
  }
};

/// \brief A rival's whole call, plain CSR to plain CSR: transposes and products one after the other, with all that they
/// allocate, and the freeing of what lies between.
template <class Problem>
class SpgemmWholeCall : public Implementation {
 public:
  bool has_setup() const final { return false; }
  void run() final {
    m_problem.C->reset();
    const auto factors = m_problem.in_order();
    Matrix done        = formed(factors.front());
    for (std::size_t i = 1; i < factors.size(); ++i) {
      const Matrix next = formed(factors[i]);
      done              = m_problem.right ? product(next, done) : product(done, next);
    }
    *m_problem.C = done;
  }

 protected:
  using Matrix = typename Problem::Matrix;

  explicit SpgemmWholeCall(const Problem& problem) : m_problem(problem) {}
  virtual Matrix product(const Matrix& A, const Matrix& B) = 0;
  virtual Matrix transposed(const Matrix& A)               = 0;

  Problem m_problem;

 private:
  Matrix formed(const typename Problem::Factor& factor) {
    return factor.op == Op::none ? factor.matrix : transposed(factor.matrix);
  }
};

/// \brief A rival's values alone, the rest being set-up. `Kept` is one product: `Kept(exec, A, B)` finds its structure,
/// `compute()` the values, `result()` is C, `bytes()` what it keeps. Nobody's transposes take new values by themselves:
/// those of the factors have to be given.
template <class Problem, class Kept>
class SpgemmReuse final : public Implementation {
 public:
  explicit SpgemmReuse(const Problem& problem) : m_problem(problem) {}
  void setup() override {
    const auto factors = m_problem.in_order();
    auto done          = factors.front().matrix;
    for (std::size_t i = 1; i < factors.size(); ++i) {
      const auto& next = factors[i].matrix;
      m_kept.push_back(
          std::make_unique<Kept>(m_problem.exec, m_problem.right ? next : done, m_problem.right ? done : next));
      // The structure of the next product needs the columns of this one.
      if (i + 1 < factors.size()) m_kept.back()->compute();
      done = m_kept.back()->result();
    }
    *m_problem.C = done;
  }
  void clear() override {
    m_problem.C->reset();
    m_kept.clear();
  }
  void run() override {
    for (const auto& kept : m_kept) kept->compute();
  }
  std::int64_t temporary_bytes() const override {
    std::int64_t sum = 0;
    for (const auto& kept : m_kept) sum += kept->bytes();
    return sum;
  }

 private:
  Problem m_problem;
  std::vector<std::unique_ptr<Kept>> m_kept;
};

/// \brief Kokkos Kernels' own algorithms, the whole call and, for its default, values alone.
template <class Problem>
Candidates kokkos_kernels_spgemm(const Problem& problem);

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief cusparseSpGEMM, every algorithm, the whole call with its buffers, and cusparseSpGEMMreuse, of which all but
/// the values is set-up.
template <class Problem>
Candidates cusparse_spgemm(const Problem& problem);
#endif

#if defined(LACUNA_BENCH_MKL)
/// \brief oneMKL's mkl_sparse_spmm and mkl_sparse_sp2m. Empty for types that it has not.
template <class Problem>
Candidates mkl_spgemm(const Problem& problem);
#endif

template <class Problem>
Candidates spgemm_rivals(const Problem& problem) {
  Candidates candidates;
  const auto add = [&](Candidates more) {
    for (Candidate& candidate : more) {
      candidate.name += problem.ending();
      candidates.push_back(std::move(candidate));
    }
  };
#if defined(KOKKOS_ENABLE_CUDA)
  add(cusparse_spgemm(problem));
#endif
#if defined(LACUNA_BENCH_MKL)
  add(mkl_spgemm(problem));
#endif
  add(kokkos_kernels_spgemm(problem));
  return candidates;
}

}  // namespace lacuna::bench

#endif
