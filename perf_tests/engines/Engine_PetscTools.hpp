// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINE_PETSCTOOLS_HPP
#define LACUNA_ENGINE_PETSCTOOLS_HPP

#include <petscmat.h>
#include <support/Bench_Session.hpp>
#include <support/Bench_Timing.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief PETSc's objects and errors in C++, and times of what all processes do together.

namespace lacuna::bench {

/// \brief Keeps the sentence of PETSc's errors in place of printing it; to be called once.
void keep_petsc_errors();

/// \brief With one process an error is an exception with PETSc's sentence; of several it ends them all, since the
/// others would wait for ever.
void check(PetscErrorCode code);

/// \brief An object that is destroyed at the end of its scope: Mat or Vec.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
 public:
  Owned()                        = default;
  Owned(const Owned&)            = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }

  operator Object() const { return m_object; }
  void reset() {
    if (m_object != nullptr) check(destroy(&m_object));
  }
  void swap(Owned& other) { std::swap(m_object, other.m_object); }
  /// \brief For functions that make it, or make it again.
  Object* out() { return &m_object; }

 private:
  Object m_object = nullptr;
};
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedVec = Owned<Vec, VecDestroy>;

/// \brief Until all that was launched is done, by PETSc or by Kokkos.
void wait_for_devices();

/// \brief The largest of all processes.
double largest(double value);
double sum_of(double value);

/// \brief Fills a vector with numbers that its global indices determine.
void fill(Vec vector, int seed);
/// \brief The part of this process, on the host.
std::vector<PetscScalar> values_of(Vec vector);
/// \brief The other way.
void set_values(Vec vector, const std::vector<PetscScalar>& values);
/// \brief A dense matrix of the vector type of A, with rows as A has and numbers that their places determine.
void make_dense(Mat A, std::int64_t columns, Mat* B);
/// \brief |a - b| / |b| over all processes, in the 2-norm.
double relative_difference(const std::vector<PetscScalar>& a, const std::vector<PetscScalar>& b);

/// \brief Seconds of the slowest process for so many calls, with whatever they left to do on devices.
template <class Call>
double collective_seconds(std::int64_t calls, const Call& call) {
  wait_for_devices();
  check(PetscErrorCode(MPI_Barrier(PETSC_COMM_WORLD) == MPI_SUCCESS ? PETSC_SUCCESS : PETSC_ERR_MPI));
  const double start = MPI_Wtime();
  for (std::int64_t i = 0; i < calls; ++i) call();
  wait_for_devices();
  return largest(MPI_Wtime() - start);
}

/// \brief The steady time of calls back to back; all processes make as many.
template <class Call>
SteadyTime collective_time(const TimingOptions& options, const Call& call) {
  double estimate = collective_seconds(1, call);
  for (int i = 0; i < 3 && estimate < 0.05; ++i) estimate = std::min(estimate, collective_seconds(1, call));
  const double per_batch   = options.min_time / options.batches / std::max(estimate, 1e-7);
  const std::int64_t calls = std::clamp<std::int64_t>(static_cast<std::int64_t>(per_batch) + 1, 1, 20000);
  std::vector<double> times;
  for (double all = 0; static_cast<int>(times.size()) < options.batches;) {
    const double seconds = collective_seconds(calls, call);
    times.push_back(seconds / static_cast<double>(calls));
    all += seconds;
    if (times.size() >= 3 && all > std::max(4 * options.min_time, 0.2)) break;
  }
  const auto batches = static_cast<std::int64_t>(times.size());
  return summarise(std::move(times), calls * batches);
}

/// \brief The steady time of single calls, each after `prepare`, which does not count.
template <class Prepare, class Call>
SteadyTime collective_time_each(const TimingOptions& options, const Prepare& prepare, const Call& call) {
  std::vector<double> times;
  double all = 0;
  while (static_cast<int>(times.size()) < options.batches || all < options.min_time) {
    prepare();
    times.push_back(collective_seconds(1, call));
    all += times.back();
    if (times.size() >= 3 && all > std::max(4 * options.min_time, 0.2)) break;
  }
  const auto calls = static_cast<std::int64_t>(times.size());
  return summarise(std::move(times), calls);
}

/// \brief Into a measurement.
void take(Measurement& measurement, const SteadyTime& time);

/// \brief Bytes that `call` takes at the most beyond what was there before, of all processes together: on the host, or
/// on the device where there is one. 0 where the system does not tell.
double peak_bytes(const std::function<void()>& call);

}  // namespace lacuna::bench

#endif
