// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_DiagonalProblem.hpp>
#include <rivals/Rival_CuSparse_Descriptors.hpp>
#if defined(LACUNA_BENCH_CUBLAS)
#include <rivals/Rival_CuBlas_Spmm.hpp>
#endif

#include <Lacuna_Spmv.hpp>

#include <array>
#include <memory>

namespace lacuna::bench {

namespace {

/// What `describe_csr` wants of a problem.
struct CsrProblem {
  using Scalar  = double;
  using Ordinal = int;
  using Offset  = int;
  DiagonalCrs A;
};

using SpgemmDescription = CuSparseObject<cusparseSpGEMMDescr_t, cusparseSpGEMM_destroyDescr>;

/// Both in one call, or the numeric part alone of cusparseSpGEMMreuse.
class CuSparseDiagonal final : public Implementation {
 public:
  CuSparseDiagonal(const ExecutionSpace& exec, const DiagonalCrs& A, const DiagonalCrs& B, bool reuse)
      : m_exec(exec), m_handle(exec), m_rows(A.numRows()), m_A{A}, m_B{B}, m_reuse(reuse) {}

  bool has_setup() const override { return m_reuse; }
  void setup() override {
    describe_csr(m_A, m_a);
    describe_csr(m_B, m_b);
    if (m_reuse) prepare();
  }
  void clear() override {
    for (DeviceArray<char>& buffer : m_buffers) buffer = {};
    m_c.clear();
    m_description.clear();
  }
  void run() override {
    if (m_reuse)
      check_cusparse(cusparseSpGEMMreuse_compute(m_handle, plain, plain, &m_one, m_a, m_b, &m_zero, m_c, CUDA_R_64F,
                                                 CUSPARSE_SPGEMM_DEFAULT, m_description),
                     "cusparseSpGEMMreuse_compute");
    else
      whole();
  }
  void apply(const DiagonalVector& x, const DiagonalVector& y) {
    const DiagonalCrs C("Lacuna::bench::C", m_rows, m_rows, static_cast<int>(m_values.extent(0)), m_values, m_map,
                        m_entries);
    spmv(m_exec, 1.0, C, x, 0.0, y);
  }

 private:
  static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void begin() {
    check_cusparse(cusparseSpGEMM_createDescr(m_description.fresh()), "cusparseSpGEMM_createDescr");
    m_map = DeviceArray<int>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "Lacuna::bench::map"), m_rows + 1);
    check_cusparse(cusparseCreateCsr(m_c.fresh(), m_rows, m_rows, 0, m_map.data(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                   "cusparseCreateCsr");
  }
  void take_result() {
    std::int64_t rows = 0, columns = 0, nonzeros = 0;
    check_cusparse(cusparseSpMatGetSize(m_c, &rows, &columns, &nonzeros), "cusparseSpMatGetSize");
    if (static_cast<std::int64_t>(m_values.extent(0)) != nonzeros) {
      m_entries =
          DeviceArray<int>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "Lacuna::bench::entries"), nonzeros);
      m_values = DeviceArray<double>(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "Lacuna::bench::values"),
                                     nonzeros);
    }
    check_cusparse(cusparseCsrSetPointers(m_c, m_map.data(), m_entries.data(), m_values.data()),
                   "cusparseCsrSetPointers");
  }

  void whole() {
    begin();
    const auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
    const auto step      = [&](auto function, std::size_t place, const char* call) {
      std::size_t bytes = 0;
      check_cusparse(function(m_handle, plain, plain, &m_one, m_a, m_b, &m_zero, m_c, CUDA_R_64F, algorithm,
                                   m_description, &bytes, nullptr),
                          call);
      if (m_buffers[place].extent(0) < bytes) m_buffers[place] = cusparse_buffer(m_exec, bytes);
      check_cusparse(function(m_handle, plain, plain, &m_one, m_a, m_b, &m_zero, m_c, CUDA_R_64F, algorithm,
                                   m_description, &bytes, m_buffers[place].data()),
                          call);
    };
    step(cusparseSpGEMM_workEstimation, 0, "cusparseSpGEMM_workEstimation");
    step(cusparseSpGEMM_compute, 1, "cusparseSpGEMM_compute");
    take_result();
    check_cusparse(cusparseSpGEMM_copy(m_handle, plain, plain, &m_one, m_a, m_b, &m_zero, m_c, CUDA_R_64F, algorithm,
                                       m_description),
                   "cusparseSpGEMM_copy");
  }

  void prepare() {
    begin();
    const auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
    std::size_t bytes    = 0;
    const auto estimate  = [&](void* buffer) {
      check_cusparse(cusparseSpGEMMreuse_workEstimation(m_handle, plain, plain, m_a, m_b, m_c, algorithm, m_description,
                                                         &bytes, buffer),
                      "cusparseSpGEMMreuse_workEstimation");
    };
    estimate(nullptr);
    m_buffers[0] = cusparse_buffer(m_exec, bytes);
    estimate(m_buffers[0].data());
    std::size_t sizes[3]{};
    const auto count = [&](void* first, void* second, void* third) {
      check_cusparse(cusparseSpGEMMreuse_nnz(m_handle, plain, plain, m_a, m_b, m_c, algorithm, m_description, &sizes[0],
                                             first, &sizes[1], second, &sizes[2], third),
                     "cusparseSpGEMMreuse_nnz");
    };
    count(nullptr, nullptr, nullptr);
    for (std::size_t k = 0; k < 3; ++k) m_buffers[1 + k] = cusparse_buffer(m_exec, sizes[k]);
    count(m_buffers[1].data(), m_buffers[2].data(), m_buffers[3].data());
    take_result();
    const auto copy = [&](void* buffer) {
      check_cusparse(
          cusparseSpGEMMreuse_copy(m_handle, plain, plain, m_a, m_b, m_c, algorithm, m_description, &bytes, buffer),
          "cusparseSpGEMMreuse_copy");
    };
    copy(nullptr);
    m_buffers[4] = cusparse_buffer(m_exec, bytes);
    copy(m_buffers[4].data());
  }

  ExecutionSpace m_exec;
  CuSparseHandle m_handle;
  int m_rows;
  CsrProblem m_A, m_B;
  bool m_reuse;
  double m_one = 1, m_zero = 0;
  CuSparseMatrix m_a, m_b, m_c;
  SpgemmDescription m_description;
  std::array<DeviceArray<char>, 5> m_buffers;
  DeviceArray<int> m_map, m_entries;
  DeviceArray<double> m_values;
};

