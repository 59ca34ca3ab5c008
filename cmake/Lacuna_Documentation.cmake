# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# lacuna_doc: the guide (cmake/guide) and the reference of the public headers, as HTML in <build>/documentation. There is
# such a target where Doxygen 1.9.4 or newer is found. A warning fails it.

find_package(Doxygen 1.9.4 QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(lacuna_doc_folder "${PROJECT_BINARY_DIR}/documentation")
file(GLOB lacuna_doc_pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/guide/*.md"
     "${PROJECT_SOURCE_DIR}/C*.md" "${PROJECT_SOURCE_DIR}/SECURITY.md")
foreach(folder cmake core formats backends kernels unit_tests perf_tests)
  file(GLOB_RECURSE pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.md")
  list(APPEND lacuna_doc_pages ${pages})
endforeach()
list(REMOVE_DUPLICATES lacuna_doc_pages)
set(lacuna_doc_headers ${lacuna_public_headers})
list(TRANSFORM lacuna_doc_headers PREPEND "${PROJECT_SOURCE_DIR}/")
set(lacuna_doc_include_folders ${lacuna_public_folders})
list(TRANSFORM lacuna_doc_include_folders PREPEND "${PROJECT_SOURCE_DIR}/")

# Doxygen's lists are words in quotation marks.
foreach(list lacuna_doc_input lacuna_doc_include_folders)
  if(list STREQUAL "lacuna_doc_input")
    set(${list} ${lacuna_doc_pages} ${lacuna_doc_headers})
  endif()
  list(TRANSFORM ${list} REPLACE "(.+)" "\"\\1\"")
  list(JOIN ${list} " " ${list})
endforeach()
set(at "@")
configure_file("${PROJECT_SOURCE_DIR}/cmake/guide/Doxyfile.in" "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)

add_custom_target(lacuna_doc
                  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${lacuna_doc_folder}"
                  COMMAND "${CMAKE_COMMAND}" -E make_directory "${lacuna_doc_folder}"
                  COMMAND "${DOXYGEN_EXECUTABLE}" "${PROJECT_BINARY_DIR}/Doxyfile"
                  COMMENT "Documentation in ${lacuna_doc_folder}/html/index.html" VERBATIM)
