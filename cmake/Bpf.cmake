# SPDX-License-Identifier: Apache-2.0
# gordian_bpf_skeleton(NAME FAMILIES…)
# Compiles each family's .bpf.c, links them into one object and generates its C skeleton NAME.skel.h.
# Every header a program includes is in its dependency file, so a change to any of them rebuilds it.
function(gordian_bpf_skeleton name)
  set(families ${ARGN})
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-multiarch
                  OUTPUT_VARIABLE multiarch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX REPLACE "^x86_64$" "x86" bpf_arch "${CMAKE_SYSTEM_PROCESSOR}")
  string(REGEX REPLACE "^aarch64$" "arm64" bpf_arch "${bpf_arch}")

  set(objects)
  foreach(family IN LISTS families)
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/${family}.bpf.c")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${family}.bpf.o")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND ${CLANG_PROGRAM} -g -O2 -std=gnu11 -target bpf -mcpu=v3 -D__TARGET_ARCH_${bpf_arch}
              -Wall -Wextra -Wno-unused-parameter -Werror -I "${PROJECT_SOURCE_DIR}" -isystem "/usr/include/${multiarch}"
              -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
      COMMAND ${LLVM_STRIP_PROGRAM} -g "${object}"
      MAIN_DEPENDENCY "${source}"
      DEPFILE "${object}.d"
      COMMENT "BPF ${family}"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()

  set(linked "${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o")
  set(skeleton "${CMAKE_CURRENT_BINARY_DIR}/${name}.skel.h")
  add_custom_command(
    OUTPUT "${skeleton}"
    COMMAND ${BPFTOOL_PROGRAM} gen object "${linked}" ${objects}
    COMMAND ${BPFTOOL_PROGRAM} gen skeleton "${linked}" name ${name}_bpf > "${skeleton}"
    DEPENDS ${objects}
    COMMENT "BPF skeleton ${name}"
    VERBATIM)
  add_custom_target(${name}_skeleton DEPENDS "${skeleton}")
  add_library(${name}_bpf INTERFACE)
  add_dependencies(${name}_bpf ${name}_skeleton)
  target_include_directories(${name}_bpf SYSTEM INTERFACE "${CMAKE_CURRENT_BINARY_DIR}")
  target_link_libraries(${name}_bpf INTERFACE PkgConfig::LIBBPF)
endfunction()
