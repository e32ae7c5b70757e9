# SPDX-License-Identifier: Apache-2.0
# Short forms so that every folder's CMakeLists.txt reads as a list of its parts.

# Precompiled headers, made for each way that files are compiled: as parts of libraries, of
# programs, and of tests. Only if the preset asks for them: the debug build reads each file with its
# own includes, so that no include is missing.
set(GORDIAN_PCH_HEADERS
  <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <utility> <vector>
  <absl/container/flat_hash_map.h> <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h>
  <google/protobuf/message.h> <google/protobuf/repeated_field.h>)
# The tested code is optimised as in other builds; the tests' own code takes half the time to
# compile without.
set(GORDIAN_TEST_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O0>)
# With sanitizers the tested code is watched as in other builds. Of the tests' own code only the
# memory is watched: undefined behaviour and branches in there do not matter, and take two fifths of
# the time to compile.
if(GORDIAN_SANITIZE MATCHES "undefined")
  list(APPEND GORDIAN_TEST_OPTIONS -fno-sanitize=undefined)
endif()
if(GORDIAN_FUZZ)
  list(APPEND GORDIAN_TEST_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()
function(gordian_use_pch name way deps)
  if(NOT GORDIAN_PCH)
    return()
  endif()
  # Sources that parse command lines read the largest header of all.
  set(with_cli FALSE)
  if(way STREQUAL "program" OR "CLI11::CLI11" IN_LIST deps OR deps MATCHES "gordian_cli_")
    set(with_cli TRUE)
    if(NOT way STREQUAL "program")
      string(APPEND way "_with_cli")
    endif()
  endif()
  if(NOT TARGET gordian_pch_${way})
    file(WRITE "${PROJECT_BINARY_DIR}/pch_${way}.cc" "int main() { return 0; }\n")
    if(way MATCHES "^library")
      add_library(gordian_pch_${way} STATIC "${PROJECT_BINARY_DIR}/pch_${way}.cc")
    else()
      add_executable(gordian_pch_${way} "${PROJECT_BINARY_DIR}/pch_${way}.cc")
    endif()
    target_compile_options(gordian_pch_${way} PRIVATE ${GORDIAN_WARNINGS})
    if(with_cli)
      target_link_libraries(gordian_pch_${way} PRIVATE CLI11::CLI11)
      list(APPEND GORDIAN_PCH_HEADERS <CLI/CLI.hpp>)
    endif()
    if(way MATCHES "^test")
      target_compile_options(gordian_pch_${way} PRIVATE ${GORDIAN_TEST_OPTIONS})
      target_link_libraries(gordian_pch_${way} PRIVATE GTest::gmock)
      list(APPEND GORDIAN_PCH_HEADERS <gmock/gmock.h>)
    endif()
    target_precompile_headers(gordian_pch_${way} PRIVATE ${GORDIAN_PCH_HEADERS})
  endif()
  target_precompile_headers(${name} REUSE_FROM gordian_pch_${way})
endfunction()

# With sanitizers each library is linked once, and not into each of two hundred tests: with all of their checks these take
# gigabytes, and minutes to link. What people run is linked whole.
set(GORDIAN_LIBRARY_KIND STATIC)
if(GORDIAN_SANITIZE)
  set(GORDIAN_LIBRARY_KIND SHARED)
endif()

# gordian_library(NAME [TEST] SOURCES… DEPS…)
# TEST marks what uses a test framework: it is linked into each test, as the framework itself is.
function(gordian_library name)
  cmake_parse_arguments(ARG "TEST" "" "SOURCES;DEPS" ${ARGN})
  set(kind ${GORDIAN_LIBRARY_KIND})
  if(ARG_TEST)
    set(kind STATIC)
  endif()
  add_library(${name} ${kind} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "") # compiled as for a static one
  target_compile_options(${name} PRIVATE ${GORDIAN_WARNINGS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  gordian_use_pch(${name} library "${ARG_DEPS}")
endfunction()

# gordian_program(NAME SOURCES… DEPS… [TEST])
function(gordian_program name)
  cmake_parse_arguments(ARG "TEST" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${GORDIAN_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  if(ARG_TEST)
    target_compile_options(${name} PRIVATE ${GORDIAN_TEST_OPTIONS})
    gordian_use_pch(${name} test "${ARG_DEPS}")
  else()
    gordian_use_pch(${name} program "${ARG_DEPS}")
  endif()
endfunction()

# Only a test that hangs takes so long; with sanitizers, and not optimised, all take fifty times as
# long.
set(GORDIAN_UNIT_TIMEOUT_S 300)
if(GORDIAN_SANITIZE)
  set(GORDIAN_UNIT_TIMEOUT_S 1800)
endif()

# gordian_test(NAME SOURCES… DEPS… [KERNEL] [THREADS])
# KERNEL marks tests that load BPF programs: they need root and run one at a time.
# THREADS marks tests of code with threads: ThreadSanitizer watches them, too (scripts/tsan).
function(gordian_test name)
  cmake_parse_arguments(ARG "KERNEL;THREADS" "" "SOURCES;DEPS" ${ARGN})
  gordian_program(${name} TEST SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  if(ARG_KERNEL)
    # They run like the programs that people run: with a sanitizer only when asked for by name.
    if(GORDIAN_SANITIZE)
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS kernel RUN_SERIAL ON TIMEOUT 600)
  else()
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT ${GORDIAN_UNIT_TIMEOUT_S})
  endif()
  # What recorders and analyses keep for the next time: the machine's own caches are left alone.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT
                       "CACHE_DIRECTORY=${PROJECT_BINARY_DIR}/tests/cache;GORDIAN_STORE=")
  if(ARG_THREADS)
    set_property(TEST ${name} APPEND PROPERTY LABELS threads)
    if(NOT TARGET threaded_tests)
      add_custom_target(threaded_tests)
    endif()
    add_dependencies(threaded_tests ${name})
  endif()
endfunction()

# gordian_quiet_test(NAME): a KERNEL test that asks who had the CPUs, so that nothing may run beside
# it. Whoever runs -L kernel without -LE quiet runs it, too.
function(gordian_quiet_test name)
  set_tests_properties(${name} PROPERTIES LABELS "kernel;quiet")
endfunction()

# gordian_property_cases(TEST COUNT): how many random cases each property of the test is tried on. A tenth with sanitizers:
# they look for faults of memory, which show in few cases, and take fifty times as long.
function(gordian_property_cases test count)
  if(GORDIAN_SANITIZE)
    math(EXPR count "${count} / 10")
  endif()
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "RC_PARAMS=max_success=${count}")
endfunction()

# gordian_fuzz_edges_only(): for a folder whose code compares no bytes of foreign files. What it compares helps no fuzzer
# to find another input, and to tell takes a quarter of the time.
function(gordian_fuzz_edges_only)
  if(GORDIAN_FUZZ)
    add_compile_options(-fno-sanitize-coverage=trace-cmp)
  endif()
endfunction()

# gordian_fuzzer(NAME SOURCES… DEPS… SEEDS…): the program build/PRESET/fuzz/NAME (asan, fuzz).
# SEEDS are sources of a program that writes the inputs to start from into the directory it is given.
function(gordian_fuzzer name)
  if(NOT GORDIAN_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;SEEDS" ${ARGN})
  gordian_program(${name} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  gordian_program(${name}_seeds SOURCES ${ARG_SEEDS} DEPS ${ARG_DEPS})
  set_target_properties(${name} ${name}_seeds PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name} ${name}_seeds)
endfunction()

# gordian_proto(NAME PROTOS… DEPS…): a library of generated messages.
function(gordian_proto name)
  cmake_parse_arguments(ARG "" "" "PROTOS;DEPS" ${ARGN})
  list(TRANSFORM ARG_PROTOS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_library(${name} ${GORDIAN_LIBRARY_KIND} ${ARG_PROTOS})
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "")
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF) # all of them use the same names
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf ${ARG_DEPS})
  # CMake's module puts this folder first on protoc's import path; only as the project's root does it make
  # trace/NAME.pb.h, the name under which the files import and include each other.
  set(CMAKE_CURRENT_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
  protobuf_generate(TARGET ${name} LANGUAGE cpp PROTOC_OUT_DIR "${PROJECT_BINARY_DIR}")
endfunction()

# gordian_grpc(NAME PROTOS… DEPS…): the services of protos whose messages are in DEPS. Apart from
# them, so that code that only handles the messages stays free of gRPC.
function(gordian_grpc name)
  cmake_parse_arguments(ARG "" "" "PROTOS;DEPS" ${ARGN})
  list(TRANSFORM ARG_PROTOS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_library(${name} ${GORDIAN_LIBRARY_KIND} ${ARG_PROTOS})
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "")
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF) # as above
  target_link_libraries(${name} PUBLIC gRPC::grpc++ ${ARG_DEPS})
  set(CMAKE_CURRENT_SOURCE_DIR "${PROJECT_SOURCE_DIR}")  # as above
  protobuf_generate(TARGET ${name} LANGUAGE grpc PROTOC_OUT_DIR "${PROJECT_BINARY_DIR}"
                    GENERATE_EXTENSIONS .grpc.pb.h .grpc.pb.cc
                    PLUGIN "protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>")
endfunction()
