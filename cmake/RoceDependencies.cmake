# SPDX-License-Identifier: Apache-2.0
# What the build needs, and what it can do without. An optional part that lacks something is
# turned off and listed by roce_print_summary(); it never fails the configure.
find_package(Threads REQUIRED)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)

set(ROCE_SUMMARY "")

# roce_feature(NAME available reason-if-not): records a line of the summary.
function(roce_feature name available reason)
  if(available)
    set(line "  ${name}: on")
  else()
    set(line "  ${name}: off (${reason})")
  endif()
  set(ROCE_SUMMARY "${ROCE_SUMMARY}${line}\n" PARENT_SCOPE)
endfunction()

# Only the headers: the library is loaded at run time, where there is one.
include(CheckIncludeFileCXX)
check_include_file_cxx(infiniband/verbs.h ROCE_HAVE_VERBS)
roce_feature("verbs transport" "${ROCE_HAVE_VERBS}"
  "infiniband/verbs.h not found: install libibverbs-dev")
check_include_file_cxx(ucp/api/ucp.h ROCE_HAVE_UCX)
roce_feature("UCX transport" "${ROCE_HAVE_UCX}" "ucp/api/ucp.h not found: install libucx-dev")

if(ROCE_TOOLS OR ROCE_PERF)
  find_package(CLI11 QUIET)
  if(NOT CLI11_FOUND)
    set(ROCE_TOOLS OFF)
    set(ROCE_PERF OFF)
  endif()
  roce_feature("rocectl and benchmarks" "${CLI11_FOUND}" "CLI11 not found: install libcli11-dev")
else()
  roce_feature("rocectl and benchmarks" OFF "not asked for")
endif()

if(ROCE_TESTS)
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    set(ROCE_TESTS OFF)
  endif()
  roce_feature("tests" "${Catch2_FOUND}" "Catch2 not found: install catch2")
else()
  roce_feature("tests" OFF "not asked for")
endif()

# Prints what was built in and what was left out, with the reason.
function(roce_print_summary)
  message(STATUS "libroce-collectives ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}\n${ROCE_SUMMARY}")
endfunction()
