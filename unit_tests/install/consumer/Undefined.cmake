# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Fails where OBJECT holds the code of a plan that a library of lacuna_add_plans compiles. The products of PLANS of them
# have to be undefined there. (Constructors are inlined, or not, as the flags say.)

execute_process(COMMAND "${NM}" -C "${OBJECT}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*::(CrsPlan|SpgemmPlanBase)\\([^\n]*Options const&[^\n]*" constructors "${symbols}")
foreach(symbol IN LISTS constructors)
  if(NOT symbol MATCHES "^ *U ")
    message(SEND_ERROR "${OBJECT} compiles ${symbol}")
  endif()
endforeach()
string(REGEX MATCHALL
       " U [^\n]*(SpmvPlan<[^\n]*::apply\\(|SpmmPlan<[^\n]*::apply<[^\n]*\\(|SpgemmPlan<[^\n]*::multiply<[^\n]*\\()"
       products "${symbols}")
list(LENGTH products undefined)
if(NOT undefined EQUAL PLANS)
  message(SEND_ERROR "${OBJECT} finds ${undefined} plans in libraries, not ${PLANS}")
endif()
