// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "tests/puppets/troubles/troubles.h"

namespace gordian::troubles {

void ReadBeyondMemory(const std::string& folder, uint64_t bytes) {
  constexpr uint64_t kPageBytes = 4096;
  const std::string path = folder + "/trouble-" + std::to_string(getpid());
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) Fail("making " + path);
  unlink(path.c_str());
  const std::vector<char> block(1 << 20, 'g');
  for (uint64_t at = 0; at < bytes; at += block.size()) {
    if (write(fd, block.data(), block.size()) != static_cast<ssize_t>(block.size())) Fail("write");
  }
  // Dirty pages could not be dropped.
  if (fsync(fd) != 0) Fail("fsync");
  void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) Fail("mmap");
  madvise(mapped, bytes, MADV_RANDOM);  // without reading ahead
  const auto* const text = static_cast<const volatile char*>(mapped);
  SayReady();
  uint64_t random = 1;
  for (;;) {
    random = random * 6364136223846793005 + 1442695040888963407;
    (void)text[(random >> 20) % (bytes / kPageBytes) * kPageBytes];
  }
}

}  // namespace gordian::troubles
