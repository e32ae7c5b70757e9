// SPDX-License-Identifier: Apache-2.0
// Where the kernel's two file trees are mounted. Tests pass a fixture tree instead.
#pragma once

#include <string>

namespace gordian {

struct SystemPaths {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

}  // namespace gordian
