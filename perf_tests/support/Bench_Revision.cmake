# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Writes OUTPUT with the revision of SOURCE at build time; touches it only when something changed.
# LACUNA_GIT_REVISION in the environment names the revision of a tree without history.
# cmake -DSOURCE=… -DOUTPUT=… -P Bench_Revision.cmake
set(revision "unknown")
set(dirty "unknown")
find_program(git git)
if(DEFINED ENV{LACUNA_GIT_REVISION})
  # A source tree that was taken somewhere without its history names its revision so.
  set(revision "$ENV{LACUNA_GIT_REVISION}")
  set(dirty "false")
elseif(git)
  execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(result EQUAL 0)
    set(revision "${output}")
    execute_process(COMMAND "${git}" -C "${SOURCE}" status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(output STREQUAL "")
      set(dirty "false")
    else()
      set(dirty "true")
    endif()
  endif()
endif()
file(WRITE "${OUTPUT}.new" "#define LACUNA_BENCH_GIT_REVISION \"${revision}\"
#define LACUNA_BENCH_GIT_DIRTY \"${dirty}\"
")
execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${OUTPUT}.new" "${OUTPUT}")
file(REMOVE "${OUTPUT}.new")
