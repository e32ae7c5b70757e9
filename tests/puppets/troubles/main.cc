// SPDX-License-Identifier: Apache-2.0
// trouble memory-limit FOLDER BYTES | slow-disk FOLDER | interrupts | accept-queue | open-files
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/puppets/troubles/troubles.h"

namespace gordian::troubles {

void Fail(const std::string& what) {
  fprintf(stderr, "trouble: %s: %s\n", what.c_str(), strerror(errno));
  exit(1);
}

void SayReady() {
  puts("ready");
  fflush(stdout);
}

void Compute(uint64_t duration_ns) {
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  };
  const uint64_t end_ns = now_ns() + duration_ns;
  while (now_ns() < end_ns) {
  }
}

}  // namespace gordian::troubles

int main(int argc, char** argv) {
  using namespace gordian::troubles;
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "memory-limit" && argc == 4)
    ReadBeyondMemory(argv[2], strtoull(argv[3], nullptr, 10));
  if (name == "slow-disk" && argc == 3) ReadFromTheDisk(argv[2]);
  if (name == "interrupts") DrownInInterrupts();
  if (name == "accept-queue") FillAcceptQueue();
  if (name == "open-files") OpenNearlyAllFiles();
  fprintf(stderr, "trouble: no such trouble: %s\n", name.c_str());
  return 2;
}
