// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/puppets/troubles/troubles.h"

namespace gordian::troubles {

void ReadFromTheDisk(const std::string& folder) {
  constexpr size_t kBlockBytes = 4096;
  constexpr uint64_t kBlocks = 1024;
  const std::string path = folder + "/trouble-" + std::to_string(getpid());
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_DIRECT, 0600);
  if (fd < 0) Fail("making " + path);
  unlink(path.c_str());
  void* block = aligned_alloc(kBlockBytes, kBlockBytes);
  memset(block, 'g', kBlockBytes);
  for (uint64_t i = 0; i < kBlocks; ++i) {
    if (write(fd, block, kBlockBytes) != ssize_t{kBlockBytes}) Fail("write");
  }
  if (fsync(fd) != 0) Fail("fsync");
  SayReady();
  for (uint64_t i = 0;; ++i) {
    const auto offset = static_cast<off_t>(i % kBlocks * kBlockBytes);
    if (pread(fd, block, kBlockBytes, offset) != ssize_t{kBlockBytes}) Fail("pread");
  }
}

}  // namespace gordian::troubles
