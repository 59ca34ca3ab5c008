// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscCases.hpp>

#include <Lacuna_Petsc.hpp>
#include <engines/Engine_PetscSolve.hpp>
#include <engines/Engine_PetscSpmv.hpp>
#include <support/Bench_Table.hpp>

#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace lacuna::bench {

namespace {

constexpr const char* with_plans = "+plans";

/// The matrices of a problem in one type. They are assembled in it: PETSc 3.26.1 cannot multiply parallel aijkokkos
/// matrices that were converted.
class TypedProblem {
 public:
  TypedProblem(PetscProblem& plain, const std::string& type)
      : m_plain(plain),
        m_typed(plain.name(), type.substr(0, type.find(with_plans))),
        m_has_plans(type.ends_with(with_plans)) {}

  PetscProblem& plain() { return m_plain; }
  Mat A() { return with_its_plans(m_typed.A()); }
  Mat P() { return with_its_plans(m_typed.P()); }
  /// Whether A is sequential and multiplied by a plan of ours.
  bool has_one_plan() {
    int ranks = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    PetscBool is_ours = PETSC_FALSE;
    check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A()), MATSEQAIJLACUNA, &is_ours));
    return ranks == 1 && (m_has_plans || is_ours == PETSC_TRUE);
  }
  double assembly_seconds() const { return m_typed.assembly_seconds(); }

 private:
  Mat with_its_plans(Mat matrix) const {
    if (m_has_plans) check(LacunaMatUse(matrix));  // once or more often
    return matrix;
  }

  PetscProblem& m_plain;
  PetscProblem m_typed;
  bool m_has_plans;
};

struct Extents {
  double rows = 0, columns = 0, nonzeros = 0;
};

Extents extents_of(Mat A) {
  PetscInt rows = 0, columns = 0;
  MatInfo info;
  check(MatGetSize(A, &rows, &columns));
  check(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  return {static_cast<double>(rows), static_cast<double>(columns), info.nz_used};
}

/// Values, column indices, row map: once each.
double bytes_of(const Extents& A) {
  return A.nonzeros * (sizeof(PetscScalar) + sizeof(PetscInt)) + (A.rows + 1) * sizeof(PetscInt);
}

Work work_of(const Extents& A, double flops, double bytes) {
  return {static_cast<std::int64_t>(A.rows),
          static_cast<std::int64_t>(A.columns),
          static_cast<std::int64_t>(A.nonzeros),
          flops,
          bytes,
          {}};
}

/// Sums in another order, and of processes: far more than these differ by, far less than what is wrong differs by.
void judge(Measurement& measurement, const std::vector<PetscScalar>& found, const std::vector<PetscScalar>& wanted) {
  measurement.relative_error = relative_difference(found, wanted);
  measurement.wrong          = !(measurement.relative_error < 1e3 * std::numeric_limits<PetscScalar>::epsilon());
}

Measurement measure_mult(TypedProblem& problem, const TimingOptions& timing) {
  OwnedVec x, y, plain_x, plain_y;
  const Mat A = problem.A();
  check(MatCreateVecs(A, x.out(), y.out()));
  check(MatCreateVecs(problem.plain().A(), plain_x.out(), plain_y.out()));
  fill(x, 1);
  fill(plain_x, 1);
  Measurement measurement;
  const auto call    = [&] { check(MatMult(A, x, y)); };
  const double first = collective_seconds(1, call);
  check(MatMult(problem.plain().A(), plain_x, plain_y));
  measurement.statistics.emplace_back("assembly_ms", 1e3 * problem.assembly_seconds());
  judge(measurement, values_of(y), values_of(plain_y));
  if (measurement.wrong) return measurement;
  take(measurement, collective_time(timing, call));
  measurement.setup_seconds = std::max(0.0, first - measurement.seconds);
  if (problem.has_one_plan()) measurement.statistics.emplace_back("spmv_us", 1e6 * spmv_time(A, timing).seconds);
  return measurement;
}

Measurement measure_transpose(TypedProblem& problem, const TimingOptions& timing) {
  OwnedVec x, y, plain_x, plain_y;
  const Mat P = problem.P();
  check(MatCreateVecs(P, y.out(), x.out()));
  check(MatCreateVecs(problem.plain().P(), plain_y.out(), plain_x.out()));
  fill(x, 2);
  fill(plain_x, 2);
  Measurement measurement;
  const auto call    = [&] { check(MatMultTranspose(P, x, y)); };
  const double first = collective_seconds(1, call);
  check(MatMultTranspose(problem.plain().P(), plain_x, plain_y));
  judge(measurement, values_of(y), values_of(plain_y));
  if (measurement.wrong) return measurement;
  take(measurement, collective_time(timing, call));
  measurement.setup_seconds = std::max(0.0, first - measurement.seconds);
  return measurement;
}

/// C x beside Pᵀ (A (P x)) of the plain matrices.
void judge_galerkin(Measurement& measurement, PetscProblem& plain, Mat C) {
  OwnedVec x, y, coarse, fine, image, wanted;
  check(MatCreateVecs(C, x.out(), y.out()));
  check(MatCreateVecs(plain.P(), coarse.out(), fine.out()));
  check(MatCreateVecs(plain.P(), wanted.out(), image.out()));
  fill(x, 3);
  fill(coarse, 3);
  check(MatMult(C, x, y));
  check(MatMult(plain.P(), coarse, fine));
  check(MatMult(plain.A(), fine, image));
  check(MatMultTranspose(plain.P(), image, wanted));
  judge(measurement, values_of(y), values_of(wanted));
}

/// The first product, with its symbolic part, C made and destroyed.
Measurement measure_galerkin(TypedProblem& problem, const TimingOptions& timing) {
  OwnedMat C;
  const Mat A = problem.A(), P = problem.P();
  Measurement measurement;
  const auto call             = [&] { check(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, C.out())); };
  measurement.temporary_bytes = static_cast<std::int64_t>(peak_bytes(call));
  judge_galerkin(measurement, problem.plain(), C);
  if (measurement.wrong) return measurement;
  take(measurement, collective_time_each(
                        timing, [&] { C.reset(); }, call));
  return measurement;
}

