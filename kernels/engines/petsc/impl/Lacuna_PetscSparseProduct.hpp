// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCSPARSEPRODUCT_HPP
#define LACUNA_PETSCSPARSEPRODUCT_HPP

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProductPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief The methods of C, a product of sequential matrices whose arrays are in the memory of one space.
///
/// C has arrays of PETSc's, which later products write to; the plan is composed with C and lives as long.

namespace lacuna::Impl {

/// A product of two: of factors of MatProduct, by their places, or of the product before.
struct PetscStep {
  int left, right;  // 0 A, 1 B (P, R), 2 C; -1: the product before
  Op op_left, op_right;
};
struct PetscRecipe {
  int steps;
  PetscStep first, second;
};

inline std::optional<PetscRecipe> petsc_recipe(MatProductType type) {
  constexpr Op none = Op::none, transpose = Op::transpose;
  constexpr PetscStep nothing{0, 0, none, none};
  switch (type) {
    case MATPRODUCT_AB: return PetscRecipe{1, {0, 1, none, none}, nothing};
    case MATPRODUCT_AtB: return PetscRecipe{1, {0, 1, transpose, none}, nothing};
    case MATPRODUCT_ABt: return PetscRecipe{1, {0, 1, none, transpose}, nothing};
    case MATPRODUCT_PtAP: return PetscRecipe{2, {0, 1, none, none}, {1, -1, transpose, none}};
    case MATPRODUCT_RARt: return PetscRecipe{2, {0, 1, none, transpose}, {1, -1, none, none}};
    case MATPRODUCT_ABC: return PetscRecipe{2, {0, 1, none, none}, {-1, 2, none, none}};
    default: return {};
  }
}

/// Of C: its plans, and what the factors and C were when C was computed.
template <class SpaceType>
struct PetscSparseProduct : PetscProductPlans<SpaceType> {
  using Space  = SpaceType;
  using Base   = PetscProductPlans<Space>;
  using Csr    = typename Base::Csr;
  using Plan   = typename Base::Plan;
  using Result = typename Base::Result;
  using Base::between, Base::first, Base::second;

  static constexpr const char* name = "Lacuna product";

  PetscRecipe recipe = {};
  typename Csr::row_map_type row_map;     // of C, the plan's
  typename Csr::index_type kept_columns;  // where the plan keeps products
  PetscArrays factors[3], computed;

  const Plan& last() const { return second ? *second : *first; }
  Csr operand(int place) const { return place < 0 ? Csr(between) : petsc_csr<Space>(factors[place]); }

