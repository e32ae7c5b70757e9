// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/tracepoint_count.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian::testing {
namespace {

constexpr char kTracefs[] = "/sys/kernel/tracing";

absl::StatusOr<uint64_t> IdOf(const std::string& name) {
  const std::string events = absl::StrCat(kTracefs, "/events");
  if (access(events.c_str(), F_OK) != 0 &&
      mount("tracefs", kTracefs, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot mount tracefs: ", strerror(errno)));
  }
  std::ifstream file(absl::StrCat(events, "/", name, "/id"));
  uint64_t id = 0;
  if (!(file >> id)) return absl::UnavailableError(absl::StrCat("there is no tracepoint ", name));
  return id;
}

}  // namespace

absl::StatusOr<TracepointCount> TracepointCount::Open(const std::string& name,
                                                      const std::string& filter) {
  const absl::StatusOr<uint64_t> id = IdOf(name);
  if (!id.ok()) return id.status();
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.config = *id;
  attributes.disabled = 1;
  TracepointCount count;
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    const int event = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
    if (event < 0)
      return absl::UnavailableError(absl::StrCat("cannot count ", name, ": ", strerror(errno)));
    count.events_.push_back(event);
    if ((!filter.empty() && ioctl(event, PERF_EVENT_IOC_SET_FILTER, filter.c_str()) != 0) ||
        ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot count ", name, " if ", filter, ": ", strerror(errno)));
    }
  }
  return count;
}

TracepointCount::~TracepointCount() {
  for (const int event : events_) close(event);
}

uint64_t TracepointCount::Read() const {
  uint64_t sum = 0;
  for (const int event : events_) {
    uint64_t value = 0;
    if (read(event, &value, sizeof(value)) == sizeof(value)) sum += value;
  }
  return sum;
}

}  // namespace gordian::testing
