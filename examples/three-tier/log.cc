// SPDX-License-Identifier: Apache-2.0
#include "examples/three-tier/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace three_tier {

Log::Log(const std::string& program, const std::string& path) : program_(program) {
  if (path.empty()) return;
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ >= 0) return;
  std::fprintf(stderr, "%s: cannot open %s: %s\n", program.c_str(), path.c_str(),
               std::strerror(errno));
  std::exit(1);
}

void Log::Write(const std::string& text) const {
  if (file_ < 0) return;
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts = {};
  gmtime_r(&now.tv_sec, &parts);
  char time[64];
  const size_t size = std::strftime(time, sizeof(time), "%Y-%m-%d %H:%M:%S", &parts);
  std::snprintf(time + size, sizeof(time) - size, ".%06ld", now.tv_nsec / 1000);
  const std::string line =
      std::string(time) + " " + program_ + "[" + std::to_string(gettid()) + "] " + text + "\n";
  if (write(file_, line.data(), line.size()) < 0) std::perror("three-tier: cannot write a log");
}

}  // namespace three_tier
