// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <vector>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {

// One thread writes a block of a file and syncs it to disk, again and again. The file system
// decides how many waits one sync takes: at least one. The disk is told by its number.
Report DiskSync(const Options& options) {
  constexpr size_t kBlockBytes = 4096;
  const std::string path = options.directory + "/puppet-" + std::to_string(getpid());
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) Fail("making " + path);
  unlink(path.c_str());
  struct stat status {};
  if (fstat(fd, &status) != 0) Fail("fstat");
  const auto writer = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const std::vector<char> block(kBlockBytes, 'g');
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      const off_t offset = static_cast<off_t>(round * kBlockBytes);
      if (pwrite(fd, block.data(), kBlockBytes, offset) != ssize_t{kBlockBytes}) Fail("pwrite");
      if (fsync(fd) != 0) Fail("fsync");
    }
  };
  Report report;
  report.actors = RunActors({{"writer", options.cpus.at(0), writer}}, ActorsAre::kUrgentThreads);
  report.wakes_are_exact = false;
  report.numbers = {{"rounds", options.rounds},
                    {"block_bytes", kBlockBytes},
                    {"device_major", major(status.st_dev)},
                    {"device_minor", minor(status.st_dev)}};
  close(fd);
  return report;
}

}  // namespace gordian::puppets
