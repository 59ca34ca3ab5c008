# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Writes OUTPUT with the revision of the tree SOURCE at build time; touches it only when something changed. Who says it:
#   git                where SOURCE is a checkout itself: a folder within another one is not
#   archive            cmake/revision.txt, which `git archive` fills in
#   LACUNA_REVISION    STATED, of a copy that has neither; a -dirty at its end means changes
# cmake -DSOURCE=… -DSTATED=… -DOUTPUT=… -P Bench_Revision.cmake
set(revision "unknown")
set(dirty "unknown")
set(from "nobody")

find_program(git git)
set(top "")
if(git)
  execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --show-toplevel
                  OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(REAL_PATH "${SOURCE}" source)
set(archived "")
if(EXISTS "${SOURCE}/cmake/revision.txt")
  file(STRINGS "${SOURCE}/cmake/revision.txt" archived LIMIT_COUNT 1)
endif()

if(top STREQUAL source)
  execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse HEAD
                  OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(result EQUAL 0)
    set(revision "${output}")
    set(from "git")
    execute_process(COMMAND "${git}" -C "${SOURCE}" status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(output STREQUAL "")
      set(dirty "false")
    else()
      set(dirty "true")
    endif()
  endif()
elseif(archived MATCHES "^[0-9a-f]+$")
  set(revision "${archived}")
  set(dirty "false")
  set(from "archive")
elseif(STATED)
  set(revision "${STATED}")
  set(dirty "false")
  set(from "LACUNA_REVISION")
  if(revision MATCHES "^(.*)-dirty$")
    set(revision "${CMAKE_MATCH_1}")
    set(dirty "true")
  endif()
endif()

if(revision MATCHES "^[0-9a-f]+$")  # as long as `git rev-parse --short=12`
  string(SUBSTRING "${revision}" 0 12 revision)
endif()
file(WRITE "${OUTPUT}.new" "#define LACUNA_BENCH_GIT_REVISION \"${revision}\"
#define LACUNA_BENCH_GIT_DIRTY \"${dirty}\"
#define LACUNA_BENCH_REVISION_FROM \"${from}\"
")
execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${OUTPUT}.new" "${OUTPUT}")
file(REMOVE "${OUTPUT}.new")
