// SPDX-License-Identifier: Apache-2.0
// For programs that hold many files open at once.
#pragma once

#include <sys/resource.h>

namespace gordian {

// Raises this process's limit on open descriptors as far as it goes without rights.
inline void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gordian
