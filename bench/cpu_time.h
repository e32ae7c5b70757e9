// SPDX-License-Identifier: Apache-2.0
// What work costs in CPU time of this process: other programs on the machine do not count.
#pragma once

#include <ctime>
#include <functional>

namespace gordian {

inline double CpuMsOf(const std::function<void()>& work) {
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  work();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  return 1e3 * static_cast<double>(after.tv_sec - before.tv_sec) +
         1e-6 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

}  // namespace gordian
