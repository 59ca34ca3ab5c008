// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscDense.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscErrors.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscPlans.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace lacuna::Impl {

namespace {

template <class Space>
using Plan = SpmmPlan<PetscCsr<Space>>;

using Rows = Kokkos::View<PetscScalar**, Kokkos::LayoutRight, PetscHost::memory_space>;

template <class Space>
struct DensePlansOn {
  PetscKept<Plan<Space>> plain, transposed;
};

/// Products run where the values of A are.
struct DensePlans {
  DensePlansOn<PetscHost> on_host                                                           = {};
  std::conditional_t<petsc_has_device, DensePlansOn<PetscDevice>, std::monostate> on_device = {};
  Rows of_b = {}, of_c = {};  // on the host: a panel of columns, row by row

  template <class Space>
  DensePlansOn<Space>& on() {
    if constexpr (std::is_same_v<Space, PetscHost>)
      return on_host;
    else
      return on_device;
  }
};

constexpr const char* plans_name = "Lacuna plans for dense matrices";

PetscErrorCode delete_plans(PetscCtxRt context) {
  PetscFunctionBegin;
  delete *static_cast<DensePlans**>(context);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode dense_plans(Mat A, DensePlans** plans) {
  const auto object = reinterpret_cast<PetscObject>(A);
  PetscFunctionBegin;
  *plans = nullptr;
  PetscCall(PetscObjectContainerQuery(object, plans_name, plans));
  if (*plans != nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  *plans = new DensePlans;
  PetscCall(PetscObjectContainerCompose(object, plans_name, *plans, delete_plans));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Space>
PetscErrorCode current_plan(const Space& exec, Mat A, Op op, std::int64_t columns, PetscArrays now,
                            const Plan<Space>** plan) {
  constexpr bool on_host = std::is_same_v<Space, PetscHost>;
  DensePlans* of_dense   = nullptr;
  PetscPlans* plans      = nullptr;
  PetscFunctionBegin;
  PetscCall(dense_plans(A, &of_dense));
  PetscCall(petsc_plans(A, &plans));
  now.state += plans->of_whole;
  auto& of_space      = of_dense->template on<Space>();
  auto& kept          = op == Op::none ? of_space.plain : of_space.transposed;
  SpmmOptions options = {};
  options.op          = op;
  options.columns     = plans->options.columns.value_or(columns);
  // PETSc says when patterns change: nothing is to be compared.
  options.check_pattern = PatternCheck::off;
  // See multiply_by_rows; on a device dense matrices are multiplied as they stand.
  options.b_layout = on_host ? DenseLayout::row_major : DenseLayout::column_major;
  PetscCall(kept.bring_up_to_date(
      exec, now, plans->options.expected_calls,
      [&](const PetscCsr<Space>& csr, std::optional<std::int64_t> calls) {
        options.expected_calls = calls;
        return Plan<Space>(exec, csr, options);
      },
      [&](const Plan<Space>& made) { return petsc_print_report(*plans, made.report()); }));
  *plan = kept.plan();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Columns that are multiplied at once. Rows of this many are short enough for registers, and far apart in no matrix,
/// whereas PETSc's columns may all begin at the same place of a cache.
constexpr PetscInt most_columns = 32;
/// Fewer are multiplied where they stand.
constexpr PetscInt least_columns = 4;
/// Rows that are moved together: whole cache lines of a column, and little enough for the next column to find them.
constexpr PetscInt rows_of_block = 64;

template <class Space, class Scalar>
auto columns_of(const PetscBlock<Scalar>& block, PetscInt begin, PetscInt count) {
  const Kokkos::LayoutStride layout(static_cast<std::size_t>(block.rows), 1, static_cast<std::size_t>(count),
                                    static_cast<std::size_t>(block.stride));
  return Kokkos::View<Scalar**, Kokkos::LayoutStride, typename Space::memory_space,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      block.values + static_cast<std::size_t>(begin) * static_cast<std::size_t>(block.stride), layout);
}

template <class Move>
void for_each_element(const PetscHost& exec, const char* label, PetscInt rows, PetscInt columns, const Move& move) {
  const PetscInt blocks = (rows + rows_of_block - 1) / rows_of_block;
  Kokkos::parallel_for(label, Kokkos::RangePolicy<PetscHost>(exec, 0, blocks), [=](PetscInt block) {
    const PetscInt begin = block * rows_of_block, end = std::min(rows, begin + rows_of_block);
    for (PetscInt column = 0; column < columns; ++column)
      for (PetscInt row = begin; row < end; ++row) move(row, column);
  });
}

/// The first `rows` and `columns` of memory that is enlarged where it is too small.
Rows panel(Rows* memory, const char* label, PetscInt rows, PetscInt columns) {
  const auto needed = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
  if (memory->extent(0) < needed || memory->extent(1) != width)
    *memory = Rows(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), needed, width);
  return *memory;
}

void multiply_by_rows(const PetscHost& exec, DensePlans* plans, const Plan<PetscHost>& plan,
                      const PetscBlock<const PetscScalar>& B, bool adds, const PetscBlock<PetscScalar>& C,
                      PetscInt begin, PetscInt columns) {
  // Rows begin at cache lines, or halves of them.
  const PetscInt width = (columns + 3) / 4 * 4;
  const Rows all_of_b  = panel(&plans->of_b, "Lacuna::petsc::rows_of_b", B.rows, width);
  const Rows all_of_c  = panel(&plans->of_c, "Lacuna::petsc::rows_of_c", C.rows, width);
  const auto part      = [&](const Rows& all, PetscInt rows) {
    return Kokkos::subview(all, std::pair<PetscInt, PetscInt>(0, rows), std::pair<PetscInt, PetscInt>(0, columns));
  };
  const auto of_b = part(all_of_b, B.rows), of_c = part(all_of_c, C.rows);
  const auto from = columns_of<PetscHost>(B, begin, columns);
  const auto to   = columns_of<PetscHost>(C, begin, columns);
  for_each_element(exec, "Lacuna::petsc::take_rows", B.rows, columns,
                   [=](PetscInt row, PetscInt column) { of_b(row, column) = from(row, column); });
  spmm(exec, plan, PetscScalar(1), of_b, PetscScalar(0), of_c);
  if (adds)
    for_each_element(exec, "Lacuna::petsc::add_rows", C.rows, columns,
                     [=](PetscInt row, PetscInt column) { to(row, column) += of_c(row, column); });
  else
    for_each_element(exec, "Lacuna::petsc::put_rows", C.rows, columns,
                     [=](PetscInt row, PetscInt column) { to(row, column) = of_c(row, column); });
}

template <class Space>
void multiply_as_they_stand(const Space& exec, const Plan<Space>& plan, const PetscBlock<const PetscScalar>& B,
                            bool adds, const PetscBlock<PetscScalar>& C, PetscInt begin, PetscInt columns) {
  spmm(exec, plan, PetscScalar(1), columns_of<Space>(B, begin, columns), adds ? PetscScalar(1) : PetscScalar(0),
       columns_of<Space>(C, begin, columns));
}

PetscErrorCode multiply_on_host(Mat A, Op op, const PetscArrays& now, const PetscBlock<const PetscScalar>& B, bool adds,
                                const PetscBlock<PetscScalar>& C) {
  const Plan<PetscHost>* plan = nullptr;
  DensePlans* plans           = nullptr;
  PetscFunctionBegin;
  const auto exec = petsc_space<PetscHost>();
  PetscCall(current_plan(exec, A, op, std::min(C.columns, most_columns), now, &plan));
  PetscCall(dense_plans(A, &plans));
  for (PetscInt begin = 0; begin < C.columns; begin += most_columns) {
    const PetscInt columns = std::min(C.columns - begin, most_columns);
    if (columns >= least_columns)
      multiply_by_rows(exec, plans, *plan, B, adds, C, begin, columns);
    else
      multiply_as_they_stand(exec, *plan, B, adds, C, begin, columns);
  }
  if constexpr (petsc_has_device) exec.fence("Lacuna::petsc: a product on the host");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiply_on_device(Mat A, Op op, const PetscArrays& now, const PetscBlock<const PetscScalar>& B,
                                  bool adds, const PetscBlock<PetscScalar>& C) {
  const Plan<PetscDevice>* plan = nullptr;
  PetscFunctionBegin;
  const auto exec = petsc_space<PetscDevice>();
  PetscCall(current_plan(exec, A, op, C.columns, now, &plan));
  multiply_as_they_stand(exec, *plan, B, adds, C, 0, C.columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode petsc_times_dense(Mat A, Op op, const PetscBlock<const PetscScalar>& B, bool adds,
                                 const PetscBlock<PetscScalar>& C) {
  return petsc_guarded("MatProductNumeric", [&]() -> PetscErrorCode {
    PetscArrays now;
    PetscFunctionBegin;
    if (C.columns == 0) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(petsc_arrays(A, &now));
    const PetscLogDouble flops =
        2.0 * static_cast<PetscLogDouble>(now.nonzeros) * static_cast<PetscLogDouble>(C.columns);
    if (PetscMemTypeHost(now.memory)) {
      PetscCall(multiply_on_host(A, op, now, B, adds, C));
      PetscCall(petsc_log_flops<PetscHost>(flops));
    } else {
      PetscCheck(petsc_has_device, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "Lacuna: the matrix is on a device, which Kokkos was built without");
      if constexpr (petsc_has_device) PetscCall(multiply_on_device(A, op, now, B, adds, C));
      PetscCall(petsc_log_flops<PetscDevice>(flops));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

PetscErrorCode petsc_dense_reports(Mat A, std::string* reports) {
  DensePlans* plans = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery(reinterpret_cast<PetscObject>(A), plans_name, &plans));
  const auto add = [&](const auto& of_space) {
    for (const auto* kept : {&of_space.plain, &of_space.transposed})
      if (kept->plan() != nullptr) *reports += kept->plan()->report();
  };
  if (plans != nullptr) add(plans->on_host);
  if (plans != nullptr && petsc_has_device) add(plans->on<PetscDevice>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode petsc_drop_dense_plans(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), plans_name, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl
