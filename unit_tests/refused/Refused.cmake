# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Fails unless TARGET fails to build and the compiler says each of MESSAGES.
# cmake -DBUILD=<folder> -DTARGET=<name> -DCONFIG=<configuration> "-DMESSAGES=<a>;<b>" -P Refused.cmake
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target "${TARGET}" --config "${CONFIG}"
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(result EQUAL 0)
  message(FATAL_ERROR "${TARGET} compiles")
endif()
foreach(message IN LISTS MESSAGES)
  string(FIND "${output}" "${message}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the compiler does not say \"${message}\":\n${output}")
  endif()
endforeach()
