// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProductPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscRows.hpp>

#include <algorithm>
#include <memory>
#include <vector>

/// \file
/// \brief AB, AᵀB and PᵀAP of parallel matrices: products of what a process has, whose elements go to their owners.

namespace lacuna::Impl {

namespace {

using Csr    = PetscProductPlans<PetscHost>::Csr;
using Result = PetscProductPlans<PetscHost>::Result;

/// What a process multiplies. AB: its rows of A, times rows of B (`of_b`, others' too). PᵀAP: that, and its rows of P,
/// transposed, times this. AᵀB: its rows of A, transposed, times its rows of B.
struct ParallelProduct : PetscProductPlans<PetscHost> {
  static constexpr const char* name = "Lacuna parallel product";

  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscOwnRows of_a, of_own_b;
  PetscRows of_b;
  Result result;
  PetscArrays seen[4], computed[2];

  Csr left() const { return of_a.csr(); }
  Csr right() const { return type == MATPRODUCT_AtB ? of_own_b.csr() : of_b.csr(); }

  void plan_all(const PetscHost& exec, SpgemmOptions options) {
    if (type == MATPRODUCT_AtB) options.op_a = Op::transpose;
    first.emplace(exec, left(), right(), options);
    result = first->allocate(exec);
    spgemm(exec, *first, PetscScalar(1), left(), right(), result);
    if (type != MATPRODUCT_PtAP) return;
    between      = result;
    options.op_a = Op::transpose;
    second.emplace(exec, of_b.own_csr(), Csr(between), options);
    result = second->allocate(exec);
    spgemm(exec, *second, PetscScalar(1), of_b.own_csr(), Csr(between), result);
  }
  void compute_rows(const PetscHost& exec) const {
    spgemm(exec, *first, PetscScalar(1), left(), right(), second ? between : result);
    if (second) spgemm(exec, *second, PetscScalar(1), of_b.own_csr(), Csr(between), result);
  }
  /// The global numbers of the rows of `result` and of its columns.
  const std::vector<PetscInt>& columns() const { return type == MATPRODUCT_AtB ? of_own_b.columns() : of_b.columns(); }
  std::vector<PetscInt> rows(PetscInt begin) const {
    if (type == MATPRODUCT_AtB) return of_a.columns();
    if (type == MATPRODUCT_PtAP) return of_b.columns();
    std::vector<PetscInt> own(static_cast<std::size_t>(result.numRows()));
    for (PetscInt& row : own) row = begin++;
    return own;
  }

