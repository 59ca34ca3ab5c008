// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMMGCOO_HPP
#define LACUNA_BENCH_SPGEMMGCOO_HPP

#include <spgemm/Bench_SpgemmProblem.hpp>

#include <Lacuna_Convert.hpp>
#include <Lacuna_SpgemmFormats.hpp>

#include <memory>
#include <optional>

/// \file
/// \brief C = A B for an A that is stored in GCOO.

namespace lacuna::bench {

/// \brief Two factors as they are, the first in groups of rows of GCOO, which are there before (the set-up). A call is
/// the product that reads them (`gcoo`), or `to_crs` and the product of CSR (`automatic`).
template <class Problem>
class LacunaGcooSpgemm final : public Implementation {
 public:
  LacunaGcooSpgemm(const Problem& problem, SpgemmAlgorithm algorithm)
      : m_problem(problem), m_options{.algorithm = algorithm} {
    const auto& factors = problem.factors;
    if (factors.size() != 2 || factors[0].op != Op::none || factors[1].op != Op::none)
      throw NotSupported("gcoo is for two factors without transposes");
  }
  void setup() override { m_gcoo.emplace(to_gcoo(m_problem.exec, m_problem.factors[0].matrix)); }
  void clear() override {
    m_problem.C->reset();
    m_gcoo.reset();
  }
  void run() override {
    const auto& B = m_problem.factors[1].matrix;
    m_problem.C->reset();
    *m_problem.C = spgemm(m_problem.exec, *m_gcoo, B, m_options);
  }
  std::int64_t persistent_bytes() const override { return static_cast<std::int64_t>(m_gcoo->bytes()); }

 private:
  using Gcoo = GcooMatrix<typename Problem::Scalar, typename Problem::Ordinal, Device, typename Problem::Offset>;

  Problem m_problem;
  SpgemmOptions m_options;
  std::optional<Gcoo> m_gcoo;
};

}  // namespace lacuna::bench

#endif
