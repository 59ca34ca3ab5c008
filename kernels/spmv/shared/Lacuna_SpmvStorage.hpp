// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSTORAGE_HPP
#define LACUNA_SPMVSTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// What every storage of SpMV has: how its kernel is to be started, and a line for the report. Those that keep
/// something say so in place of what stands here.
class SpmvStorage {
 public:
  std::size_t bytes() const { return 0; }
  std::size_t temporary_bytes() const { return 0; }
  bool shareable() const { return true; }
  template <class ExecutionSpace, class A>
  void update_values(const ExecutionSpace&, const A&) const {}
  std::string describe() const { return describe_rows("") + "\n"; }

 protected:
  template <class Context>
  void take_request(const Context& context) {
    m_shape           = {context.request.team_size, context.request.lanes_per_row, context.request.x_past_cache};
    m_longest         = context.inspector.inspection().lengths.longest;
    m_short_even_rows = RowsPolicy::are_short_and_even(context.inspector.inspection().neighbours);
  }
  const SpmvShape& shape() const { return m_shape; }
  /// Of hosts.
  bool short_even_rows() const { return m_short_even_rows; }
  std::string describe_rows(const std::string& schedule) const {
    return "  rows        longest " + std::to_string(m_longest) + schedule;
  }

 private:
  SpmvShape m_shape;
  std::int64_t m_longest = 0;
  bool m_short_even_rows = false;
};

/// Of an algorithm that reads CSR as it stands: nothing.
template <class Algorithm>
class SpmvCsrStorage : public SpmvStorage {
 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    take_request(context);
  }
  template <class ExecutionSpace, class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    Algorithm::multiply(exec, A, arguments, shape());
  }
};

}  // namespace lacuna::Impl

#endif
