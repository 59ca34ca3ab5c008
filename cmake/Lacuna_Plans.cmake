# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# lacuna_add_plans(<library> [SPMV <matrix type>...] [SPMM <matrix type>...] [SPGEMM <matrix type>...])
#
# A static library of plans, compiled once, and a header <library>.hpp which tells that they are: a source that includes
# it instead of Lacuna_Spmv.hpp, Lacuna_Spmm.hpp and Lacuna_Spgemm.hpp uses them without compiling their kernels. The
# types are those of A as the program writes them, for instance
#
#     lacuna_add_plans(plans SPMM "KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace::device_type, void, int>")
#     target_link_libraries(app PRIVATE plans)
#
# The library is static and position-independent: it can become part of a shared library, if Kokkos was compiled so too
# (-DCMAKE_POSITION_INDEPENDENT_CODE=ON, or BUILD_SHARED_LIBS).
#
# Each type of each operation is a source file of its own. What else is compiled where it is used: results of half
# precision in float, products of SpGEMM with a mask or another semiring than PlusTimes. Calls of spgemm without a plan,
# and triple_product, make plans: they use the library too.

function(lacuna_add_plans library)
  cmake_parse_arguments(plans "" "" "SPMV;SPMM;SPGEMM" ${ARGN})
  if(plans_UNPARSED_ARGUMENTS OR NOT (plans_SPMV OR plans_SPMM OR plans_SPGEMM))
    message(FATAL_ERROR "lacuna_add_plans(<library> [SPMV <matrix type>...] [SPMM <matrix type>...] "
                        "[SPGEMM <matrix type>...])")
  endif()
  # What a source of the library instantiates for a type, by operation.
  set(lacuna_instances_Spmv
    "template class lacuna::Impl::CrsPlan<lacuna::Impl::SpmvOperation, @type@, @space@>;
template class lacuna::SpmvPlan<@type@>;
")
  set(lacuna_instances_Spmm
    "template class lacuna::Impl::CrsPlan<lacuna::Impl::SpmmOperation, @type@, @space@>;
template class lacuna::SpmmPlan<@type@>;
template void lacuna::SpmmPlan<@type@>::apply(
    const @space@&, const lacuna::Impl::BlockArguments<lacuna::SpmmPlan<@type@>::value_type>&) const;
")
  set(lacuna_instances_Spgemm
    "template class lacuna::Impl::SpgemmPlanBase<@type@, @space@, false, lacuna::Impl::SpgemmOperation>;
template class lacuna::SpgemmPlan<@type@>;
template void lacuna::SpgemmPlan<@type@>::multiply(
    const @space@&, const lacuna::PlusTimes<lacuna::SpgemmPlan<@type@>::value_type>&,
    const lacuna::SpgemmPlan<@type@>::value_type&, const @type@&, const @type@&,
    const lacuna::SpgemmPlan<@type@>::result_type&, bool) const;
")

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${library}")
  set(lacuna_plans_includes "")
  set(lacuna_plans_elsewhere "")
  set(sources "")
  foreach(operation IN ITEMS Spmv Spmm Spgemm)
    string(TOUPPER "${operation}" upper)
    if(plans_${upper})
      string(APPEND lacuna_plans_includes "#include <Lacuna_${operation}.hpp>\n")
    endif()
    set(number 0)
    foreach(type IN LISTS plans_${upper})
      set(space "${type}::execution_space")
      string(CONFIGURE "${lacuna_instances_${operation}}" instances @ONLY)
      set(source "#include \"${library}.hpp\"\n\n${instances}")
      string(REPLACE "template " "extern template " instances "${instances}")
      string(APPEND lacuna_plans_elsewhere "${instances}")
      set(file "${folder}/${operation}_${number}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${source}" @ONLY)
      list(APPEND sources "${file}")
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT "${folder}/${library}.hpp" CONTENT
       "// Made by lacuna_add_plans.\n#pragma once\n\n@lacuna_plans_includes@\n@lacuna_plans_elsewhere@" @ONLY)
  add_library(${library} STATIC ${sources})
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${library} PUBLIC "${folder}")
  target_link_libraries(${library} PUBLIC Lacuna::lacuna)
endfunction()