  PetscErrorCode take_rows(Mat C, MatReuse reuse);
  PetscErrorCode take_changes(Mat C, PetscChange* change);
  PetscErrorCode compute(Mat C);
};

PetscErrorCode delete_product(PetscCtxRt context) {
  ParallelProduct* product = *static_cast<ParallelProduct**>(context);
  PetscFunctionBegin;
  PetscCall(product->of_a.destroy());
  PetscCall(product->of_own_b.destroy());
  PetscCall(product->of_b.destroy());
  delete product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode arrays_of_blocks(Mat A, PetscArrays* of_blocks) {
  Mat blocks[2]          = {nullptr, nullptr};
  PetscObjectState state = 0;
  PetscFunctionBegin;
  PetscCall(petsc_state(A, &state));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr));
  for (int i = 0; i < 2; ++i) {
    PetscCall(petsc_arrays(blocks[i], &of_blocks[i]));
    of_blocks[i].state += state;  // some methods of the whole tell of a change there alone
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of C, new values alone are looked at.
PetscErrorCode ParallelProduct::take_changes(Mat C, PetscChange* change) {
  Mat A = nullptr, B = nullptr;
  PetscArrays now[4], of_c[2];
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(arrays_of_blocks(A, &now[0]));
  PetscCall(arrays_of_blocks(B, &now[2]));
  PetscCall(arrays_of_blocks(C, of_c));
  int here = 0, most = 0;
  for (int i = 0; i < 2; ++i)
    if (petsc_change_of(computed[i], of_c[i]) != PetscChange::none) here = static_cast<int>(PetscChange::values);
  for (int i = 0; i < 4; ++i) {
    here    = std::max(here, static_cast<int>(petsc_change_of(seen[i], now[i])));
    seen[i] = now[i];
  }
  PetscCallMPI(MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(C))));
  *change = static_cast<PetscChange>(most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ParallelProduct::take_rows(Mat C, MatReuse reuse) {
  Mat A = nullptr, B = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(of_a.take(A, reuse));
  PetscCall(of_own_b.take(B, reuse));
  if (type != MATPRODUCT_AtB) PetscCall(of_b.take(A, of_own_b, reuse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ParallelProduct::compute(Mat C) {
  PetscFunctionBegin;
  PetscCall(take_rows(C, MAT_REUSE_MATRIX));
  compute_rows(petsc_space<PetscHost>());
  PetscCall(MatSetValuesCOO(C, result.values.data(), INSERT_VALUES));
  PetscCall(arrays_of_blocks(C, computed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compute_pattern(Mat C);

PetscErrorCode compute_numbers(Mat C) { return petsc_product_numeric<ParallelProduct>(C, compute_pattern); }

/// The layout of C and its block sizes.
PetscErrorCode set_sizes(Mat C, MatProductType type) {
  Mat A = nullptr, B = nullptr;
  PetscInt rows = 0, columns = 0, of_a[2] = {1, 1}, of_b[2] = {1, 1};
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(MatGetLocalSize(B, nullptr, &columns));
  PetscCall(MatGetLocalSize(type == MATPRODUCT_PtAP ? B : A, type == MATPRODUCT_AB ? &rows : nullptr,
                            type == MATPRODUCT_AB ? nullptr : &rows));
  PetscCall(MatGetBlockSizes(A, &of_a[0], &of_a[1]));
  PetscCall(MatGetBlockSizes(B, &of_b[0], &of_b[1]));
  PetscCall(MatSetSizes(C, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(C, MATMPIAIJLACUNA));
  const PetscInt row_block = type == MATPRODUCT_AB ? of_a[0] : (type == MATPRODUCT_AtB ? of_a[1] : of_b[1]);
  PetscCall(MatSetBlockSizes(C, row_block, of_b[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With the numbers, since there is no pattern without them. Also where a factor has got another pattern since.
PetscErrorCode compute_pattern(Mat C) {
  return petsc_guarded("MatProductSymbolic", [&]() -> PetscErrorCode {
    Mat A = nullptr, B = nullptr;
    PetscPlans* plans = nullptr;
    PetscInt begin    = 0;
    PetscFunctionBegin;
    auto product = std::make_unique<ParallelProduct>();
    PetscCall(MatProductGetType(C, &product->type));
    PetscCall(MatProductGetMats(C, &A, &B, nullptr));
    PetscCall(petsc_plans(A, &plans));
    PetscCall(arrays_of_blocks(A, &product->seen[0]));
    PetscCall(arrays_of_blocks(B, &product->seen[2]));
    PetscCall(product->take_rows(C, MAT_INITIAL_MATRIX));
    product->plan_all(petsc_space<PetscHost>(),
                      SpgemmOptions{.expected_calls = plans->options.expected_products.value_or(1),
                                    .check_pattern  = PatternCheck::off});
    PetscCall(petsc_print_report(*plans, product->report()));
    PetscCall(set_sizes(C, product->type));
    PetscCall(MatGetOwnershipRange(A, &begin, nullptr));

    // Each element by its global place: PETSc adds those of several processes, and remembers how.
    const Result& result              = product->result;
    const std::vector<PetscInt>& all  = product->columns();
    const std::vector<PetscInt> names = product->rows(begin);
    std::vector<PetscInt> rows, columns;
    rows.reserve(result.nnz());
    columns.reserve(result.nnz());
    for (PetscInt row = 0; row < result.numRows(); ++row)
      for (PetscInt at = result.graph.row_map(row); at < result.graph.row_map(row + 1); ++at) {
        rows.push_back(names[static_cast<std::size_t>(row)]);
        columns.push_back(all[static_cast<std::size_t>(result.graph.entries(at))]);
      }
    PetscCall(MatSetPreallocationCOO(C, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()));
    PetscCall(MatSetValuesCOO(C, result.values.data(), INSERT_VALUES));
    PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, reinterpret_cast<PetscErrorCodeFn*>(compute_numbers)));
    PetscCall(PetscLogFlops(product->flops()));
    PetscCall(arrays_of_blocks(C, product->computed));
    PetscCall(PetscObjectContainerCompose(reinterpret_cast<PetscObject>(C), ParallelProduct::name, product.release(),
                                          delete_product));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

}  // namespace

PetscErrorCode petsc_set_parallel_product(Mat C) {
  PetscFunctionBegin;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, reinterpret_cast<PetscErrorCodeFn*>(compute_pattern)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl
