// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMATPLAN_HPP
#define LACUNA_FORMATPLAN_HPP

#include <Lacuna_DiagonalFormats.hpp>
#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalTimesBlock.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief Plans of a matrix that is in HM or CDM already: there is nothing to inspect, to choose or to store. They have
/// the members of `PlanBase`, so that programs take either.

namespace lacuna::Impl {

/// What plans are made for: CSR, HM, CDM.
template <class Matrix>
concept PlannedMatrixType = CrsMatrixType<Matrix> || DiagonalMatrixType<Matrix>;

template <class Operation, DiagonalMatrixType Format, class ExecutionSpace>
class FormatPlan {
 public:
  using matrix_type     = Format;
  using execution_space = ExecutionSpace;
  using value_type      = typename Format::Scalar;

  FormatPlan(FormatPlan&&)                 = default;
  FormatPlan& operator=(FormatPlan&&)      = default;
  FormatPlan(const FormatPlan&)            = delete;
  FormatPlan& operator=(const FormatPlan&) = delete;

  /// Rows and columns of op(A).
  std::int64_t rows() const { return static_cast<std::int64_t>(op() == Op::none ? m_A.rows : m_A.columns); }
  std::int64_t columns() const { return static_cast<std::int64_t>(op() == Op::none ? m_A.columns : m_A.rows); }
  /// Elements of the stored diagonals: each of them is multiplied.
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_A.list.extent(0)); }

  Op op() const { return m_request.op; }
  typename Operation::Algorithm algorithm() const { return Operation::Algorithm::diagonals; }
  std::int64_t break_even() const { return 0; }
  double setup_seconds() const { return m_seconds; }
  bool shareable() const { return true; }
  std::size_t persistent_bytes() const { return 0; }
  std::size_t temporary_bytes() const { return 0; }

  std::string report() const {
    return std::string("lacuna::") + Operation::plan + " of a " + shape_text(rows(), columns()) + " matrix in " +
           (is_hm_matrix<Format>::value ? "HM" : "CDM") + " with " + std::to_string(m_A.dg()) + " diagonals, " +
           std::to_string(nonzeros()) + " elements, op " + std::string(name(op())) + Operation::describe(m_request) +
           "\n  algorithm   diagonals: A stands as it is to be read\n  storage     nothing beside A\n";
  }

  /// \brief Takes another matrix with the same diagonals. New values in the same Views need no call.
  /// \throws InvalidArgument where it has other extents or diagonals; the plan is as it was.
  void update_values(const ExecutionSpace&, const Format& A) {
    bool same = A.rows == m_A.rows && A.columns == m_A.columns && A.host_Ds.extent(0) == m_A.host_Ds.extent(0);
    for (std::size_t d = 0; same && d < A.host_Ds.extent(0); ++d) same = A.host_Ds(d) == m_A.host_Ds(d);
    check_lengths((std::string(Operation::plan) + "::update_values").c_str(), "A", A);
    if (!same)
      raise<InvalidArgument>((std::string(Operation::plan) + "::update_values").c_str(), "A is ",
                             shape_text(A.rows, A.columns), " with ", A.host_Ds.extent(0),
                             " diagonals, not what the plan was made for: ", shape_text(m_A.rows, m_A.columns), ", ",
                             m_A.host_Ds.extent(0), " diagonals");
    m_A = A;
  }
  void update_values(const Format& A) {
    with_default_instance<ExecutionSpace>("update_values", [&](const ExecutionSpace& exec) { update_values(exec, A); });
  }

 protected:
  static_assert(is_accessible<ExecutionSpace, decltype(Format::list)>,
                "lacuna: the matrix of a plan must be accessible from the execution space");

  FormatPlan(const ExecutionSpace& exec, const Format& A, const typename Operation::Options& options)
      : m_request(Operation::template request<typename Format::Crs>(options)), m_A(A) {
    SetupClock clock;
    check_lengths(Operation::plan, "A", A);
    Operation::check(device_of(exec), m_request);
    if (m_request.algorithm != Operation::Algorithm::automatic &&
        m_request.algorithm != Operation::Algorithm::diagonals)
      raise<NotSupported>(Operation::plan, "algorithm ", name(m_request.algorithm), " of a matrix in ",
                          is_hm_matrix<Format>::value ? "HM" : "CDM", ", which diagonals multiplies");
    Operation::Algorithms::for_each([&]<class Algorithm>(std::size_t) {
      if (Algorithm::id != m_request.algorithm) return;
      const Support support = Algorithm::supports(device_of(exec), m_request);
      if (!support) raise<NotSupported>(Operation::plan, support.why_not);
    });
    clock.stop(exec, "Lacuna: set-up of a plan done");
    m_seconds = clock.seconds();
  }

  const typename Operation::Request& request() const { return m_request; }
  auto walk() const { return walk_of(op(), m_A); }

 private:
  typename Operation::Request m_request;
  Format m_A;
  double m_seconds = 0;
};

}  // namespace lacuna::Impl

#endif
