// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_SpgemmPlan.hpp>

#include <support/Test_Matrices.hpp>
#include <support/Test_Messages.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>

/// \file
/// \brief One more algorithm of SpGEMM: a type and an entry in a list, and it is chosen, run, reported and refused.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto is_new   = static_cast<SpgemmAlgorithm>(100);
constexpr auto is_other = static_cast<SpgemmAlgorithm>(101);

/// Row offsets of a matrix with one nonzero a row, in the first column.
struct FirstColumn {
  int* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { row_map[i] = static_cast<int>(i); }
};

template <int digit>
class OneDigitStorage : public Impl::SpgemmNoStorage<void> {
 public:
  template <class Context>
  void build(const Context& context) {
    if (digit == 7) context.budget.take("sevens", 1000);
    m_rows = static_cast<std::int64_t>(context.A.rows);
    Impl::for_each_index(context.exec, "Lacuna::spgemm::sevens", m_rows + 1, FirstColumn{context.row_map});
  }
  std::size_t bytes() const { return 1000; }
  bool shareable() const { return false; }
  std::int64_t nonzeros() const { return m_rows; }
  std::int64_t products() const { return 3 * m_rows; }
  std::string describe() const { return "  digits      in " + std::to_string(m_rows) + " rows\n"; }
  template <class Operands, class Target>
  void multiply(const Exec& exec, const Operands&, const Target& target, bool) const {
    const auto n = static_cast<std::size_t>(m_rows);
    Kokkos::deep_copy(exec, Kokkos::View<int*, Exec::device_type, Kokkos::MemoryUnmanaged>(target.entries, n), 0);
    Kokkos::deep_copy(exec, Kokkos::View<double*, Exec::device_type, Kokkos::MemoryUnmanaged>(target.values, n),
                      static_cast<double>(digit));
  }

 private:
  std::int64_t m_rows = 0;
};

/// Makes C of sevens in the first column, in no time.
struct Sevens {
  static constexpr SpgemmAlgorithm id = is_new;

  static Impl::Support supports(const Device&, const Impl::SpgemmRequest& request) {
    if (request.expected_calls == 13) return {"sevens do not come in thirteens"};
    return {};
  }
  static Impl::Estimate estimate(const Device&, const Impl::SpgemmInspection& known, const Impl::SpgemmRequest&) {
    return {.bytes = 1000,
            .reason =
                "seven is a good number for about " + std::to_string(static_cast<int>(known.products())) + " products"};
  }
  template <Impl::CrsMatrixType, class, class>
  using Storage = OneDigitStorage<7>;
};

/// Makes C of eights, which takes longer.
struct Eights {
  static constexpr SpgemmAlgorithm id = is_other;

  static Impl::Support supports(const Device&, const Impl::SpgemmRequest&) { return {}; }
  static Impl::Estimate estimate(const Device& device, const Impl::SpgemmInspection& known,
                                 const Impl::SpgemmRequest& request) {
    return {.call_seconds = Impl::spgemm_seconds(device, known, request), .reason = "eight serves every matrix"};
  }
  template <Impl::CrsMatrixType, class, class>
  using Storage = OneDigitStorage<8>;
};

using Operation = Impl::SpgemmOperationOf<Impl::AlgorithmList<Eights, Sevens>>;
using Plan      = SpgemmPlan<Matrix, Exec, false, Operation>;

Matrix sample() { return make_crs<Matrix>(banded_matrix<double>(70, 70, 1, 1)); }

TEST(SpgemmNewAlgorithm, IsChosenRunAndReported) {
  const Matrix A = sample();
  const Plan plan(A, A);
  EXPECT_EQ(plan.algorithm(), is_new);
  EXPECT_EQ(plan.nonzeros(), 70);
  EXPECT_EQ(plan.products(), 210);
  EXPECT_FALSE(plan.shareable());
  EXPECT_GE(plan.persistent_bytes(), 1000u);
  const Exec exec;
  const auto C = plan.allocate(exec);
  plan.apply(exec, 1.0, A, A, C);
  exec.fence();
  EXPECT_THAT(to_vector(C.values), testing::Each(7.0));
  EXPECT_THAT(plan.report(), AllOf(HasSubstr("seven is a good number for about 6"), HasSubstr("digits      in 70 rows"),
                                   HasSubstr("70 nonzeros of 210 products")));
}

TEST(SpgemmNewAlgorithm, IsAskedForByName) {
  const Matrix A = sample();
  const Plan plan(A, A, {.algorithm = is_new});
  EXPECT_EQ(plan.algorithm(), is_new);
  EXPECT_THAT(plan.report(), HasSubstr("asked for"));
  EXPECT_EQ(Plan(A, A, {.algorithm = is_other}).algorithm(), is_other);
  EXPECT_THAT(error_of<NotSupported>([&] { Plan(A, A, {.algorithm = SpgemmAlgorithm::bins}); }),
              HasSubstr("algorithm bins does not exist"));
}

TEST(SpgemmNewAlgorithm, IsRefusedWhereItDoesNotServe) {
  const Matrix A = sample();
  EXPECT_EQ(Plan(A, A, {.expected_calls = 13}).algorithm(), is_other);
  EXPECT_THAT(error_of<NotSupported>([&] { Plan(A, A, {.algorithm = is_new, .expected_calls = 13}); }),
              HasSubstr("sevens do not come in thirteens"));
}

TEST(SpgemmNewAlgorithm, IsHeldToTheMemoryLimit) {
  const Matrix A                 = sample();
  const std::size_t with_row_map = 1000 + 71 * sizeof(int);
  EXPECT_EQ(Plan(A, A, {.memory_limit = with_row_map}).algorithm(), is_new);
  EXPECT_EQ(Plan(A, A, {.memory_limit = 999}).algorithm(), is_other);
  EXPECT_THAT(error_of<OutOfMemory>([&] { Plan(A, A, {.algorithm = is_new, .memory_limit = with_row_map - 1}); }),
              HasSubstr("sevens needs 1000 bytes"));
}

/// The list that plans of users have: `row_classes` for GPUs, the same for hosts, `bins` and its variant.
TEST(SpgemmNewAlgorithm, OneOfTheListServesADevice) {
  const auto chosen = [](const Device& device, SpgemmAlgorithm algorithm) {
    const auto request = Impl::spgemm_request<Matrix>({.algorithm = algorithm});
    return Impl::choose<Impl::SpgemmAlgorithms>(device, Impl::SpgemmInspection{70, 70, 70, 210, 210}, request,
                                                unlimited, Impl::others_than_asked<Impl::SpgemmAlgorithms>(request))
        .index;
  };
  EXPECT_EQ(chosen(Device::h200(), SpgemmAlgorithm::automatic), 0u);
  EXPECT_EQ(chosen(Device::mi300x(), SpgemmAlgorithm::row_classes), 0u);
  EXPECT_EQ(chosen(Device::host(2), SpgemmAlgorithm::automatic), 1u);
  EXPECT_EQ(chosen(Device::host(2), SpgemmAlgorithm::row_classes), 1u);
  EXPECT_EQ(chosen(Device::h200(), SpgemmAlgorithm::bins), 2u);
  EXPECT_EQ(chosen(Device::host(2), SpgemmAlgorithm::bins), 2u);
  EXPECT_EQ(chosen(Device::h200(), SpgemmAlgorithm::bins_by_subwarps), 3u);
}

}  // namespace
}  // namespace lacuna::Test
