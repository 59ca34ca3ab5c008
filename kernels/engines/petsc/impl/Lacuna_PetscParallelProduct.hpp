// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCPARALLELPRODUCT_HPP
#define LACUNA_PETSCPARALLELPRODUCT_HPP

#include <Lacuna_Petsc.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscAssembly.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscCsr.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProductPlans.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscProducts.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscRows.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief AB, AᵀB and PᵀAP of parallel matrices: products of what a process has, whose elements go to their owners. In
/// the memory of one space: patterns are made on the host, values stay where the matrices have theirs.

namespace lacuna::Impl {

/// What a process multiplies. AB: its rows of A, times rows of B (`of_b`, others' too). PᵀAP: that, and its rows of P,
/// transposed, times this. AᵀB: its rows of A, transposed, times its rows of B.
template <class SpaceType>
struct PetscParallelProduct : PetscProductPlans<SpaceType> {
  using Space  = SpaceType;
  using Base   = PetscProductPlans<Space>;
  using Csr    = typename Base::Csr;
  using Result = typename Base::Result;
  using Base::between, Base::first, Base::second;

  static constexpr const char* name = "Lacuna parallel product";

  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscOwnRows<Space> of_a, of_own_b;
  PetscRows<Space> of_b;
  PetscAssembly<Space> of_c;
  Result result;
  PetscArrays seen[4], computed[2];

  Csr left() const { return of_a.csr(); }
  Csr right() const { return type == MATPRODUCT_AtB ? of_own_b.csr() : of_b.csr(); }

  void plan_all(const Space& exec, SpgemmOptions options) {
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
  void compute_rows(const Space& exec) const {
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

template <class Space>
PetscErrorCode petsc_delete_parallel_product(PetscCtxRt context) {
  auto* product = *static_cast<PetscParallelProduct<Space>**>(context);
  PetscFunctionBegin;
  PetscCall(product->of_b.destroy());
  PetscCall(product->of_c.destroy());
  delete product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode petsc_arrays_of_blocks(Mat A, PetscArrays* of_blocks) {
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
template <class Space>
PetscErrorCode PetscParallelProduct<Space>::take_changes(Mat C, PetscChange* change) {
  Mat A = nullptr, B = nullptr;
  PetscArrays now[4], of_c[2];
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(petsc_arrays_of_blocks(A, &now[0]));
  PetscCall(petsc_arrays_of_blocks(B, &now[2]));
  PetscCall(petsc_arrays_of_blocks(C, of_c));
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

template <class Space>
PetscErrorCode PetscParallelProduct<Space>::take_rows(Mat C, MatReuse reuse) {
  Mat A = nullptr, B = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(of_a.take(A, reuse));
  PetscCall(of_own_b.take(B, reuse));
  if (type != MATPRODUCT_AtB) PetscCall(of_b.take(A, of_own_b, reuse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Space>
PetscErrorCode PetscParallelProduct<Space>::compute(Mat C) {
  PetscFunctionBegin;
  PetscCall(take_rows(C, MAT_REUSE_MATRIX));
  compute_rows(petsc_space<Space>());
  PetscCall(of_c.give_values(petsc_space<Space>(), C, result.values.data()));
  PetscCall(petsc_arrays_of_blocks(C, computed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Space>
PetscErrorCode petsc_compute_parallel_pattern(Mat C);

template <class Space>
PetscErrorCode petsc_compute_parallel_numbers(Mat C) {
  return petsc_product_numeric<PetscParallelProduct<Space>>(C, petsc_compute_parallel_pattern<Space>);
}

/// The layout of C, its type and its block sizes: of our type on the host, of the type of the factors on a device.
template <class Space>
PetscErrorCode petsc_set_sizes(Mat C, MatProductType product) {
  Mat A = nullptr, B = nullptr;
  PetscInt rows = 0, columns = 0, of_a[2] = {1, 1}, of_b[2] = {1, 1};
  std::string type = MATMPIAIJLACUNA;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(MatGetLocalSize(B, nullptr, &columns));
  PetscCall(MatGetLocalSize(product == MATPRODUCT_PtAP ? B : A, product == MATPRODUCT_AB ? &rows : nullptr,
                            product == MATPRODUCT_AB ? nullptr : &rows));
  PetscCall(MatGetBlockSizes(A, &of_a[0], &of_a[1]));
  PetscCall(MatGetBlockSizes(B, &of_b[0], &of_b[1]));
  PetscCall(MatSetSizes(C, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE));
  if constexpr (!std::is_same_v<Space, PetscHost>) PetscCall(petsc_base_type(A, &type));
  PetscCall(MatSetType(C, type.c_str()));
  const PetscInt row_block = product == MATPRODUCT_AB ? of_a[0] : (product == MATPRODUCT_AtB ? of_a[1] : of_b[1]);
  PetscCall(MatSetBlockSizes(C, row_block, of_b[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// With the numbers, since there is no pattern without them. Also where a factor has got another pattern since.
template <class Space>
PetscErrorCode petsc_compute_parallel_pattern(Mat C) {
  return petsc_guarded("MatProductSymbolic", [&]() -> PetscErrorCode {
    Mat A = nullptr, B = nullptr;
    PetscPlans* plans = nullptr;
    PetscInt begin    = 0;
    PetscFunctionBegin;
    auto product = std::make_unique<PetscParallelProduct<Space>>();
    PetscCall(MatProductGetType(C, &product->type));
    PetscCall(MatProductGetMats(C, &A, &B, nullptr));
    PetscCall(petsc_plans(A, &plans));
    PetscCall(petsc_arrays_of_blocks(A, &product->seen[0]));
    PetscCall(petsc_arrays_of_blocks(B, &product->seen[2]));
    PetscCall(product->take_rows(C, MAT_INITIAL_MATRIX));
    product->plan_all(petsc_space<Space>(),
                      SpgemmOptions{.expected_calls = plans->options.expected_products.value_or(1),
                                    .check_pattern  = PatternCheck::off});
    PetscCall(petsc_print_report(*plans, product->report()));
    PetscCall(petsc_set_sizes<Space>(C, product->type));
    PetscCall(MatGetOwnershipRange(A, &begin, nullptr));

    const auto& graph                 = product->result.graph;
    const auto row_map                = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.row_map);
    const auto entries                = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.entries);
    const std::vector<PetscInt> names = product->rows(begin);
    PetscCall(product->of_c.make(C, {row_map.data(), entries.data(), names, product->columns()}));
    PetscCall(product->of_c.give_values(petsc_space<Space>(), C, product->result.values.data()));
    PetscCall(petsc_plan_result<Space>(C, *plans));
    PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC,
                              reinterpret_cast<PetscErrorCodeFn*>(petsc_compute_parallel_numbers<Space>)));
    PetscCall(petsc_log_flops<Space>(product->flops()));
    PetscCall(petsc_arrays_of_blocks(C, product->computed));
    PetscCall(PetscObjectContainerCompose(reinterpret_cast<PetscObject>(C), PetscParallelProduct<Space>::name,
                                          product.release(), petsc_delete_parallel_product<Space>));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

// Their kernels are compiled in Lacuna_PetscDeviceProduct.cpp.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
extern template PetscErrorCode petsc_compute_parallel_pattern<PetscDevice>(Mat C);
#endif

}  // namespace lacuna::Impl

#endif
