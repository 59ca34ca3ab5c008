// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMATPLAN_HPP
#define LACUNA_FORMATPLAN_HPP

#include <Lacuna_DiagonalFormats.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalTimesBlock.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

/// \file
/// \brief Plans of a matrix that is in HM or CDM already. There is nothing to inspect or to store: A is multiplied as
/// it stands. They have the members of CrsPlan, so that programs take either.

namespace lacuna::Impl {

/// What plans are made for: CSR, HM, CDM.
template <class Matrix>
concept PlannedMatrixType = CrsMatrixType<Matrix> || DiagonalMatrixType<Matrix>;

/// The algorithm `diagonals` of an operation, for a matrix whose diagonals are stored.
template <class Operation>
struct FormatDiagonals {
  static constexpr auto id = Operation::Algorithm::diagonals;

  /// What the operation says of `diagonals`, where a user asks for it.
  static Support supports(const Device& device, const typename Operation::Request& request) {
    return asked_algorithm<typename Operation::Algorithms>(device, request).support;
  }
  static Estimate estimate(const Device&, const NothingToInspect&, const typename Operation::Request&) {
    return {.reason = "A stands as it is to be read"};
  }

  template <class Format, class ExecutionSpace>
  using Storage = NoStorage<FormatDiagonals>;
};

/// An operation for matrices in HM and CDM.
template <class OfCrs>
struct FormatOperation {
  static constexpr const char* plan = OfCrs::plan;
  using Options                     = typename OfCrs::Options;
  using Request                     = typename OfCrs::Request;
  using Algorithm                   = typename OfCrs::Algorithm;
  using Algorithms                  = AlgorithmList<FormatDiagonals<OfCrs>>;
};

template <class Operation, DiagonalMatrixType Format, class ExecutionSpace>
class FormatPlan : public PlanBase<FormatOperation<Operation>, std::variant<NoStorage<FormatDiagonals<Operation>>>> {
  using Base = PlanBase<FormatOperation<Operation>, std::variant<NoStorage<FormatDiagonals<Operation>>>>;

 public:
  using matrix_type     = Format;
  using execution_space = ExecutionSpace;
  using value_type      = typename Format::Scalar;

  /// Rows and columns of op(A).
  std::int64_t rows() const { return static_cast<std::int64_t>(op() == Op::none ? m_A.rows : m_A.columns); }
  std::int64_t columns() const { return static_cast<std::int64_t>(op() == Op::none ? m_A.columns : m_A.rows); }
  /// Elements of the stored diagonals: each of them is multiplied.
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_A.list.extent(0)); }

  Op op() const { return m_request.op; }
  /// Whether products read the values of A where A has them: always.
  bool reads_values_of_A() const { return true; }

  std::string report() const {
    return std::string("lacuna::") + Operation::plan + " of a " + shape_text(rows(), columns()) + " matrix in " +
           format_name + " with " + std::to_string(m_A.dg()) + " diagonals, " + std::to_string(nonzeros()) +
           " elements, op " + std::string(name(op())) + Operation::describe(m_request) + "\n" +
           this->algorithm_text(this->m_choice) + "\n  storage     nothing beside A\n";
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

  FormatPlan(const ExecutionSpace& exec, const Format& A, const typename Operation::Options& options) try
      : Base(Operation::template request<typename Format::Crs>(options), device_of(exec), options.memory_limit),
        m_A(A) {
    check_lengths(Operation::plan, "A", A);
    Operation::check(m_device, m_request);
    if (names_an_algorithm(m_request) && m_request.algorithm != Operation::Algorithm::diagonals)
      raise<NotSupported>(Operation::plan, "algorithm ", name(m_request.algorithm), " of a matrix in ", format_name,
                          ", which diagonals multiplies");
    this->check_what_is_asked_for();
    this->choose_the_best(NothingToInspect());
    m_clock.stop(exec, "Lacuna: set-up of a plan done");
  } catch (const std::bad_alloc&) {
    raise_no_host_memory(Operation::plan);
  }

  const typename Operation::Request& request() const { return m_request; }
  auto walk() const { return walk_of(op(), m_A); }

 private:
  static constexpr const char* format_name = is_hm_matrix<Format>::value ? "HM" : "CDM";

  using Base::m_request, Base::m_device, Base::m_clock;

  Format m_A;
};

}  // namespace lacuna::Impl

#endif
