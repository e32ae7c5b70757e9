// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/resources.h"

#include <functional>
#include <vector>

#include "recorder/sources/resource_sink.h"

namespace gordian {
namespace {

// Sockets are asked for by netlink: another tree of files has none.
std::function<std::vector<ListeningSocket>()> ListerFor(const SystemPaths& paths) {
  if (paths.proc == SystemPaths{}.proc) return ListListeningSockets;
  return [] { return std::vector<ListeningSocket>(); };
}

}  // namespace

ResourceSampler::ResourceSampler(const SystemPaths& paths)
    : cpus_(paths),
      disks_(paths),
      interfaces_(paths),
      memory_(paths),
      quotas_(paths),
      cgroup_memory_(paths),
      pressure_(paths),
      connections_(paths, ListerFor(paths)),
      open_files_(paths) {}

void ResourceSampler::Sample(uint64_t now_ns, pb::ResourceBlock& block) {
  if (now_ns <= last_ns_) {
    ++samples_missed_;
    return;
  }
  last_ns_ = now_ns;
  ResourceSink sink(now_ns, block);
  cpus_.Sample(sink, samples_missed_);
  disks_.Sample(sink, samples_missed_);
  interfaces_.Sample(sink, samples_missed_);
  memory_.Sample(sink, samples_missed_);
  quotas_.Sample(sink, samples_missed_);
  cgroup_memory_.Sample(sink, samples_missed_);
  pressure_.Sample(sink, samples_missed_);
  connections_.Sample(sink, samples_missed_);
  open_files_.Sample(sink, samples_missed_);
}

}  // namespace gordian