/// Again, with new values of A.
Measurement measure_galerkin_again(TypedProblem& problem, const TimingOptions& timing) {
  OwnedMat C;
  const Mat A = problem.A(), P = problem.P();
  Measurement measurement;
  measurement.setup_seconds =
      collective_seconds(1, [&] { check(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, C.out())); });
  // By one, PETSc scales nothing and says nothing of new values; these leave them as they were.
  const auto renew = [&] {
    check(MatScale(A, PetscScalar(2)));
    check(MatScale(A, PetscScalar(0.5)));
  };
  const auto call = [&] { check(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DETERMINE, C.out())); };
  renew();
  call();
  judge_galerkin(measurement, problem.plain(), C);
  if (measurement.wrong) return measurement;
  take(measurement, collective_time_each(timing, renew, call));
  return measurement;
}

/// M x for a dense M and one x of all processes, computed here: PETSc 3.26.1 cannot multiply its dense matrices on a
/// device with vectors of Kokkos.
std::vector<PetscScalar> times_one_vector(Mat M) {
  PetscInt rows = 0, columns = 0, stride = 0;
  const PetscScalar* values = nullptr;
  check(MatGetLocalSize(M, &rows, nullptr));
  check(MatGetSize(M, nullptr, &columns));
  check(MatDenseGetLDA(M, &stride));
  check(MatDenseGetArrayRead(M, &values));
  std::vector<PetscScalar> product(static_cast<std::size_t>(rows));
  for (PetscInt column = 0; column < columns; ++column) {
    const PetscScalar x = PetscScalar(0.5) + static_cast<PetscScalar>(column * 7 % 101) / 101;
    for (PetscInt row = 0; row < rows; ++row)
      product[static_cast<std::size_t>(row)] += values[static_cast<std::size_t>(column) * stride + row] * x;
  }
  check(MatDenseRestoreArrayRead(M, &values));
  return product;
}

/// C x beside A (B x), A the plain matrix.
void judge_dense(Measurement& measurement, Mat plain_A, Mat B, Mat C) {
  OwnedVec image, wanted;
  check(MatCreateVecs(plain_A, image.out(), wanted.out()));
  set_values(image, times_one_vector(B));
  check(MatMult(plain_A, image, wanted));
  judge(measurement, times_one_vector(C), values_of(wanted));
}

