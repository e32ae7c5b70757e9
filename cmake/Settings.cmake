# SPDX-License-Identifier: Apache-2.0
# The language, the warnings and the sanitizers, the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Optimised, with line tables (so that perf and gdb name our lines) and with CHECKs kept.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

set(GORDIAN_SANITIZE "" CACHE STRING "Value of -fsanitize= for every target, or empty")
set(GORDIAN_WARNINGS -Wall -Wextra -Werror -Wno-missing-field-initializers)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND GORDIAN_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>) # takes each source for a header
endif()
if(GORDIAN_SANITIZE)
  add_compile_definitions(GORDIAN_SANITIZED)
  add_compile_options(-fsanitize=${GORDIAN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # Of the complaints only the lines are read; optimised, it takes twice as long to compile, more than the tests gain.
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
  # GCC's cannot follow fences. Only probes have any: the test that reads what another thread writes is not watched.
  if(GORDIAN_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
  # Not optimised, these two checks are a fifth of the compiler's work. AddressSanitizer stops at null pointers all the
  # same, and the optimised build (fuzz) has both.
  if(GORDIAN_SANITIZE MATCHES "undefined" AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_compile_options(-fno-sanitize=null,alignment)
  endif()
  add_link_options(-fsanitize=${GORDIAN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/not_ours.txt)
  endif()
endif()

option(GORDIAN_MOVABLE_THRESHOLDS "Let the environment move thresholds (base/threshold.h)" OFF)
if(GORDIAN_MOVABLE_THRESHOLDS)
  add_compile_definitions(GORDIAN_MOVABLE_THRESHOLDS)
endif()

option(GORDIAN_FUZZ "Build the fuzzers, and everything so that they see its branches (needs clang)" OFF)
if(GORDIAN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    # Short runs start from a corpus that compared values have helped to find: they only need the edges.
    add_compile_options(-fno-sanitize-coverage=trace-cmp)
  endif()
endif()

option(GORDIAN_PCH "Read the headers that nearly every file includes only once" OFF)
# They serve only sources compiled with the same options; gRPC wants this one.
add_compile_options(-pthread)
# A target with other options of its own reads them as they are.
set(CMAKE_PCH_WARN_INVALID OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  if(GORDIAN_PCH)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE_PROGRAM}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    else()
      add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
  endif()
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

# #include "trace/trace_event.h" works from everywhere, generated headers included.
include_directories("${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
