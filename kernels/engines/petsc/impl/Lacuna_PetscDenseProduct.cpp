// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscDense.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

#include <petscsf.h>

#include <cstddef>
#include <vector>

/// \file
/// \brief AB and AᵀB for a dense B, sequential and parallel.
///
/// In parallel the rows of B that other processes have come by the communication of MatMult, all columns in one
/// message, while the block of the diagonal is multiplied; those of AᵀB go back the same way.

namespace lacuna::Impl {

namespace {

/// Of a parallel C: how rows of others come, and where they stand.
struct DenseProduct {
  PetscSF exchange = nullptr;
  PetscInt columns = -1, stride = -1;
  PetscObjectState pattern = -1;
  std::vector<PetscScalar> others;
};

constexpr const char* product_name = "Lacuna dense product";

PetscErrorCode delete_product(PetscCtxRt context) {
  DenseProduct* product = *static_cast<DenseProduct**>(context);
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&product->exchange));
  delete product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Blocks of the arrays of dense matrices, on the host, or on the device where they are to be there.
class DenseArrays {
 public:
  explicit DenseArrays(bool on_host = true) : m_on_host(on_host) {}

  PetscErrorCode get(Mat B, Mat C) {
    PetscMemType memory_b = PETSC_MEMTYPE_HOST, memory_c = PETSC_MEMTYPE_HOST;
    PetscInt rows_b = 0, rows_c = 0, columns = 0, stride_b = 0, stride_c = 0;
    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(B, &rows_b, nullptr));
    PetscCall(MatGetLocalSize(C, &rows_c, nullptr));
    PetscCall(MatGetSize(B, nullptr, &columns));
    PetscCall(MatDenseGetLDA(B, &stride_b));
    PetscCall(MatDenseGetLDA(C, &stride_c));
    if (m_on_host) {
      PetscCall(MatDenseGetArrayRead(B, &m_b));
      PetscCall(MatDenseGetArrayWrite(C, &m_c));
    } else {
      PetscCall(MatDenseGetArrayReadAndMemType(B, &m_b, &memory_b));
      PetscCall(MatDenseGetArrayWriteAndMemType(C, &m_c, &memory_c));
      PetscCheck(PetscMemTypeDevice(memory_b) && PetscMemTypeDevice(memory_c), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "Lacuna: a matrix on a device is multiplied with dense matrices that are there");
    }
    of_b = {m_b, rows_b, columns, stride_b};
    of_c = {m_c, rows_c, columns, stride_c};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode restore(Mat B, Mat C) {
    PetscFunctionBegin;
    if (m_on_host) {
      PetscCall(MatDenseRestoreArrayWrite(C, &m_c));
      PetscCall(MatDenseRestoreArrayRead(B, &m_b));
    } else {
      PetscCall(MatDenseRestoreArrayWriteAndMemType(C, &m_c));
      PetscCall(MatDenseRestoreArrayReadAndMemType(B, &m_b));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscBlock<const PetscScalar> of_b = {};
  PetscBlock<PetscScalar> of_c       = {};

 private:
  bool m_on_host;
  const PetscScalar* m_b = nullptr;
  PetscScalar* m_c       = nullptr;
};

PetscErrorCode factors_of(Mat C, Mat* A, Mat* B, Op* op) {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, A, B, nullptr));
  *op = type == MATPRODUCT_AtB ? Op::transpose : Op::none;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compute_sequential(Mat A, Op op, Mat B, Mat C) {
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  PetscFunctionBegin;
  PetscCall(petsc_memory(A, &memory));
  DenseArrays arrays(PetscMemTypeHost(memory));
  PetscCall(arrays.get(B, C));
  PetscCall(petsc_times_dense(A, op, arrays.of_b, false, arrays.of_c));
  PetscCall(arrays.restore(B, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The exchange of `columns` columns whose rows on this side begin every `stride` elements.
PetscErrorCode prepare_exchange(Mat A, Mat other, PetscInt columns, PetscInt stride, DenseProduct* product) {
  PetscSF one_column       = nullptr;
  PetscInt count           = 0;
  PetscObjectState pattern = 0;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(other, nullptr, &count));
  PetscCall(MatGetNonzeroState(A, &pattern));
  const bool is_new = product->columns != columns || product->pattern != pattern;
  if (product->exchange == nullptr || is_new || product->stride != stride) {
    PetscCall(PetscSFDestroy(&product->exchange));
    PetscCall(MatGetMultPetscSF(A, &one_column));
    PetscCall(PetscSFCreateStridedSF(one_column, columns, stride, count, &product->exchange));
    product->columns = columns;
    product->pattern = pattern;
    product->stride  = stride;
  }
  product->others.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compute_parallel(Mat A, Op op, Mat B, Mat C) {
  Mat diagonal = nullptr, other = nullptr;
  DenseProduct* product = nullptr;
  DenseArrays arrays;
  PetscInt count = 0;
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(C), product_name, &product));
  PetscCheck(product != nullptr, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Lacuna: MatProductSymbolic comes first");
  PetscCall(petsc_prepare_blocks(A));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, nullptr));
  PetscCall(MatGetLocalSize(other, nullptr, &count));
  PetscCall(arrays.get(B, C));
  const PetscInt columns = arrays.of_b.columns, stride = op == Op::none ? arrays.of_b.stride : arrays.of_c.stride;
  PetscCall(prepare_exchange(A, other, columns, stride, product));
  const PetscBlock<PetscScalar> others{product->others.data(), count, columns, count};
  if (op == Op::none) {
    PetscCall(PetscSFBcastBegin(product->exchange, MPIU_SCALAR, arrays.of_b.values, others.values, MPI_REPLACE));
    PetscCall(petsc_times_dense(diagonal, op, arrays.of_b, false, arrays.of_c));
    PetscCall(PetscSFBcastEnd(product->exchange, MPIU_SCALAR, arrays.of_b.values, others.values, MPI_REPLACE));
    PetscCall(petsc_times_dense(other, op, {others.values, count, columns, count}, true, arrays.of_c));
  } else {
    PetscCall(petsc_times_dense(other, op, arrays.of_b, false, others));
    PetscCall(petsc_times_dense(diagonal, op, arrays.of_b, false, arrays.of_c));
    PetscCall(PetscSFReduceBegin(product->exchange, MPIU_SCALAR, others.values, arrays.of_c.values, MPIU_SUM));
    PetscCall(PetscSFReduceEnd(product->exchange, MPIU_SCALAR, others.values, arrays.of_c.values, MPIU_SUM));
  }
  PetscCall(arrays.restore(B, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compute(Mat A, Op op, Mat B, Mat C) {
  PetscKind kind = PetscKind::other;
  PetscFunctionBegin;
  PetscCall(petsc_kind(A, &kind));
  PetscCall(kind == PetscKind::sequential ? compute_sequential(A, op, B, C) : compute_parallel(A, op, B, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compute_product(Mat C) {
  Mat A = nullptr, B = nullptr;
  Op op = Op::none;
  PetscFunctionBegin;
  PetscCall(factors_of(C, &A, &B, &op));
  PetscCall(compute(A, op, B, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The older methods of C, by which PETSc's products of three call those of two.
PetscErrorCode compute_plain(Mat A, Mat B, Mat C) { return compute(A, Op::none, B, C); }
PetscErrorCode compute_transposed(Mat A, Mat B, Mat C) { return compute(A, Op::transpose, B, C); }

/// C is dense, as B is.
PetscErrorCode make_result(Mat C) {
  Mat A = nullptr, B = nullptr;
  Op op              = Op::none;
  MatType type       = nullptr;
  VecType vector     = nullptr;
  PetscBool is_dense = PETSC_FALSE;
  PetscKind kind     = PetscKind::other;
  PetscInt rows = 0, columns = 0, all_rows = 0, all_columns = 0, own = 0, all = 0;
  PetscFunctionBegin;
  PetscCall(factors_of(C, &A, &B, &op));
  PetscCall(petsc_kind(A, &kind));
  PetscCall(MatGetLocalSize(A, &rows, &columns));
  PetscCall(MatGetSize(A, &all_rows, &all_columns));
  PetscCall(MatGetLocalSize(B, nullptr, &own));
  PetscCall(MatGetSize(B, nullptr, &all));
  if (op != Op::none) {
    rows     = columns;
    all_rows = all_columns;
  }
  PetscCall(MatSetSizes(C, rows, own, all_rows, all));
  PetscCall(PetscObjectBaseTypeCompareAny(reinterpret_cast<PetscObject>(C), &is_dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(MatGetType(B, &type));
  if (!is_dense) PetscCall(MatSetType(C, type));
  PetscCall(MatGetVecType(B, &vector));
  PetscCall(MatSetVecType(C, vector));
  PetscCall(MatSetUp(C));
  const bool sequential = kind == PetscKind::sequential;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, reinterpret_cast<PetscErrorCodeFn*>(compute_product)));
  PetscCall(MatSetOperation(C, MATOP_MAT_MULT_NUMERIC, reinterpret_cast<PetscErrorCodeFn*>(compute_plain)));
  PetscCall(
      MatSetOperation(C, MATOP_TRANSPOSE_MAT_MULT_NUMER, reinterpret_cast<PetscErrorCodeFn*>(compute_transposed)));
  if (!sequential)
    PetscCall(
        PetscObjectContainerCompose(reinterpret_cast<PetscObject>(C), product_name, new DenseProduct, delete_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode petsc_set_dense_product(Mat C) {
  PetscFunctionBegin;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, reinterpret_cast<PetscErrorCodeFn*>(make_result)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl
