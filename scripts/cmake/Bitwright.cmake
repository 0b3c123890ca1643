# Shared build rules: language level, warnings, and the functions that declare libraries and tests.
include_guard(GLOBAL)

option(BW_BUILD_TESTS "Build the tests" ON)
option(BW_WERROR "Treat warnings as errors" OFF)
option(BW_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
option(BITWRIGHT_FUZZ "Build the fuzzers of tests/fuzz (clang), everything with sanitizers" OFF)

set(CMAKE_CXX_STANDARD 17)  # Debian's SystemC links only as C++17
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # NDEBUG stays off: invariants are checked in every build

find_program(BW_CCACHE ccache)
if(BW_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${BW_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

add_library(bw_warnings INTERFACE)
target_compile_options(bw_warnings INTERFACE -Wall -Wextra -Wconversion
                       $<$<BOOL:${BW_WERROR}>:-Werror>)
add_library(bw_build INTERFACE)
target_include_directories(bw_build INTERFACE "${PROJECT_SOURCE_DIR}")
if(BW_SANITIZE)
  target_compile_options(bw_build INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -g1)
  target_link_options(bw_build INTERFACE -fsanitize=address,undefined)
endif()
if(BITWRIGHT_FUZZ)
  target_compile_options(bw_build INTERFACE -fsanitize=address,undefined,fuzzer-no-link
                         -fno-sanitize-recover=undefined -g1)
  target_link_options(bw_build INTERFACE -fsanitize=address,undefined)
endif()

# bw_library(<name> SOURCES a.cc ... [PUBLIC dep ...] [PRIVATE dep ...])
# Declares the library bw_<name> with the alias bw::<name>.
function(bw_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(ARG_SOURCES)
    add_library(bw_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(bw_${name} PUBLIC bw_build ${ARG_PUBLIC} PRIVATE bw_warnings ${ARG_PRIVATE})
  else()
    add_library(bw_${name} INTERFACE)
    target_link_libraries(bw_${name} INTERFACE bw_build ${ARG_PUBLIC})
  endif()
  add_library(bw::${name} ALIAS bw_${name})
endfunction()

# bw_test(<name> SOURCES a.cc ... [LIBS dep ...] [LABEL fast|ci|full] [TIMEOUT s])
# One GoogleTest executable. Each case runs as a process of its own, because SystemC can elaborate
# once a process. A skipped case shows as skipped, never as passed.
function(bw_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE bw_build bw_warnings ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE BW_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             BW_BINARY_DIR="${PROJECT_BINARY_DIR}")
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
endfunction()

# bw_bench(<name> SOURCES a.cc ... [LIBS dep ...])
# One Google Benchmark executable, and a test that it still runs. Without the library: said aloud.
function(bw_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(WARNING "${name} is not built: Google Benchmark (libbenchmark-dev) is missing")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE bw_build bw_warnings ${ARG_LIBS} benchmark::benchmark_main)
  add_test(NAME ${name}.runs COMMAND ${name} --benchmark_min_time=0.001)
  set_tests_properties(${name}.runs PROPERTIES LABELS fast TIMEOUT 60)
endfunction()
