// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_SPGEMM_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_SPGEMM_HPP

#include <rivals/Rival_CuSparse_Descriptors.hpp>
#include <spgemm/Bench_SpgemmProblem.hpp>

#include <utility>

namespace lacuna::bench {

using CuSparseSpgemm = CuSparseObject<cusparseSpGEMMDescr_t, cusparseSpGEMM_destroyDescr>;

/// What the whole call and the reusable one have in common.
template <class Problem>
class CuSparseSpgemmBase : public Implementation {
 protected:
  using Scalar  = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset  = typename Problem::Offset;

  explicit CuSparseSpgemmBase(const Problem& problem) : m_problem(problem), m_handle(problem.exec) {
    describe_csr(problem, m_a);
    describe_csr(problem, m_b);
  }

  /// C without memory, but with its row map.
  void describe_result() {
    const auto& A = m_problem.A;
    m_row_map     = typename Problem::RowMap(
            Kokkos::view_alloc(m_problem.exec, Kokkos::WithoutInitializing, "Lacuna::bench::row_map"), A.numRows() + 1);
    check_cusparse(
        cusparseCreateCsr(m_c.fresh(), A.numRows(), A.numCols(), 0, m_row_map.data(), nullptr, nullptr,
                          index_type<Offset>, index_type<Ordinal>, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>()),
        "cusparseCreateCsr");
  }

  /// Gives C the memory that it was found to need.
  void allocate_result() {
    std::int64_t rows = 0, columns = 0, nonzeros = 0;
    check_cusparse(cusparseSpMatGetSize(m_c, &rows, &columns, &nonzeros), "cusparseSpMatGetSize");
    const typename Problem::Entries entries(
        Kokkos::view_alloc(m_problem.exec, Kokkos::WithoutInitializing, "Lacuna::bench::entries"), nonzeros);
    const typename Problem::Values values(
        Kokkos::view_alloc(m_problem.exec, Kokkos::WithoutInitializing, "Lacuna::bench::values"), nonzeros);
    check_cusparse(cusparseCsrSetPointers(m_c, m_row_map.data(), entries.data(), values.data()),
                   "cusparseCsrSetPointers");
    *m_problem.C = typename Problem::Matrix("C", static_cast<Ordinal>(rows), static_cast<Ordinal>(columns),
                                            static_cast<Offset>(nonzeros), values, m_row_map, entries);
  }

  /// A call of cuSPARSE that first tells the size of its buffer.
  template <class Call>
  DeviceArray<char> with_buffer(const Call& call, const char* name) {
    std::size_t bytes = 0;
    check_cusparse(call(&bytes, nullptr), name);
    const auto buffer = cusparse_buffer(m_problem.exec, bytes);
    m_bytes += static_cast<std::int64_t>(bytes);
    check_cusparse(call(&bytes, buffer.data()), name);
    return buffer;
  }

  Problem m_problem;
  CuSparseHandle m_handle;
  CuSparseMatrix m_a, m_b, m_c;
  typename Problem::RowMap m_row_map;
  Scalar m_one         = Scalar(1);
  Scalar m_zero        = Scalar(0);
  std::int64_t m_bytes = 0;
};

/// The whole call: work estimation, computation, copy.
template <class Problem>
class CuSparseWholeSpgemm final : public CuSparseSpgemmBase<Problem> {
  using Base = CuSparseSpgemmBase<Problem>;

 public:
  CuSparseWholeSpgemm(const Problem& problem, cusparseSpGEMMAlg_t algorithm) : Base(problem), m_algorithm(algorithm) {}

  bool has_setup() const override { return false; }
  void run() override {
    this->m_problem.C->reset();
    this->m_bytes = 0;
    this->describe_result();
    CuSparseSpgemm descriptor;
    check_cusparse(cusparseSpGEMM_createDescr(descriptor.fresh()), "cusparseSpGEMM_createDescr");
    constexpr auto type = cuda_type<typename Problem::Scalar>();
    constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto estimate = this->with_buffer(
        [&](std::size_t* bytes, void* buffer) {
          return cusparseSpGEMM_workEstimation(this->m_handle, none, none, &this->m_one, this->m_a, this->m_b,
                                               &this->m_zero, this->m_c, type, m_algorithm, descriptor, bytes, buffer);
        },
        "cusparseSpGEMM_workEstimation");
    std::size_t bytes = 0;
    DeviceArray<char> memory;
    if (m_algorithm != CUSPARSE_SPGEMM_ALG1) {
      memory = this->with_buffer(
          [&](std::size_t* size, void* buffer) {
            return cusparseSpGEMM_estimateMemory(this->m_handle, none, none, &this->m_one, this->m_a, this->m_b,
                                                 &this->m_zero, this->m_c, type, m_algorithm, descriptor, chunk, size,
                                                 buffer, &bytes);
          },
          "cusparseSpGEMM_estimateMemory");
      memory = {};
    }
    if (bytes == 0)
      check_cusparse(cusparseSpGEMM_compute(this->m_handle, none, none, &this->m_one, this->m_a, this->m_b,
                                            &this->m_zero, this->m_c, type, m_algorithm, descriptor, &bytes, nullptr),
                     "cusparseSpGEMM_compute");
    const auto buffer = cusparse_buffer(this->m_problem.exec, bytes);
    this->m_bytes += static_cast<std::int64_t>(bytes);
    check_cusparse(cusparseSpGEMM_compute(this->m_handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero,
                                          this->m_c, type, m_algorithm, descriptor, &bytes, buffer.data()),
                   "cusparseSpGEMM_compute");
    this->allocate_result();
    check_cusparse(cusparseSpGEMM_copy(this->m_handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero,
                                       this->m_c, type, m_algorithm, descriptor),
                   "cusparseSpGEMM_copy");
    this->m_problem.exec.fence("Lacuna::bench: before the buffers of cuSPARSE go");
  }
  std::int64_t temporary_bytes() const override { return this->m_bytes; }

 private:
  static constexpr float chunk = 0.2F;
  cusparseSpGEMMAlg_t m_algorithm;
};

/// Values alone: what cusparseSpGEMMreuse_compute does once everything else is there.
template <class Problem>
class CuSparseSpgemmReuse final : public CuSparseSpgemmBase<Problem> {
  using Base = CuSparseSpgemmBase<Problem>;

 public:
  explicit CuSparseSpgemmReuse(const Problem& problem) : Base(problem) {}

  void clear() override {
    this->m_problem.C->reset();
    m_kept[0] = m_kept[1] = m_kept[2] = {};
    m_descriptor.clear();
  }
  void setup() override {
    this->m_bytes = 0;
    this->describe_result();
    check_cusparse(cusparseSpGEMM_createDescr(m_descriptor.fresh()), "cusparseSpGEMM_createDescr");
    constexpr auto none  = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto alg   = CUSPARSE_SPGEMM_DEFAULT;
    const auto& exec     = this->m_problem.exec;
    const auto temporary = this->with_buffer(
        [&](std::size_t* bytes, void* buffer) {
          return cusparseSpGEMMreuse_workEstimation(this->m_handle, none, none, this->m_a, this->m_b, this->m_c, alg,
                                                    m_descriptor, bytes, buffer);
        },
        "cusparseSpGEMMreuse_workEstimation");
    std::size_t sizes[3] = {};
    check_cusparse(cusparseSpGEMMreuse_nnz(this->m_handle, none, none, this->m_a, this->m_b, this->m_c, alg,
                                           m_descriptor, &sizes[0], nullptr, &sizes[1], nullptr, &sizes[2], nullptr),
                   "cusparseSpGEMMreuse_nnz");
    const auto first = cusparse_buffer(exec, sizes[0]);
    for (int i : {1, 2}) {
      m_kept[i - 1] = cusparse_buffer(exec, sizes[i]);
      this->m_bytes += static_cast<std::int64_t>(sizes[i]);
    }
    check_cusparse(
        cusparseSpGEMMreuse_nnz(this->m_handle, none, none, this->m_a, this->m_b, this->m_c, alg, m_descriptor,
                                &sizes[0], first.data(), &sizes[1], m_kept[0].data(), &sizes[2], m_kept[1].data()),
        "cusparseSpGEMMreuse_nnz");
    this->allocate_result();
    m_kept[2] = this->with_buffer(
        [&](std::size_t* bytes, void* buffer) {
          return cusparseSpGEMMreuse_copy(this->m_handle, none, none, this->m_a, this->m_b, this->m_c, alg,
                                          m_descriptor, bytes, buffer);
        },
        "cusparseSpGEMMreuse_copy");
    exec.fence("Lacuna::bench: before the buffers of cuSPARSE go");
  }
  void run() override {
    constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    check_cusparse(cusparseSpGEMMreuse_compute(this->m_handle, none, none, &this->m_one, this->m_a, this->m_b,
                                               &this->m_zero, this->m_c, cuda_type<typename Problem::Scalar>(),
                                               CUSPARSE_SPGEMM_DEFAULT, m_descriptor),
                   "cusparseSpGEMMreuse_compute");
  }
  std::int64_t temporary_bytes() const override { return this->m_bytes; }

 private:
  CuSparseSpgemm m_descriptor;
  DeviceArray<char> m_kept[3];
};

template <class Problem>
Candidates cusparse_spgemm(const Problem& problem) {
  Candidates candidates;
  for (const auto& [name, algorithm] :
       {std::pair{"cusparse:alg1", CUSPARSE_SPGEMM_ALG1}, std::pair{"cusparse:alg2", CUSPARSE_SPGEMM_ALG2},
        std::pair{"cusparse:alg3", CUSPARSE_SPGEMM_ALG3}})
    candidates.push_back({name, [problem, algorithm = algorithm] {
                            return std::make_unique<CuSparseWholeSpgemm<Problem>>(problem, algorithm);
                          }});
  candidates.push_back({"cusparse:reuse", [=] { return std::make_unique<CuSparseSpgemmReuse<Problem>>(problem); }});
  return candidates;
}

}  // namespace lacuna::bench

#endif
