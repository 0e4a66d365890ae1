# SPDX-License-Identifier: Apache-2.0
# Installs the library, its headers and a CMake package, so that find_package(roce) works.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS collectives EXPORT roce_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/roce DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT roce_targets NAMESPACE roce:: FILE roce-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/roce)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/roce-config.cmake"
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/roce-targets.cmake\")\n")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/roce-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/roce-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/roce-config-version.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/roce)
