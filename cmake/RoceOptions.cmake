# SPDX-License-Identifier: Apache-2.0
# Compiler settings that every target of the project shares, as the interface target roce_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(ROCE_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  find_program(ROCE_CCACHE ccache)
  if(ROCE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ROCE_CCACHE}")
  endif()
endif()

add_library(roce_options INTERFACE)
target_compile_features(roce_options INTERFACE cxx_std_20)
target_compile_options(roce_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wcast-qual -Wno-sign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)
if(ROCE_WERROR)
  target_compile_options(roce_options INTERFACE -Werror)
endif()
if(ROCE_SANITIZE)
  target_compile_options(roce_options INTERFACE -fsanitize=${ROCE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # With sanitizers GCC 12 sees uninitialised variables inside std::regex and std::function that are
  # none.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(roce_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(roce_options INTERFACE -fsanitize=${ROCE_SANITIZE})
endif()
if(ROCE_COVERAGE)
  target_compile_options(roce_options INTERFACE --coverage)
  target_link_options(roce_options INTERFACE --coverage)
endif()
