# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Installs BUILD to INSTALLED and moves that to MOVED. Fails where the package remembers a folder of the build, or a
# shared library exports more than Lacuna's names or has another SONAME than its version says.

file(REMOVE_RECURSE "${INSTALLED}" "${MOVED}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${INSTALLED}" COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${INSTALLED}" "${MOVED}")

file(GLOB_RECURSE texts "${MOVED}/*.cmake" "${MOVED}/*.hpp")
list(LENGTH texts count)
if(count LESS 100)
  message(FATAL_ERROR "${MOVED} has ${count} headers and CMake files only")
endif()
# Where a path begins: of sources in /lacuna, include/lacuna is none.
set(folders "")
foreach(folder IN ITEMS "${INSTALLED}" "${BUILD}" "${SOURCE}")
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" folder "${folder}")
  list(APPEND folders "(^|[^A-Za-z0-9_}.-]|-[IL])${folder}")
endforeach()
foreach(file IN LISTS texts)
  file(READ "${file}" text)
  foreach(folder IN LISTS folders)
    if(text MATCHES "${folder}")
      message(SEND_ERROR "${file} names ${CMAKE_MATCH_0}")
    endif()
  endforeach()
endforeach()

string(REGEX MATCH "^[0-9]+\\.[0-9]+" interface "${VERSION}")
file(GLOB_RECURSE library "${MOVED}/liblacuna_io.so.${VERSION}")
if(library)
  execute_process(COMMAND "${READELF}" -d "${library}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^\n]*\\[liblacuna_io\\.so\\.${interface}\\]")
    message(SEND_ERROR "${library} has another SONAME than liblacuna_io.so.${interface}:\n${dynamic}")
  endif()
  if(dynamic MATCHES "(RPATH|RUNPATH)[^\n]*\\[/")
    message(SEND_ERROR "${library} looks for libraries in a folder of the build:\n${dynamic}")
  endif()
  execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${library}" OUTPUT_VARIABLE names
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" names "${names}")
  if(NOT names MATCHES "lacuna[^;]*read_matrix_file")
    message(SEND_ERROR "${library} does not export the reader")
  endif()
  foreach(name IN LISTS names)
    if(NOT name MATCHES "^_Z(NK?|T.N)6lacuna")
      message(SEND_ERROR "${library} exports ${name}")
    endif()
  endforeach()
endif()
