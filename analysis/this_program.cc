// SPDX-License-Identifier: Apache-2.0
#include "analysis/this_program.h"

#include <link.h>
#include <sys/stat.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Its address tells in which file this code lies.
const char kHere = 0;

// The name that the loader has for it; it has none for the program itself.
int TakeNameIfHere(dl_phdr_info* object, size_t, void* name) {
  const auto here = reinterpret_cast<uintptr_t>(&kHere);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || here < begin || here - begin >= part.p_memsz) continue;
    *static_cast<std::string*>(name) = object->dlpi_name;
    return 1;
  }
  return 0;
}

std::string IdentityOfProgram() {
  std::string library;
  dl_iterate_phdr(TakeNameIfHere, &library);
  struct stat file {};
  if (stat(library.empty() ? "/proc/self/exe" : library.c_str(), &file) != 0) return "";
  return absl::StrCat(file.st_dev, ".", file.st_ino, ".", file.st_size, ".", file.st_mtim.tv_sec,
                      ".", file.st_mtim.tv_nsec, ".", file.st_ctim.tv_sec, ".",
                      file.st_ctim.tv_nsec);
}

}  // namespace

std::string ThisProgram() {
  static const std::string identity = IdentityOfProgram();
  return identity;
}

}  // namespace gordian
