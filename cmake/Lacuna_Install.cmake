# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Install rules and the package that find_package(Lacuna) finds.

include(CMakePackageConfigHelpers)

set(lacuna_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Lacuna")

foreach(path IN LISTS lacuna_public_headers)
  install(FILES "${PROJECT_SOURCE_DIR}/${path}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/lacuna")
endforeach()
list(JOIN lacuna_public_folders "|" folders)
foreach(folder core formats backends kernels)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/lacuna"
          FILES_MATCHING PATTERN "*.hpp" REGEX "/(${folders})/Lacuna[^/]*$" EXCLUDE PATTERN "engines/petsc" EXCLUDE)
endforeach()

set_target_properties(lacuna_io PROPERTIES EXPORT_NAME io)
install(TARGETS lacuna lacuna_io EXPORT LacunaTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(EXPORT LacunaTargets NAMESPACE Lacuna:: DESTINATION "${lacuna_package_dir}")

if(LACUNA_ENABLE_PETSC)
  set_target_properties(lacuna_petsc PROPERTIES EXPORT_NAME petsc)
  install(TARGETS lacuna_petsc EXPORT LacunaTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/kernels/engines/petsc/Lacuna_Petsc.hpp"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/lacuna")
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/Lacuna_FindPetsc.cmake" DESTINATION "${lacuna_package_dir}")
endif()

# The package tells each project that finds it of these plans (lacuna_tell_of_plans).
set(lacuna_compiled_plans "${CMAKE_INSTALL_INCLUDEDIR}/lacuna/compiled_plans")
if(LACUNA_PLANS)
  set_target_properties(lacuna_plans PROPERTIES EXPORT_NAME plans)
  install(TARGETS lacuna_plans EXPORT LacunaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/lacuna_plans/plans/" DESTINATION "${lacuna_compiled_plans}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/LacunaConfig.cmake.in" "${PROJECT_BINARY_DIR}/LacunaConfig.cmake"
                              INSTALL_DESTINATION "${lacuna_package_dir}" PATH_VARS lacuna_compiled_plans)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/LacunaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/LacunaConfig.cmake" "${PROJECT_BINARY_DIR}/LacunaConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/Lacuna_Cuda13.cmake" "${PROJECT_SOURCE_DIR}/cmake/Lacuna_Cuda13.hpp"
              "${PROJECT_SOURCE_DIR}/cmake/Lacuna_KokkosKernels.cmake" "${PROJECT_SOURCE_DIR}/cmake/Lacuna_Plans.cmake"
        DESTINATION "${lacuna_package_dir}")