Measurement measure_dense(TypedProblem& problem, std::int64_t columns, const TimingOptions& timing) {
  OwnedMat B, C;
  const Mat A = problem.A();
  make_dense(A, columns, B.out());
  Measurement measurement;
  measurement.setup_seconds =
      collective_seconds(1, [&] { check(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DETERMINE, C.out())); });
  const auto call = [&] { check(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DETERMINE, C.out())); };
  call();
  judge_dense(measurement, problem.plain().A(), B, C);
  if (measurement.wrong) return measurement;
  take(measurement, collective_time(timing, call));
  return measurement;
}

/// The type, and what else a table has to tell.
std::string label_of(std::string label, const Measurement& measurement) {
  for (const auto& [name, value] : measurement.statistics) {
    if (name == "krylov_iterations") label += ", " + std::to_string(std::llround(value)) + " iterations";
    if (name == "spmv_us") label += ", " + fixed(1e6 * measurement.seconds - value, 2) + " us above lacuna::spmv";
  }
  if (measurement.temporary_bytes > 0)
    label += ", " + readable_bytes(static_cast<double>(measurement.temporary_bytes)) + " at the most";
  return label;
}

}  // namespace

std::vector<PetscType> name_petsc_types(const std::vector<std::string>& types) {
  std::vector<PetscType> named;
  bool first = true;
  for (const std::string& type : types) {
    const bool ours = type == MATAIJLACUNA || type.ends_with(with_plans);
    named.push_back({type, ours ? (first ? "lacuna:automatic" : "lacuna:" + type) : "petsc:" + type});
    if (ours) first = false;
  }
  return named;
}

const std::vector<std::string>& petsc_operations() {
  static const std::vector<std::string> names{"matptap",    "matptap-again",      "matmult",         "matmulttranspose",
                                              "matmatmult", "kspmatsolve-jacobi", "kspmatsolve-gamg"};
  return names;
}

std::vector<Case> petsc_cases(PetscProblem& problem, const PetscType& type, const PetscChoice& choice,
                              const TimingOptions& timing) {
  const auto typed  = std::make_shared<TypedProblem>(problem, type.type);
  const Extents A   = extents_of(problem.A());
  const auto scalar = sizeof(PetscScalar);
  std::vector<Case> cases;
  const auto add = [&](const std::string& operation, std::int64_t width, const Work& work, auto measure) {
    cases.push_back({operation, problem.name(), scalar == 4 ? "float" : "double", width, type.implementation, work,
                     [typed, timing, label = type.type, measure] {
                       Measurement measurement = measure(*typed, timing);
                       measurement.label       = label_of(label, measurement);
                       return measurement;
                     }});
  };
  const auto add_with_columns = [&](const std::string& operation, std::int64_t width) {
    const auto n = static_cast<double>(width);
    if (operation == "matmatmult")
      add(operation, width, work_of(A, 2 * n * A.nonzeros, bytes_of(A) + n * (A.rows + A.columns) * scalar),
          [width](TypedProblem& typed_problem, const TimingOptions& options) {
            return measure_dense(typed_problem, width, options);
          });
    else
      add(operation, width, work_of(A, 0, 0),
          [width, preconditioner = operation.substr(operation.find('-') + 1)](TypedProblem& typed_problem,
                                                                              const TimingOptions& options) {
            return measure_solve(typed_problem.A(), typed_problem.plain().A(), preconditioner, width, options);
          });
  };
  const auto is_chosen = [&](const std::string& operation) {
    return std::find(choice.operations.begin(), choice.operations.end(), operation) != choice.operations.end();
  };
  for (const std::string& operation : petsc_operations()) {
    if (!is_chosen(operation)) continue;
    // C is of as many nonzeros as it turns out to have: rates of MatPtAP are those of reading A and P.
    if (operation.starts_with("matptap")) {
      add(operation, 0, work_of(A, 0, bytes_of(A) + bytes_of(extents_of(problem.P()))),
          operation == "matptap" ? measure_galerkin : measure_galerkin_again);
    } else if (operation == "matmult") {
      add(operation, 0, work_of(A, 2 * A.nonzeros, bytes_of(A) + (A.rows + A.columns) * scalar), measure_mult);
    } else if (operation == "matmulttranspose") {
      const Extents P = extents_of(problem.P());
      add(operation, 0, work_of(P, 2 * P.nonzeros, bytes_of(P) + (P.rows + P.columns) * scalar), measure_transpose);
    } else {
      for (const std::int64_t width : choice.columns) add_with_columns(operation, width);
    }
  }
  return cases;
}

}  // namespace lacuna::bench
