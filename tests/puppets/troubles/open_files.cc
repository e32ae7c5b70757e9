// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/puppets/troubles/troubles.h"

namespace gordian::troubles {

void OpenNearlyAllFiles() {
  constexpr rlim_t kLimit = 256;
  const rlimit limit{kLimit, kLimit};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) Fail("setrlimit");
  for (rlim_t i = 0; i + 10 < kLimit; ++i) {
    if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) Fail("open");
  }
  SayReady();
  for (;;) Compute(1'000'000'000);
}

}  // namespace gordian::troubles
