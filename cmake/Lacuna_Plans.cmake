# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# lacuna_add_plans(<library> [SPMV <matrix type>...] [SPMM <matrix type>...])
#
# A static library of plans, compiled once, and a header <library>.hpp which tells that they are: a source that includes
# it instead of Lacuna_Spmv.hpp and Lacuna_Spmm.hpp uses them without compiling their kernels. The types are those of A
# as the program writes them, for instance
#
#     lacuna_add_plans(plans SPMM "KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace::device_type, void, int>")
#     target_link_libraries(app PRIVATE plans)
#
# Each type of each operation is a source file of its own. Results have the scalar of A; of half precision those in float
# are compiled where they are used.

function(lacuna_add_plans library)
  cmake_parse_arguments(plans "" "" "SPMV;SPMM" ${ARGN})
  if(plans_UNPARSED_ARGUMENTS OR NOT (plans_SPMV OR plans_SPMM))
    message(FATAL_ERROR "lacuna_add_plans(<library> [SPMV <matrix type>...] [SPMM <matrix type>...])")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${library}")
  set(lacuna_plans_includes "")
  set(lacuna_plans_elsewhere "")
  set(sources "")
  foreach(operation IN ITEMS Spmv Spmm)
    string(TOUPPER "${operation}" upper)
    if(plans_${upper})
      string(APPEND lacuna_plans_includes "#include <Lacuna_${operation}.hpp>\n")
    endif()
    set(number 0)
    foreach(type IN LISTS plans_${upper})
      set(space "${type}::execution_space")
      set(instances
          "template class lacuna::Impl::CrsPlan<lacuna::Impl::${operation}Operation, ${type}, ${space}>;
template class lacuna::${operation}Plan<${type}>;\n")
      if(operation STREQUAL "Spmm")
        string(APPEND instances
               "template void lacuna::SpmmPlan<${type}>::apply(
    const ${space}&, const lacuna::Impl::BlockArguments<lacuna::SpmmPlan<${type}>::value_type>&) const;\n")
      endif()
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
  target_include_directories(${library} PUBLIC "${folder}")
  target_link_libraries(${library} PUBLIC Lacuna::lacuna)
endfunction()
