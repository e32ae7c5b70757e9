// SPDX-License-Identifier: Apache-2.0
#include "tests/support/other_programs.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace gordian::testing {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double OwnSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    ::getrusage(who, &usage);
    seconds += Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  return seconds;
}

// In which any CPU of this machine did not idle.
double MachineSeconds() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(stat >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal))
    return 0;
  return (user + nice + system + irq + softirq + steal) /
         static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double UptimeSeconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

OtherPrograms::OtherPrograms()
    : machine_s_(MachineSeconds()), own_s_(OwnSeconds()), uptime_s_(UptimeSeconds()) {}

double OtherPrograms::CpuShare() const {
  const double others_s = (MachineSeconds() - machine_s_) - (OwnSeconds() - own_s_);
  const double all_s =
      (UptimeSeconds() - uptime_s_) * static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  return all_s > 0 ? std::max(0.0, others_s / all_s) : 0;
}

}  // namespace gordian::testing
