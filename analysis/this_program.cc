// SPDX-License-Identifier: Apache-2.0
#include "analysis/this_program.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"

namespace gordian {

std::string ThisProgram() {
  struct stat file {};
  if (stat("/proc/self/exe", &file) != 0) return "";
  return absl::StrCat(file.st_dev, ".", file.st_ino, ".", file.st_size, ".", file.st_mtim.tv_sec,
                      ".", file.st_mtim.tv_nsec, ".", file.st_ctim.tv_sec, ".",
                      file.st_ctim.tv_nsec);
}

}  // namespace gordian
