# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# lacuna_add_plans(<library> [SPMV <matrix type>...] [SPMM <matrix type>...] [SPGEMM <matrix type>...]
#                  [KOKKOS_KERNELS <matrix type>...])
#
# A static library of plans, compiled once. What links it finds them: its sources include Lacuna_Spmv.hpp, Lacuna_Spmm.hpp
# and Lacuna_Spgemm.hpp as always, and compile none of the kernels of these plans. KOKKOS_KERNELS is for sources that
# include Lacuna_KokkosKernels.hpp: the plans that handles of Kokkos Kernels get. The types are those of A as the program
# writes them, for instance
#
#     lacuna_add_plans(plans SPMM "KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace::device_type, void, int>")
#     target_link_libraries(app PRIVATE plans)
#
# A program may link several such libraries. What links none of them is compiled as if there were none, unless it includes
# <library>.hpp, which is in the library's folder and says the same.
#
# The library is static and position-independent: it can become part of a shared library, if Kokkos was compiled so too
# (-DCMAKE_POSITION_INDEPENDENT_CODE=ON, or BUILD_SHARED_LIBS).
#
# Each type of each operation is a source file of its own, of SpMM on GPUs four, so that they compile side by side. What
# else is compiled where it is used: results of half precision in float, products of SpGEMM with a mask or another
# semiring than PlusTimes. Calls of spgemm without a plan, and triple_product, make plans: they use the library too.

# Where Lacuna is a subfolder, the folder above does not see which Kokkos was found: this is read with Lacuna.
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
  set_property(GLOBAL PROPERTY lacuna_plans_on_gpus ON)
endif()

# The headers by which the headers of Lacuna find compiled plans: <lacuna_plans/<operation>.hpp>, one an operation, are
# made when a build is generated. They name the plans of every library of the build; a library's definition says that a
# source links it, so that a source sees its own alone.
function(lacuna_tell_of_plans library folder operations)
  set(index "${CMAKE_BINARY_DIR}/lacuna_plans")
  if(NOT TARGET lacuna_compiled_plans)
    add_library(lacuna_compiled_plans INTERFACE IMPORTED GLOBAL)
    foreach(operation IN ITEMS KokkosKernels Spmv Spmm Spgemm)
      set_property(TARGET lacuna_compiled_plans PROPERTY LACUNA_${operation} "// Made by lacuna_add_plans.")
      file(GENERATE OUTPUT "${index}/lacuna_plans/${operation}.hpp"
           CONTENT "$<JOIN:$<TARGET_PROPERTY:lacuna_compiled_plans,LACUNA_${operation}>,\n>\n")
    endforeach()
  endif()
  string(MAKE_C_IDENTIFIER "LACUNA_LINKS_${library}" links)
  string(REGEX REPLACE "__+" "_" links "${links}")
  foreach(operation IN LISTS operations)
    set_property(TARGET lacuna_compiled_plans APPEND PROPERTY LACUNA_${operation}
                 "#ifdef ${links}\n#include \"${folder}/${operation}.hpp\"\n#endif")
  endforeach()
  target_compile_definitions(${library} INTERFACE "$<BUILD_INTERFACE:LACUNA_COMPILED_PLANS>" "$<BUILD_INTERFACE:${links}>")
  target_include_directories(${library} INTERFACE "$<BUILD_INTERFACE:${index}>")
endfunction()