  Result plan_step(const Space& exec, const PetscStep& step, SpgemmOptions options, std::optional<Plan>* plan) {
    options.op_a = step.op_left;
    options.op_b = step.op_right;
    plan->emplace(exec, operand(step.left), operand(step.right), options);
    const Result target = (*plan)->allocate(exec);
    compute_step(exec, step, **plan, target);
    return target;
  }
  void compute_step(const Space& exec, const PetscStep& step, const Plan& plan, const Result& target) const {
    spgemm(exec, plan, PetscScalar(1), operand(step.left), operand(step.right), target);
  }
  /// C with its numbers, since there is no pattern without them.
  Result plan_all(const Space& exec, const SpgemmOptions& options) {
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
  void compute_arrays(const Space& exec, const PetscArrays& C) const {
    const typename Csr::values_type values(C.values, C.nonzeros);
    const typename Csr::index_type own(const_cast<PetscInt*>(C.entries), C.nonzeros);
    const typename Csr::index_type columns = last().keeps_products() ? kept_columns : own;
    const Result result("C", C.rows, C.columns, C.nonzeros, values, row_map, columns);
    compute_step(exec, recipe.first, *first, recipe.steps == 2 ? between : result);
    if (recipe.steps == 2) compute_step(exec, recipe.second, *second, result);
  }

  /// The arrays of the factors now, and what changed since C was computed of them.
  PetscErrorCode take_factors(Mat C, PetscChange* change) {
    Mat matrices[3] = {nullptr, nullptr, nullptr};
    PetscFunctionBegin;
    PetscCall(MatProductGetMats(C, &matrices[0], &matrices[1], &matrices[2]));
    for (int i = 0; i < 3; ++i) {
      if (matrices[i] == nullptr) continue;
      PetscArrays now;
      PetscCall(petsc_arrays(matrices[i], &now));
      *change    = std::max(*change, petsc_change_of(factors[i], now));
      factors[i] = now;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode take_changes(Mat C, PetscChange* change) {
    PetscArrays now;
    PetscFunctionBegin;
    PetscCall(petsc_arrays(C, &now));
    PetscCheck(now.has_pattern_of(computed), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Lacuna: the product has another pattern than MatProductSymbolic gave it");
    *change = petsc_change_of(computed, now);
    PetscCall(take_factors(C, change));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode compute(Mat C) {
    PetscArrays now = computed;
    PetscWriting writing;
    PetscFunctionBegin;
    if (now.nonzeros > 0) {
      PetscCall(petsc_begin_writing(C, &writing));
      now.values = writing.values;
      compute_arrays(petsc_space<Space>(), now);
      PetscCall(petsc_end_writing(C, &writing));
    }
    PetscCall(petsc_has_new_values(C));
    PetscCall(petsc_arrays(C, &computed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

template <class Space>
PetscErrorCode petsc_delete_sparse_product(PetscCtxRt context) {
  PetscFunctionBegin;
  delete *static_cast<PetscSparseProduct<Space>**>(context);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Space>
PetscErrorCode petsc_compute_pattern(Mat C);

template <class Space>
PetscErrorCode petsc_compute_numbers(Mat C) {
  return petsc_product_numeric<PetscSparseProduct<Space>>(C, petsc_compute_pattern<Space>);
}

/// What C is beside its elements.
struct PetscResultShape {
  std::string type;
  PetscInt row_block = 1, column_block = 1;
};

/// Gives C the pattern and the values of `result`. PETSc wants patterns on the host.
template <class Space, class Result>
PetscErrorCode petsc_copy_result(const Space& exec, Mat C, const PetscResultShape& shape, const Result& result) {
  using Values = typename PetscCsr<Space>::values_type;
  PetscWriting writing;
  PetscFunctionBegin;
  const auto rows = static_cast<PetscInt>(result.numRows()), columns = static_cast<PetscInt>(result.numCols());
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.graph.row_map);
  const auto entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.graph.entries);
  std::vector<PetscInt> lengths(static_cast<std::size_t>(rows));
  for (PetscInt row = 0; row < rows; ++row) lengths[static_cast<std::size_t>(row)] = row_map(row + 1) - row_map(row);
  PetscCall(MatSetSizes(C, rows, columns, rows, columns));
  PetscCall(MatSetType(C, shape.type.c_str()));
  PetscCall(MatSetBlockSizes(C, shape.row_block, shape.column_block));
  PetscCall(petsc_set_pattern(C, lengths.data(), entries.data(), entries.size()));
  if (result.nnz() == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(petsc_begin_writing(C, &writing));
  Kokkos::deep_copy(exec, Values(writing.values, result.nnz()), result.values);
  PetscCall(petsc_end_writing(C, &writing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of the rows of op(A), or of its columns.
inline PetscErrorCode petsc_block_size(Mat A, Op op, bool of_rows, PetscInt* size) {
  PetscInt rows = 1, columns = 1;
  PetscFunctionBegin;
  PetscCall(MatGetBlockSizes(A, &rows, &columns));
  *size = of_rows == (op == Op::none) ? rows : columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Rows are those of the first factor of all, columns those of the last. Products of our type on the host are of our
/// type; on a device they are of the type of the first factor.
template <class Space>
PetscErrorCode petsc_result_shape(const PetscRecipe& recipe, const Mat (&factors)[3], PetscResultShape* shape) {
  const PetscStep& last  = recipe.steps == 2 ? recipe.second : recipe.first;
  const PetscStep& begin = last.left < 0 ? recipe.first : last;
  const PetscStep& end   = last.right < 0 ? recipe.first : last;
  PetscFunctionBegin;
  shape->type = MATSEQAIJLACUNA;
  if constexpr (!std::is_same_v<Space, PetscHost>) PetscCall(petsc_base_type(factors[0], &shape->type));
  PetscCall(petsc_block_size(factors[begin.left], begin.op_left, true, &shape->row_block));
  PetscCall(petsc_block_size(factors[end.right], end.op_right, false, &shape->column_block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With the numbers, since there is no pattern without them. Also where a factor has got another pattern since.
template <class Space>
PetscErrorCode petsc_compute_pattern(Mat C) {
  return petsc_guarded("MatProductSymbolic", [&]() -> PetscErrorCode {
    MatProductType type = MATPRODUCT_UNSPECIFIED;
    Mat factors[3]      = {nullptr, nullptr, nullptr};
    PetscPlans* plans   = nullptr;
    PetscResultShape shape;
    PetscChange change = PetscChange::none;
    PetscFunctionBegin;
    const Space exec = petsc_space<Space>();
    PetscCall(MatProductGetType(C, &type));
    PetscCall(MatProductGetMats(C, &factors[0], &factors[1], &factors[2]));
    auto product    = std::make_unique<PetscSparseProduct<Space>>();
    product->recipe = *petsc_recipe(type);
    PetscCall(product->take_factors(C, &change));
    PetscCall(petsc_plans(factors[0], &plans));
    const auto result =
        product->plan_all(exec, SpgemmOptions{.expected_calls = plans->options.expected_products.value_or(1),
                                              .check_pattern  = PatternCheck::off});
    PetscCall(petsc_print_report(*plans, product->report()));
    PetscCall(petsc_result_shape<Space>(product->recipe, factors, &shape));
    PetscCall(petsc_copy_result(exec, C, shape, result));
    PetscCall(petsc_plan_result<Space>(C, *plans));
    PetscCall(
        MatSetOperation(C, MATOP_PRODUCTNUMERIC, reinterpret_cast<PetscErrorCodeFn*>(petsc_compute_numbers<Space>)));
    PetscCall(petsc_log_flops<Space>(product->flops()));
    PetscCall(petsc_arrays(C, &product->computed));
    PetscCall(PetscObjectContainerCompose(reinterpret_cast<PetscObject>(C), PetscSparseProduct<Space>::name,
                                          product.release(), petsc_delete_sparse_product<Space>));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

// Their kernels are compiled in Lacuna_PetscDeviceProduct.cpp.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
extern template PetscErrorCode petsc_compute_pattern<PetscDevice>(Mat C);
#endif

}  // namespace lacuna::Impl

#endif
