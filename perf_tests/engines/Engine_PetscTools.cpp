// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscTools.hpp>

#include <petscdevice.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace lacuna::bench {

namespace {

std::string& last_error() {
  static std::string text;
  return text;
}

PetscErrorCode keep_error(MPI_Comm, int, const char* function, const char*, PetscErrorCode code, PetscErrorType type,
                          const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL) last_error() = std::string(function) + ": " + (message == nullptr ? "" : message);
  return code;
}

int number_of_processes() {
  int size = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

double reduced(double value, MPI_Op operation) {
  double result = 0;
  if (MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, PETSC_COMM_WORLD) != MPI_SUCCESS) check(PETSC_ERR_MPI);
  return result;
}

#if defined(KOKKOS_ENABLE_CUDA)
double used_now() {
  std::size_t left = 0, all = 0;
  return cudaMemGetInfo(&left, &all) == cudaSuccess ? static_cast<double>(all - left) : 0;
}

/// What a device holds is not remembered by anybody: it is asked all the time.
double most_used(const std::function<void()>& call) {
  std::atomic<bool> done = false;
  double most            = used_now();
  int device             = 0;
  cudaGetDevice(&device);
  std::thread watch([&] {
    cudaSetDevice(device);
    while (!done) most = std::max(most, used_now());
  });
  call();
  wait_for_devices();
  done = true;
  watch.join();
  return most;
}
#else
double bytes_in_status(const std::string& key) {
  std::ifstream stream("/proc/self/status");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key + ":")) return 1024 * std::stod(line.substr(key.size() + 1));
  return 0;
}

double used_now() { return bytes_in_status("VmRSS"); }

double most_used(const std::function<void()>& call) {
  std::ofstream("/proc/self/clear_refs") << "5";  // from here on the high-water mark counts
  call();
  wait_for_devices();
  return bytes_in_status("VmHWM");
}
#endif

void fill_dense(Mat B) {
  PetscInt begin = 0, end = 0, rows = 0, columns = 0, stride = 0;
  PetscScalar* values = nullptr;
  check(MatGetOwnershipRange(B, &begin, &end));
  check(MatGetSize(B, &rows, &columns));
  check(MatDenseGetLDA(B, &stride));
  check(MatDenseGetArrayWrite(B, &values));
  for (PetscInt column = 0; column < columns; ++column)
    for (PetscInt row = begin; row < end; ++row)
      values[column * stride + row - begin] = static_cast<PetscScalar>((row * 5 + column * 17) % 89) / 89;
  check(MatDenseRestoreArrayWrite(B, &values));
  check(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
}

}  // namespace

void keep_petsc_errors() {
  // Those of several processes are printed, with the trace, before all end.
  if (number_of_processes() == 1) check(PetscPushErrorHandler(keep_error, nullptr));
}

void check(PetscErrorCode code) {
  if (code == PETSC_SUCCESS) return;
  const char* kind = nullptr;
  if (number_of_processes() > 1 || PetscErrorMessage(code, &kind, nullptr) != PETSC_SUCCESS) {
    std::fprintf(stderr, "lacuna-bench engine: an error of PETSc, see above\n");
    MPI_Abort(PETSC_COMM_WORLD, 2);
  }
  throw std::runtime_error(last_error() + " (" + (kind == nullptr ? "PETSc" : kind) + ")");
}

void wait_for_devices() {
  PetscDeviceContext context = nullptr;
  check(PetscDeviceContextGetCurrentContext(&context));
  check(PetscDeviceContextSynchronize(context));
  Kokkos::fence("Lacuna::bench: measured calls");
}

double largest(double value) { return reduced(value, MPI_MAX); }
double sum_of(double value) { return reduced(value, MPI_SUM); }

void fill(Vec vector, int seed) {
  PetscInt begin = 0, end = 0;
  PetscScalar* values = nullptr;
  check(VecGetOwnershipRange(vector, &begin, &end));
  check(VecGetArrayWrite(vector, &values));
  for (PetscInt i = begin; i < end; ++i)
    values[i - begin] = PetscScalar(0.5) + static_cast<PetscScalar>((i * 7 + seed * 13 + i / 64) % 101) / 101;
  check(VecRestoreArrayWrite(vector, &values));
}

std::vector<PetscScalar> values_of(Vec vector) {
  PetscInt size             = 0;
  const PetscScalar* values = nullptr;
  check(VecGetLocalSize(vector, &size));
  check(VecGetArrayRead(vector, &values));
  std::vector<PetscScalar> copy(values, values + size);
  check(VecRestoreArrayRead(vector, &values));
  return copy;
}

void set_values(Vec vector, const std::vector<PetscScalar>& values) {
  PetscScalar* place = nullptr;
  check(VecGetArrayWrite(vector, &place));
  std::copy(values.begin(), values.end(), place);
  check(VecRestoreArrayWrite(vector, &place));
}

void make_dense(Mat A, std::int64_t columns, Mat* B) {
  PetscInt own   = 0;
  VecType vector = nullptr;
  check(MatGetLocalSize(A, nullptr, &own));
  check(MatGetVecType(A, &vector));
  check(MatCreateDenseFromVecType(PETSC_COMM_WORLD, vector, own, PETSC_DECIDE, PETSC_DETERMINE,
                                  static_cast<PetscInt>(columns), PETSC_DETERMINE, nullptr, B));
  fill_dense(*B);
}

double relative_difference(const std::vector<PetscScalar>& a, const std::vector<PetscScalar>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  difference = sum_of(difference);
  size       = sum_of(size);
  return size > 0 ? std::sqrt(difference / size) : difference;
}

void take(Measurement& measurement, const SteadyTime& time) {
  measurement.seconds = time.seconds;
  measurement.spread  = time.spread;
  measurement.calls   = time.calls;
}

double peak_bytes(const std::function<void()>& call) {
  wait_for_devices();
  const double before = used_now();
  return sum_of(std::max(0.0, most_used(call) - before));
}

}  // namespace lacuna::bench