function(lacuna_add_plans library)
  cmake_parse_arguments(plans "" "" "SPMV;SPMM;SPGEMM;KOKKOS_KERNELS" ${ARGN})
  if(plans_UNPARSED_ARGUMENTS OR NOT (plans_SPMV OR plans_SPMM OR plans_SPGEMM OR plans_KOKKOS_KERNELS))
    message(FATAL_ERROR "lacuna_add_plans(<library> [SPMV <matrix type>...] [SPMM <matrix type>...] "
                        "[SPGEMM <matrix type>...] [KOKKOS_KERNELS <matrix type>...])")
  endif()
  # What a source of the library instantiates for a type, by operation: the plan, and for SpMM on GPUs the products of
  # its algorithms, whose kernels are most of it, in sources of their own that compile side by side.
  set(lacuna_units_Spmv plan)
  set(lacuna_units_Spmm plan)
  set(lacuna_units_Spgemm plan)
  set(lacuna_units_KokkosKernels spmv spmm spgemm)
  get_property(on_gpus GLOBAL PROPERTY lacuna_plans_on_gpus)
  if(on_gpus)
    list(APPEND lacuna_units_Spmm rows bricks others)
    list(APPEND lacuna_units_KokkosKernels rows)
  endif()
  set(lacuna_instances_Spmv_plan
    "template class lacuna::Impl::CrsPlan<lacuna::Impl::SpmvOperation, @type@, @space@>;
template class lacuna::SpmvPlan<@type@>;
")
  set(lacuna_instances_Spmm_plan
    "template class lacuna::Impl::CrsPlan<lacuna::Impl::SpmmOperation, @type@, @space@>;
template class lacuna::SpmmPlan<@type@>;
template void lacuna::SpmmPlan<@type@>::apply(
    const @space@&, const lacuna::Impl::BlockArguments<lacuna::SpmmPlan<@type@>::value_type>&) const;
")
  # Every algorithm falls back to the row kernels.
  set(lacuna_instances_Spmm_rows
    "template void lacuna::Impl::launch_rows(
    const @space@&, const lacuna::Impl::CrsArraysOf<@type@>&,
    const lacuna::Impl::BlockArguments<lacuna::SpmmPlan<@type@>::value_type>&,
    const lacuna::Impl::RowsView<lacuna::Impl::CrsArraysOf<@type@>>&, const lacuna::Impl::RowsKernel&, int);
")
  set(lacuna_algorithms_rows RowSplit RowBlocks)
  set(lacuna_algorithms_bricks Bricks Hrpb)
  set(lacuna_algorithms_others Gcoo Tiled TiledEngine Dense Diagonals)
  foreach(unit IN ITEMS rows bricks others)
    foreach(algorithm IN LISTS lacuna_algorithms_${unit})
      string(APPEND lacuna_instances_Spmm_${unit}
        "template void lacuna::Impl::multiply_by(
    const lacuna::Impl::Spmm${algorithm}::Storage<@type@, @space@>&, const @space@&,
    const lacuna::Impl::CrsArraysOf<@type@>&,
    const lacuna::Impl::BlockArguments<lacuna::SpmmPlan<@type@>::value_type>&);
")
    endforeach()
  endforeach()
  set(lacuna_instances_Spgemm_plan
    "template class lacuna::Impl::SpgemmPlanBase<@type@, @space@, false, lacuna::Impl::SpgemmOperation>;
template class lacuna::SpgemmPlan<@type@>;
template void lacuna::SpgemmPlan<@type@>::multiply(
    const @space@&, const lacuna::PlusTimes<lacuna::SpgemmPlan<@type@>::value_type>&,
    const lacuna::SpgemmPlan<@type@>::value_type&, const @type@&, const @type@&,
    const lacuna::SpgemmPlan<@type@>::result_type&, bool) const;
")

  # The same for the matrix and the lists of algorithms that handles of Kokkos Kernels have.
  set(handle_matrix "lacuna::Impl::KokkosKernelsMatrix<@type@>")
  set(lacuna_instances_KokkosKernels_spmv
    "template class lacuna::Impl::CrsPlan<lacuna::Impl::HandleSpmvOperation, ${handle_matrix}, @space@>;
template class lacuna::SpmvPlan<${handle_matrix}, @space@, lacuna::Impl::HandleSpmvOperation>;
template void lacuna::Impl::spmv_one_shot(const @space@&, const lacuna::Impl::CrsArraysOf<${handle_matrix}>&,
                                          const lacuna::Impl::VectorArguments<@type@::non_const_value_type>&);
")
  set(lacuna_instances_KokkosKernels_spmm
    "template class lacuna::Impl::CrsPlan<lacuna::Impl::HandleSpmmOperation, ${handle_matrix}, @space@>;
template class lacuna::SpmmPlan<${handle_matrix}, @space@, lacuna::Impl::HandleSpmmOperation>;
template void lacuna::SpmmPlan<${handle_matrix}, @space@, lacuna::Impl::HandleSpmmOperation>::apply(
    const @space@&, const lacuna::Impl::BlockArguments<@type@::non_const_value_type>&) const;
template void lacuna::Impl::spmm_one_shot(const @space@&, const lacuna::Impl::CrsArraysOf<${handle_matrix}>&,
                                          const lacuna::Impl::BlockArguments<@type@::non_const_value_type>&,
                                          std::int64_t);
")
  string(REPLACE "@type@" "${handle_matrix}" lacuna_instances_KokkosKernels_rows "${lacuna_instances_Spmm_rows}")
  string(REPLACE "@type@" "${handle_matrix}" lacuna_instances_KokkosKernels_spgemm "${lacuna_instances_Spgemm_plan}")

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${library}")
  set(lacuna_plans_includes "")
  set(lacuna_plans_elsewhere "")
  set(operations "")
  set(sources "")
  foreach(operation IN ITEMS KokkosKernels Spmv Spmm Spgemm)  # its header is the first of all
    string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" upper "${operation}")
    string(TOUPPER "${upper}" upper)
    if(NOT plans_${upper})
      continue()
    endif()
    set(number 0)
    set(lacuna_instances_elsewhere "")
    foreach(type IN LISTS plans_${upper})
      set(space "${type}::execution_space")
      foreach(unit IN LISTS lacuna_units_${operation})
        string(CONFIGURE "${lacuna_instances_${operation}_${unit}}" instances @ONLY)
        set(source "#include \"${library}.hpp\"\n\n${instances}")
        string(REPLACE "template " "extern template " instances "${instances}")
        string(APPEND lacuna_instances_elsewhere "${instances}")
        set(file "${folder}/${operation}_${number}_${unit}.cpp")
        file(CONFIGURE OUTPUT "${file}" CONTENT "${source}" @ONLY)
        list(APPEND sources "${file}")
      endforeach()
      math(EXPR number "${number} + 1")
    endforeach()
    file(CONFIGURE OUTPUT "${folder}/plans/${operation}.hpp" CONTENT
         "// Made by lacuna_add_plans.\n#pragma once\n\n@lacuna_instances_elsewhere@" @ONLY)
    list(APPEND operations ${operation})
    string(APPEND lacuna_plans_includes "#include <Lacuna_${operation}.hpp>\n")
    string(APPEND lacuna_plans_elsewhere "#include \"plans/${operation}.hpp\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${folder}/${library}.hpp" CONTENT
       "// Made by lacuna_add_plans.\n#pragma once\n\n@lacuna_plans_includes@\n@lacuna_plans_elsewhere@" @ONLY)
  add_library(${library} STATIC ${sources})
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_link_libraries(${library} PUBLIC Lacuna::lacuna)
  lacuna_tell_of_plans(${library} "${folder}/plans" "${operations}")
endfunction()

# The plans of SpMV, SpMM and SpGEMM of matrices of these scalars in Kokkos's default memory, with columns of type int and
# offsets of type int or std::size_t: Lacuna::plans, of a build with LACUNA_PLANS.
function(lacuna_add_plans_of_scalars library)
  set(types "")
  foreach(scalar IN LISTS ARGN)
    if(NOT scalar MATCHES "^(float|double|Kokkos::complex<(float|double)>)$")
      message(FATAL_ERROR "LACUNA_PLANS lists scalars (float, double, Kokkos::complex<double>), not \"${scalar}\"")
    endif()
    foreach(offset IN ITEMS int std::size_t)
      list(APPEND types
           "KokkosSparse::CrsMatrix<${scalar}, int, Kokkos::DefaultExecutionSpace::device_type, void, ${offset}>")
    endforeach()
  endforeach()
  lacuna_add_plans(${library} SPMV ${types} SPMM ${types} SPGEMM ${types})
endfunction()
