# SPDX-License-Identifier: Apache-2.0
# Everything comes from Debian's packages; scripts/setup installs them.
find_package(Threads REQUIRED)
set(protobuf_MODULE_COMPATIBLE ON)
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark CONFIG REQUIRED)
find_package(rapidcheck CONFIG REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit)
pkg_check_modules(NCURSES REQUIRED IMPORTED_TARGET ncursesw)
# It asks for an old _XOPEN_SOURCE, while the compilers' _GNU_SOURCE asks for all there is.
set_property(TARGET PkgConfig::NCURSES PROPERTY INTERFACE_COMPILE_OPTIONS "")
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_library(LIBIBERTY iberty REQUIRED)

find_program(CLANG_PROGRAM clang REQUIRED)
find_program(ESBUILD_PROGRAM esbuild REQUIRED)  # makes one script of web/app
find_program(NODE_PROGRAM NAMES node nodejs REQUIRED)  # runs its tests
find_program(BPFTOOL_PROGRAM bpftool REQUIRED PATHS /usr/sbin /sbin)
find_program(LLVM_STRIP_PROGRAM NAMES llvm-strip llvm-strip-14 REQUIRED)
# The tool with which tests part programs from their debug information (not LLVM's, which cannot
# strip what mold linked).
find_program(OBJCOPY_PROGRAM objcopy REQUIRED)
find_program(STRIP_PROGRAM strip REQUIRED)
