# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Fails where OBJECT holds the code of a plan that a library of lacuna_add_plans compiles: PLANS of them have to be
# undefined there.

execute_process(COMMAND "${NM}" -C "${OBJECT}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*::(CrsPlan|SpgemmPlanBase)\\([^\n]*" constructors "${symbols}")
set(undefined 0)
foreach(symbol IN LISTS constructors)
  if(symbol MATCHES "^ *U ")
    math(EXPR undefined "${undefined} + 1")
  elseif(symbol MATCHES "Options const&")
    message(SEND_ERROR "${OBJECT} compiles ${symbol}")
  endif()
endforeach()
if(NOT undefined EQUAL PLANS)
  message(SEND_ERROR "${OBJECT} finds ${undefined} plans in libraries, not ${PLANS}")
endif()
