// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>

#include <petscdevice.h>
#include <petscksp.h>
#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

/// \file
/// \brief Times what solvers ask of PETSc's matrices, for several types of matrix in one program: MatMult,
/// MatMultTranspose, MatPtAP at first and with new values, and products with dense matrices. Results go out as JSON.
///
///     mpiexec -n 2 lacuna-engine-petsc -case elasticity -side 20 -types aijlacuna,aijkokkos,aij -output out.json
///     lacuna-engine-petsc -side 128 -types aijcusparse+plans,aijcusparse     # +plans: with LacunaMatUse

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string problem = "mesh27";
  PetscInt side       = 48;
  double seconds      = 1;
  std::vector<std::string> types{MATAIJLACUNA, MATAIJKOKKOS, MATAIJ};
  std::vector<PetscInt> columns{8, 32};
  std::string output;
};

PetscErrorCode read_options(Options* options) {
  char text[1024]      = "";
  PetscBool is_set     = PETSC_FALSE;
  PetscReal seconds    = options->seconds;
  PetscInt columns[16] = {}, count = 16;
  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "Times of PETSc's matrices", "Mat");
  PetscCall(
      PetscOptionsString("-case", "mesh27, elasticity", "", options->problem.c_str(), text, sizeof text, &is_set));
  if (is_set) options->problem = text;
  PetscCall(PetscOptionsInt("-side", "points of a side of the cube", "", options->side, &options->side, nullptr));
  PetscCall(PetscOptionsReal("-seconds", "time of one measurement", "", seconds, &seconds, nullptr));
  options->seconds = seconds;
  PetscCall(PetscOptionsString("-types", "types of matrix, with commas", "", "", text, sizeof text, &is_set));
  if (is_set) {
    options->types.clear();
    std::string left = text;
    for (std::size_t comma = 0; comma != std::string::npos; left.erase(0, comma + 1)) {
      comma = left.find(',');
      options->types.push_back(left.substr(0, comma));
      if (comma == std::string::npos) break;
    }
  }
  PetscCall(PetscOptionsIntArray("-columns", "columns of dense matrices", "", columns, &count, &is_set));
  if (is_set) options->columns.assign(columns, columns + count);
  PetscCall(PetscOptionsString("-output", "file of the results", "", "", text, sizeof text, &is_set));
  if (is_set) options->output = text;
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A cube of points with their 26 neighbours, `unknowns` of each point, dealt out in layers.
struct Cube {
  PetscInt side, unknowns;

