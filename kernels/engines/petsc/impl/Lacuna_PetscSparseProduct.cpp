// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Petsc.hpp>
#include <Lacuna_Spgemm.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// \file
/// \brief AB, AᵀB, ABᵀ, PᵀAP, RARᵀ and ABC of sequential matrices.
///
/// C has arrays of PETSc's, which later products write to; the plan is composed with C and lives as long.

namespace lacuna::Impl {

namespace {

using Csr    = PetscCsr<PetscHost>;
using Plan   = SpgemmPlan<Csr>;
using Result = Plan::result_type;

/// A product of two: of factors of MatProduct, by their places, or of the product before.
struct Step {
  int left, right;  // 0 A, 1 B (P, R), 2 C; -1: the product before
  Op op_left, op_right;
};
struct Recipe {
  int steps;
  Step first, second;
};

std::optional<Recipe> recipe_of(MatProductType type) {
  constexpr Op none = Op::none, transpose = Op::transpose;
  constexpr Step nothing{0, 0, none, none};
  switch (type) {
    case MATPRODUCT_AB: return Recipe{1, {0, 1, none, none}, nothing};
    case MATPRODUCT_AtB: return Recipe{1, {0, 1, transpose, none}, nothing};
    case MATPRODUCT_ABt: return Recipe{1, {0, 1, none, transpose}, nothing};
    case MATPRODUCT_PtAP: return Recipe{2, {0, 1, none, none}, {1, -1, transpose, none}};
    case MATPRODUCT_RARt: return Recipe{2, {0, 1, none, transpose}, {1, -1, none, none}};
    case MATPRODUCT_ABC: return Recipe{2, {0, 1, none, none}, {-1, 2, none, none}};
    default: return {};
  }
}

/// Of C: its plans, the product between, and what the factors and C were when C was computed.
struct SparseProduct {
  Recipe recipe = {};
  std::optional<Plan> first, second;
  Result between;
  Csr::row_map_type row_map;     // of C, the plan's
  Csr::index_type kept_columns;  // where the plan keeps products
  PetscArrays factors[3], computed;

  const Plan& last() const { return second ? *second : *first; }
  Csr operand(int place) const { return place < 0 ? Csr(between) : petsc_csr<PetscHost>(factors[place]); }