#if defined(LACUNA_BENCH_CUBLAS)
struct RowTimes {
  DeviceArray<double> C;
  DiagonalVector x, y;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += C(i * n + j) * x(j);
    y(i) = sum;
  }
};

/// DGEMM of both as dense matrices.
class CuBlasDiagonal final : public Implementation {
 public:
  CuBlasDiagonal(const ExecutionSpace& exec, const DiagonalCrs& A, const DiagonalCrs& B)
      : m_exec(exec), m_n(A.numRows()), m_A(dense(A)), m_B(dense(B)), m_C("Lacuna::bench::dense_c", square()) {
    check_cublas(cublasCreate(&m_handle), "cublasCreate");
    check_cublas(cublasSetStream(m_handle, exec.cuda_stream()), "cublasSetStream");
  }
  ~CuBlasDiagonal() override { cublasDestroy(m_handle); }
  CuBlasDiagonal(const CuBlasDiagonal&)            = delete;
  CuBlasDiagonal& operator=(const CuBlasDiagonal&) = delete;

  static bool fits(std::int64_t n) { return 24.0 * static_cast<double>(n) * static_cast<double>(n) < 8e9; }
  bool has_setup() const override { return false; }
  void run() override {
    const double one = 1, zero = 0;  // row-major: C' = B' A'
    check_cublas(cublasDgemm(m_handle, CUBLAS_OP_N, CUBLAS_OP_N, m_n, m_n, m_n, &one, m_B.data(), m_n, m_A.data(), m_n,
                             &zero, m_C.data(), m_n),
                 "cublasDgemm");
  }
  void apply(const DiagonalVector& x, const DiagonalVector& y) {
    Kokkos::parallel_for("Lacuna::bench::dense_times", Rows(m_exec, 0, m_n), RowTimes{m_C, x, y, m_n});
  }

 private:
  std::size_t square() const { return static_cast<std::size_t>(m_n) * static_cast<std::size_t>(m_n); }
  DeviceArray<double> dense(const DiagonalCrs& X) const {
    const auto arrays = Impl::arrays_of(X);
    const DeviceArray<double> result("Lacuna::bench::dense", square());
    Kokkos::parallel_for("Lacuna::bench::dense", Rows(m_exec, 0, m_n),
                         ScatterRow<std::remove_cv_t<decltype(arrays)>, double>{arrays, result, m_n});
    return result;
  }

  ExecutionSpace m_exec;
  int m_n;
  DeviceArray<double> m_A, m_B, m_C;
  cublasHandle_t m_handle{};
};
#endif

template <class Own, class... Arguments>
DiagonalCandidate rival(const char* name, const Arguments&... arguments) {
  DiagonalCandidate made;
  made.candidate.name = name;
  made.candidate.make = [=] { return std::unique_ptr<Implementation>(std::make_unique<Own>(arguments...)); };
  made.apply          = [](Implementation& implementation, const DiagonalVector& x, const DiagonalVector& y) {
    static_cast<Own&>(implementation).apply(x, y);
  };
  return made;
}

}  // namespace

std::vector<DiagonalCandidate> cuda_diagonal_rivals(const ExecutionSpace& exec, const DiagonalCrs& A,
                                                    const DiagonalCrs& B) {
  std::vector<DiagonalCandidate> rivals;
  rivals.push_back(rival<CuSparseDiagonal>("cusparse:spgemm", exec, A, B, false));
  rivals.push_back(rival<CuSparseDiagonal>("cusparse:spgemm_reuse", exec, A, B, true));
#if defined(LACUNA_BENCH_CUBLAS)
  if (CuBlasDiagonal::fits(A.numRows())) rivals.push_back(rival<CuBlasDiagonal>("cublas:fp64", exec, A, B));
#endif
  return rivals;
}

}  // namespace lacuna::bench
