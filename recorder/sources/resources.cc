#include "recorder/sources/resources.h"

#include "recorder/sources/resource_sink.h"

namespace gordian {

ResourceSampler::ResourceSampler(const SystemPaths& paths)
    : cpus_(paths),
      disks_(paths),
      interfaces_(paths),
      memory_(paths),
      quotas_(paths),
      pressure_(paths) {}

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
  pressure_.Sample(sink, samples_missed_);
}

}  // namespace gordian