  Result plan_step(const PetscHost& exec, const Step& step, SpgemmOptions options, std::optional<Plan>* plan) {
    options.op_a = step.op_left;
    options.op_b = step.op_right;
    plan->emplace(exec, operand(step.left), operand(step.right), options);
    const Result target = (*plan)->allocate(exec);
    compute_step(exec, step, **plan, target);
    return target;
  }
  void compute_step(const PetscHost& exec, const Step& step, const Plan& plan, const Result& target) const {
    spgemm(exec, plan, PetscScalar(1), operand(step.left), operand(step.right), target);
  }
  /// C with its numbers, since there is no pattern without them.
  Result plan_all(const PetscHost& exec, const SpgemmOptions& options) {
    Result result = plan_step(exec, recipe.first, options, &first);
    if (recipe.steps == 2) {
      between = result;
      result  = plan_step(exec, recipe.second, options, &second);
    }
    row_map = result.graph.row_map;
    if (last().keeps_products()) kept_columns = result.graph.entries;
    return result;
  }
  /// Into the arrays of C.
  void compute(const PetscHost& exec, const PetscArrays& C) const {
    const typename Csr::values_type values(C.values, C.nonzeros);
    const typename Csr::index_type own(const_cast<PetscInt*>(C.entries), C.nonzeros);
    const typename Csr::index_type columns = last().keeps_products() ? kept_columns : own;
    const Result result("C", C.rows, C.columns, C.nonzeros, values, row_map, columns);
    compute_step(exec, recipe.first, *first, recipe.steps == 2 ? between : result);
    if (recipe.steps == 2) compute_step(exec, recipe.second, *second, result);
  }
  std::string report() const { return first->report() + (second ? second->report() : std::string()); }
  PetscLogDouble flops() const {
    return 2.0 * static_cast<PetscLogDouble>(first->products() + (second ? second->products() : 0));
  }
};

constexpr const char* product_name = "Lacuna product";

PetscErrorCode delete_product(PetscCtxRt context) {
  PetscFunctionBegin;
  delete *static_cast<SparseProduct**>(context);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What is other than it was when C was computed.
struct Changes {
  bool values = false, patterns = false;
};

/// The arrays of the factors now, and what changed since `product` was computed of them.
PetscErrorCode take_factors(Mat C, SparseProduct* product, Changes* changes) {
  Mat factors[3] = {nullptr, nullptr, nullptr};
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &factors[0], &factors[1], &factors[2]));
  for (int i = 0; i < 3; ++i) {
    if (factors[i] == nullptr) continue;
    PetscArrays now;
    PetscCall(petsc_arrays(factors[i], &now));
    changes->values     = changes->values || !now.has_values_of(product->factors[i]);
    changes->patterns   = changes->patterns || !now.has_pattern_of(product->factors[i]);
    product->factors[i] = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compute_pattern(Mat C);

PetscErrorCode compute_numbers(Mat C) {
  return petsc_guarded("MatProductNumeric", [&]() -> PetscErrorCode {
    SparseProduct* product = nullptr;
    PetscArrays now;
    Changes changes;
    PetscFunctionBegin;
    PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(C), product_name, &product));
    PetscCheck(product != nullptr, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Lacuna: MatProductSymbolic comes first");
    PetscCall(petsc_arrays(C, &now));
    PetscCheck(now.has_pattern_of(product->computed), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Lacuna: the product has another pattern than MatProductSymbolic gave it");
    PetscCall(take_factors(C, product, &changes));
    if (changes.patterns) {
      PetscCall(compute_pattern(C));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    // After MatProductSymbolic the numbers are there.
    if (!changes.values && now.has_values_of(product->computed)) PetscFunctionReturn(PETSC_SUCCESS);
    product->compute(petsc_space<PetscHost>(), now);
    PetscCall(PetscLogFlops(product->flops()));
    PetscCall(petsc_has_new_values(C));
    PetscCall(petsc_arrays(C, &product->computed));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/// Gives C the pattern and the values of `result`.
PetscErrorCode copy_to(Mat C, PetscInt row_block, PetscInt column_block, const Result& result) {
  PetscScalar* values = nullptr;
  PetscFunctionBegin;
  const auto rows = static_cast<PetscInt>(result.numRows()), columns = static_cast<PetscInt>(result.numCols());
  std::vector<PetscInt> lengths(static_cast<std::size_t>(rows));
  for (PetscInt row = 0; row < rows; ++row)
    lengths[static_cast<std::size_t>(row)] = result.graph.row_map(row + 1) - result.graph.row_map(row);
  PetscCall(MatSetSizes(C, rows, columns, rows, columns));
  PetscCall(MatSetType(C, MATSEQAIJLACUNA));
  PetscCall(MatSetBlockSizes(C, row_block, column_block));
  PetscCall(MatSeqAIJSetPreallocation(C, 0, lengths.data()));
  PetscCall(MatSeqAIJSetColumnIndices(C, result.graph.entries.data()));
  PetscCall(MatSeqAIJGetArrayWrite(C, &values));
  Kokkos::deep_copy(Csr::values_type(values, result.nnz()), result.values);
  PetscCall(MatSeqAIJRestoreArrayWrite(C, &values));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of the rows of op(A), or of its columns.
PetscErrorCode block_size(Mat A, Op op, bool of_rows, PetscInt* size) {
  PetscInt rows = 1, columns = 1;
  PetscFunctionBegin;
  PetscCall(MatGetBlockSizes(A, &rows, &columns));
  *size = of_rows == (op == Op::none) ? rows : columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With the numbers, since there is no pattern without them. Also where a factor has got another pattern since.
PetscErrorCode compute_pattern(Mat C) {
  return petsc_guarded("MatProductSymbolic", [&]() -> PetscErrorCode {
    MatProductType type = MATPRODUCT_UNSPECIFIED;
    Mat factors[3]      = {nullptr, nullptr, nullptr};
    PetscPlans* plans   = nullptr;
    Changes changes;
    PetscFunctionBegin;
    PetscCall(MatProductGetType(C, &type));
    PetscCall(MatProductGetMats(C, &factors[0], &factors[1], &factors[2]));
    auto product    = std::make_unique<SparseProduct>();
    product->recipe = *recipe_of(type);
    PetscCall(take_factors(C, product.get(), &changes));
    PetscCall(petsc_plans(factors[0], &plans));
    const Result result = product->plan_all(
        petsc_space<PetscHost>(), SpgemmOptions{.expected_calls = plans->options.expected_products.value_or(1),
                                                .check_pattern  = PatternCheck::off});
    PetscCall(petsc_print_report(*plans, product->report()));
    // Rows are those of the first factor of all, columns those of the last.
    const Recipe& recipe = product->recipe;
    const Step& last     = recipe.steps == 2 ? recipe.second : recipe.first;
    const Step& begin    = last.left < 0 ? recipe.first : last;
    const Step& end      = last.right < 0 ? recipe.first : last;
    PetscInt row_block = 1, column_block = 1;
    PetscCall(block_size(factors[begin.left], begin.op_left, true, &row_block));
    PetscCall(block_size(factors[end.right], end.op_right, false, &column_block));
    PetscCall(copy_to(C, row_block, column_block, result));
    PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, reinterpret_cast<PetscErrorCodeFn*>(compute_numbers)));
    PetscCall(PetscLogFlops(product->flops()));
    PetscCall(petsc_arrays(C, &product->computed));
    PetscCall(
        PetscObjectContainerCompose(reinterpret_cast<PetscObject>(C), product_name, product.release(), delete_product));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

}  // namespace

PetscErrorCode petsc_set_sparse_product(Mat C) {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  if (recipe_of(type))
    PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, reinterpret_cast<PetscErrorCodeFn*>(compute_pattern)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl
