// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#if defined(LACUNA_TIME_OURS)
#include <Lacuna_KokkosKernels.hpp>
#endif

#include <Lacuna_Generators.hpp>
#include <Lacuna_MatrixIO.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spgemm.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

/// \file
/// \brief A program that calls Kokkos Kernels and knows of nothing else: it times products, and writes JSON.
///
/// It is compiled as it is, with the products of cuSPARSE, and with Lacuna_KokkosKernels.hpp in front: programs of
/// their own, since one function of Kokkos Kernels cannot be compiled in two ways in one. `scripts/kokkos_kernels.py`
/// runs them turn by turn.

namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Device  = Exec::device_type;
using Memory  = Exec::memory_space;
using Matrix  = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Vector  = Kokkos::View<double*, Device>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Device>;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of `call`, from the first to the end of all its work.
template <class Call>
double once(const Call& call) {
  Kokkos::fence();
  const double start = seconds_now();
  call();
  Kokkos::fence();
  return seconds_now() - start;
}

/// The median of batches of calls, whose work is waited for at the end of each batch.
template <class Call>
double warm(const Call& call, double seconds) {
  const double first = std::max(once(call), 1e-7);
  const int batch    = std::max(1, static_cast<int>(seconds / 20 / first));
  std::vector<double> times;
  for (double spent = 0; spent < seconds || times.size() < 5;) {
    const double time = once([&] {
      for (int i = 0; i < batch; ++i) call();
    });
    times.push_back(time / batch);
    spent += time;
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

template <class View>
void fill(const View& view) {
  Kokkos::Random_XorShift64_Pool<Exec> pool(42);
  Kokkos::fill_random(view, pool, 0.5, 1.0);
}

/// Weighted, so that elements in other places give another sum.
template <class View>
double checksum(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  double sum      = 0;
  for (std::size_t i = 0; i < host.size(); ++i) sum += host.data()[i] * (1.0 + static_cast<double>(i % 97));
  return sum;
}
double checksum(const Matrix& C) { return checksum(C.values) + static_cast<double>(C.nnz()); }

/// What was measured of an operation.
struct Result {
  const char* operation;
  double first, median, checksum;
};

/// y = A x, or Y = A X of `columns` columns, with a handle.
template <class View>
Result times_of_spmv(const char* operation, const Matrix& A, const View& x, const View& y, double seconds) {
  const Exec exec;
  KokkosSparse::SPMVHandle<Exec, Matrix, View, View> handle;
  const auto multiply = [&] { KokkosSparse::spmv(exec, &handle, "N", 1.0, A, x, 0.0, y); };
  const double first  = once(multiply);
  const double median = warm(multiply, seconds);
  return {operation, first, median, checksum(y)};
}

Result times_without_handle(const Matrix& A, const Vector& x, const Vector& y, double seconds) {
  const Exec exec;
  const auto multiply = [&] { KokkosSparse::spmv(exec, "N", 1.0, A, x, 0.0, y); };
  const double first  = once(multiply);
  const double median = warm(multiply, seconds);
  return {"spmv without a handle", first, median, checksum(y)};
}

Result times_of_spgemm(const Matrix& A, double seconds) {
  std::optional<Matrix> C;
  const auto multiply = [&] {
    C.reset();
    C = KokkosSparse::spgemm<Matrix>(A, false, A, false);
  };
  const double first  = once(multiply);
  const double median = warm(multiply, seconds);
  return {"spgemm", first, median, checksum(*C)};
}

Result times_of_numeric(const Matrix& A, double seconds) {
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Exec, Memory, Memory>;
  Handle handle;
  // What a handle on a GPU is by default. On hosts the default of Kokkos Kernels before 5.2 is one thread.
  handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
  Matrix C;
  const auto numeric  = [&] { KokkosSparse::spgemm_numeric(handle, A, false, A, false, C); };
  const double first  = once([&] {
    KokkosSparse::spgemm_symbolic(handle, A, false, A, false, C);
    numeric();
  });
  const double median = warm(numeric, seconds);
  handle.destroy_spgemm_handle();
  return {"spgemm_numeric", first, median, checksum(C)};
}

Matrix load(const std::string& name) {
  return name.find(".mtx") == std::string::npos ? lacuna::generate<Matrix>(name) : lacuna::read_matrix<Matrix>(name);
}

std::vector<Result> times_of(const Matrix& A, double seconds) {
  std::vector<Result> results;
  {
    const Vector x("x", A.numCols()), y("y", A.numRows());
    fill(x);
    results.push_back(times_of_spmv("spmv", A, x, y, seconds));
    results.push_back(times_without_handle(A, x, y, seconds));
  }
  for (const int columns : {8, 32}) {
    const Vectors x("x", A.numCols(), columns), y("y", A.numRows(), columns);
    fill(x);
    results.push_back(times_of_spmv(columns == 8 ? "spmv of 8 columns" : "spmv of 32 columns", A, x, y, seconds));
  }
  results.push_back(times_of_spgemm(A, seconds));
  results.push_back(times_of_numeric(A, seconds));
  return results;
}

/// JSON, put together here, so that nvcc need not compile a library for it.
std::string text_of(const std::string& name, const Matrix& A, const std::vector<Result>& results) {
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10);
  text << R"({"matrix": )" << std::quoted(name) << R"(, "rows": )" << A.numRows() << R"(, "nonzeros": )" << A.nnz()
       << R"(, "results": [)";
  for (std::size_t i = 0; i < results.size(); ++i)
    text << (i > 0 ? ", " : "") << R"({"operation": ")" << results[i].operation << R"(", "first_seconds": )"
         << results[i].first << R"(, "seconds": )" << results[i].median << R"(, "checksum": )" << results[i].checksum
         << '}';
  text << "]}";
  return text.str();
}

std::string run(const std::vector<std::string>& matrices, double seconds) {
  std::ostringstream text;
  text << R"({"program": ")" << LACUNA_TIME_PROGRAM << R"(", "kokkos": )" << KOKKOS_VERSION << R"(, "kokkos_kernels": )"
       << KOKKOSKERNELS_VERSION << R"(, "space": ")" << Exec::name() << R"(", "concurrency": )" << Exec().concurrency()
       << R"(, "matrices": [)";
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Matrix A = load(matrices[i]);
    text << (i > 0 ? ", " : "") << text_of(matrices[i], A, times_of(A, seconds));
  }
  text << "]}";
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SECONDS MATRIX...   (a file .mtx or .mtx.gz, or mesh27:n=64)\n", argv[0]);
    return 2;
  }
  try {
    std::printf("%s\n", run({argv + 2, argv + argc}, std::atof(argv[1])).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