  PetscInt points() const { return side * side * side; }
  std::array<PetscInt, 3> place(PetscInt point) const {
    return {point % side, point / side % side, point / side / side};
  }
  /// Calls `f(neighbour)` for each, the point itself among them.
  template <class F>
  PetscErrorCode neighbours(PetscInt point, const F& f) const {
    const auto [x, y, z] = place(point);
    PetscFunctionBegin;
    for (PetscInt dz = -1; dz <= 1; ++dz)
      for (PetscInt dy = -1; dy <= 1; ++dy)
        for (PetscInt dx = -1; dx <= 1; ++dx) {
          const PetscInt u = x + dx, v = y + dy, w = z + dz;
          if (u < 0 || u >= side || v < 0 || v >= side || w < 0 || w >= side) continue;
          PetscCall(f((w * side + v) * side + u));
        }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode begin_matrix(PetscInt own_rows, PetscInt own_columns, PetscInt row_block, PetscInt column_block,
                            PetscInt in_row, Mat* A) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, own_rows, own_columns, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSizes(*A, row_block, column_block));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*A, in_row, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*A, in_row, nullptr, in_row, nullptr));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode end_matrix(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscScalar value(PetscInt row, PetscInt column) {
  return row == column ? PetscScalar(30)
                       : PetscScalar(-0.5 - 0.5 * static_cast<double>((row * 7 + column * 13) % 11) / 11);
}

PetscErrorCode own_range(PetscInt all, PetscInt* own, PetscInt* begin) {
  PetscMPIInt ranks = 1, rank = 0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *begin = all * rank / ranks;
  *own   = all * (rank + 1) / ranks - *begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A, and the prolongator from a cube of half the side (a third where points have several unknowns).
///
/// `mesh27`: trilinear interpolation. `elasticity`: three unknowns of a point, six of a group of 3 x 3 x 3 points (its
/// rigid motions), smoothed: a point takes part in every group that a neighbour belongs to, with a block of 3 x 6.
PetscErrorCode make_problem(const Options& options, Mat* A, Mat* P) {
  const bool elasticity = options.problem == "elasticity";
  const Cube fine{options.side, elasticity ? 3 : 1};
  const PetscInt step = elasticity ? 3 : 2, coarse_unknowns = elasticity ? 6 : 1;
  const Cube coarse{(options.side + step - 1) / step, coarse_unknowns};
  PetscInt own = 0, begin = 0, own_coarse = 0, begin_coarse = 0;
  PetscFunctionBegin;
  PetscCheck(elasticity || options.problem == "mesh27", PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "no case %s",
             options.problem.c_str());
  PetscCall(own_range(fine.points(), &own, &begin));
  PetscCall(own_range(coarse.points(), &own_coarse, &begin_coarse));
  const PetscInt b = fine.unknowns, c = coarse.unknowns;
  PetscCall(begin_matrix(own * b, own * b, b, b, 27 * b, A));
  PetscCall(begin_matrix(own * b, own_coarse * c, b, c, 8 * c, P));
  std::vector<PetscScalar> block(static_cast<std::size_t>(b * std::max(b, c)));
  for (PetscInt point = begin; point < begin + own; ++point) {
    std::vector<PetscInt> groups;
    PetscCall(fine.neighbours(point, [&](PetscInt other) -> PetscErrorCode {
      PetscFunctionBegin;
      for (PetscInt i = 0; i < b; ++i)
        for (PetscInt j = 0; j < b; ++j)
          block[static_cast<std::size_t>(i * b + j)] = value(point * b + i, other * b + j);
      PetscCall(MatSetValuesBlocked(*A, 1, &point, 1, &other, block.data(), INSERT_VALUES));
      const auto [x, y, z] = fine.place(other);
      // Trilinear: points of even places are points of the coarse cube.
      if (elasticity || (x % 2 == 0 && y % 2 == 0 && z % 2 == 0))
        groups.push_back((z / step * coarse.side + y / step) * coarse.side + x / step);
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    for (const PetscInt group : groups) {
      for (PetscInt i = 0; i < b; ++i)
        for (PetscInt j = 0; j < c; ++j)
          block[static_cast<std::size_t>(i * c + j)] =
              1 / (PetscScalar(1) + static_cast<PetscScalar>((i + j + group) % 7));
      PetscCall(MatSetValuesBlocked(*P, 1, &point, 1, &group, block.data(), INSERT_VALUES));
    }
  }
  PetscCall(end_matrix(*A));
  PetscCall(end_matrix(*P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What has been launched is done.
PetscErrorCode wait_for_device() {
  PetscDeviceContext context = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Seconds of the slowest process.
PetscErrorCode time_once(const std::function<PetscErrorCode()>& work, double* seconds) {
  PetscFunctionBegin;
  PetscCall(wait_for_device());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double began = MPI_Wtime();
  PetscCall(work());
  PetscCall(wait_for_device());
  double took = MPI_Wtime() - began;
  PetscCallMPI(MPI_Allreduce(&took, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The median of as many runs as fit the time, five at least; `prepare` is not measured.
PetscErrorCode time_often(double limit, const std::function<PetscErrorCode()>& prepare,
                          const std::function<PetscErrorCode()>& work, Json* result) {
  std::vector<double> times;
  double all = 0;
  PetscFunctionBegin;
  PetscCall(prepare());
  PetscCall(work());
  while (times.size() < 5 || (all < limit && times.size() < 1000)) {
    double seconds = 0;
    PetscCall(prepare());
    PetscCall(time_once(work, &seconds));
    times.push_back(seconds);
    all += seconds;
  }
  std::sort(times.begin(), times.end());
  *result = {{"seconds", times[times.size() / 2]}, {"least", times.front()}, {"runs", times.size()}};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode nothing() { return PETSC_SUCCESS; }

PetscErrorCode time_vectors(const Options& options, Mat A, Mat P, Json* result) {
  Vec x = nullptr, y = nullptr, coarse = nullptr;
  PetscReal norm = 0;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(MatCreateVecs(P, &coarse, nullptr));
  PetscCall(VecSetRandom(x, nullptr));
  double first = 0;
  PetscCall(time_once([&] { return MatMult(A, x, y); }, &first));
  PetscCall(time_often(
      options.seconds, nothing, [&] { return MatMult(A, x, y); }, &(*result)["MatMult"]));
  (*result)["MatMult"]["first"] = first;
  PetscCall(VecNorm(y, NORM_2, &norm));
  (*result)["MatMult"]["norm"] = norm;
  PetscCall(time_often(
      options.seconds, nothing, [&] { return MatMultTranspose(P, y, coarse); }, &(*result)["MatMultTranspose of P"]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_products(const Options& options, Mat A, Mat P, Json* result) {
  Mat C          = nullptr;
  PetscReal norm = 0;
  double first   = 0;
  MatInfo info;
  PetscFunctionBegin;
  // Cold and warm: the first product of all also starts what is started once.
  PetscCall(time_once([&] { return MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C); }, &first));
  PetscCall(MatDestroy(&C));
  const auto drop  = [&] { return MatDestroy(&C); };
  const auto make  = [&] { return MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C); };
  const auto again = [&] { return MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &C); };
  const auto renew = [&] { return MatScale(A, PetscScalar(1)); };
  PetscCall(time_often(options.seconds, drop, make, &(*result)["MatPtAP first"]));
  (*result)["MatPtAP first"]["cold"] = first;
  PetscCall(time_often(options.seconds, renew, again, &(*result)["MatPtAP again"]));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
  PetscCall(MatGetInfo(C, MAT_GLOBAL_SUM, &info));
  (*result)["MatPtAP again"]["norm"]     = norm;
  (*result)["MatPtAP again"]["nonzeros"] = info.nz_used;
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_dense(const Options& options, Mat A, PetscInt columns, Json* result) {
  Mat B = nullptr, C = nullptr;
  PetscInt own   = 0;
  PetscReal norm = 0;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, nullptr, &own));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, own, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, &B));
  PetscCall(MatSetRandom(B, nullptr));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  Json& times = (*result)["MatMatMult of " + std::to_string(columns) + " columns"];
  PetscCall(time_often(
      options.seconds, nothing, [&] { return MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DETERMINE, &C); }, &times));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
  times["norm"] = norm;
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Bytes of all processes together.
PetscErrorCode most_memory(double* bytes) {
  rusage usage{};
  PetscFunctionBegin;
  getrusage(RUSAGE_SELF, &usage);
  double own = 1024.0 * static_cast<double>(usage.ru_maxrss);
  PetscCallMPI(MPI_Allreduce(&own, bytes, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_type(const Options& options, const std::string& type, Mat plain_A, Mat plain_P, Json* result) {
  Mat A = nullptr, P = nullptr;
  double before = 0, after = 0;
  PetscFunctionBegin;
  const std::string plans = "+plans", base = type.substr(0, type.find(plans));
  PetscCall(MatConvert(plain_A, base.c_str(), MAT_INITIAL_MATRIX, &A));
  PetscCall(MatConvert(plain_P, base.c_str(), MAT_INITIAL_MATRIX, &P));
  if (base != type) {
    PetscCall(LacunaMatUse(A));
    PetscCall(LacunaMatUse(P));
  }
  PetscCall(most_memory(&before));
  (*result)["type"] = type;
  PetscCall(time_products(options, A, P, result));
  PetscCall(most_memory(&after));
  // Of the process until then: right for the first type only, so that memory is compared by runs of one type.
  (*result)["most bytes before products"] = before;
  (*result)["most bytes after products"]  = after;
  PetscCall(time_vectors(options, A, P, result));
  for (const PetscInt columns : options.columns) PetscCall(time_dense(options, A, columns, result));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run() {
  Options options;
  Mat A = nullptr, P = nullptr;
  MatInfo of_a, of_p;
  PetscInt rows = 0, coarse = 0;
  PetscMPIInt ranks = 1, rank = 0;
  PetscFunctionBegin;
  PetscCall(LacunaRegister());
  PetscCall(read_options(&options));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(make_problem(options, &A, &P));
  PetscCall(MatGetSize(P, &rows, &coarse));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &of_a));
  PetscCall(MatGetInfo(P, MAT_GLOBAL_SUM, &of_p));
  const char* threads       = std::getenv("OMP_NUM_THREADS");
  const std::string version = std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
                              std::to_string(PETSC_VERSION_SUBMINOR);
  Json report = {{"program", "lacuna-engine-petsc"},
                 {"petsc", version},
                 {"scalar bits", 8 * sizeof(PetscScalar)},
                 {"index bits", 8 * sizeof(PetscInt)},
                 {"ranks", ranks},
                 {"threads", threads != nullptr ? threads : "unset"},
                 {"case", options.problem},
                 {"side", options.side},
                 {"rows", rows},
                 {"nonzeros", of_a.nz_used},
                 {"coarse rows", coarse},
                 {"nonzeros of P", of_p.nz_used},
                 {"types", Json::array()}};
  for (const std::string& type : options.types) {
    Json result;
    PetscCall(time_type(options, type, A, P, &result));
    report["types"].push_back(result);
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  if (rank == 0) {
    if (options.output.empty())
      std::cout << report.dump(2) << std::endl;
    else
      std::ofstream(options.output) << report.dump(2) << "\n";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

int main(int count, char** arguments) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&count, &arguments, nullptr, nullptr));
  PetscCall(run());
  PetscCall(PetscFinalize());
  return 0;
}
