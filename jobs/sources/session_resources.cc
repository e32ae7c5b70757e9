#include "jobs/sources/session_resources.h"

#include <map>
#include <utility>

namespace gordian {
namespace {

struct Kind {
  pb::ResourceKind kind;
  const char* name;
  const char* unit;
  double scale;  // from the session's numbers
  bool always;   // else only if the model has it
};

constexpr Kind kKinds[] = {
    {pb::RESOURCE_CPU, "cpu", "cores", 1e-9, true},
    {pb::RESOURCE_DISK_BUSY, "disk", "disks", 1e-9, true},
    {pb::RESOURCE_DISK_READ, "disk_read", "B/s", 1, true},
    {pb::RESOURCE_DISK_WRITE, "disk_write", "B/s", 1, true},
    {pb::RESOURCE_NET_RECEIVE, "net_receive", "B/s", 1, true},
    {pb::RESOURCE_NET_SEND, "net_send", "B/s", 1, true},
    {pb::RESOURCE_MEMORY, "memory", "B", 1, false},
    {pb::RESOURCE_SWAP, "swap", "B", 1, false},
};

const Kind* FindKind(pb::ResourceKind kind) {
  for (const Kind& entry : kKinds) {
    if (entry.kind == kind) return &entry;
  }
  return nullptr;
}

// CPUs are sampled one by one, all at the same time, and shown as one resource: phases are not
// bound to CPUs.
struct CpuSum {
  double use = 0;
  double cpus = 0;
};

class SessionResources {
 public:
  SessionResources(PhaseCollector& collector, const ClockOfJob& to_job)
      : collector_(collector), to_job_(to_job) {}

  void Take(const pb::ResourceBlock& block) {
    for (const pb::ResourceSample& sample : block.samples()) {
      if (sample.resource() >= static_cast<uint32_t>(block.resources_size())) continue;
      if (sample.interval_ns() > sample.end_time_ns()) continue;
      TakeSample(block.resources(static_cast<int>(sample.resource())), sample);
    }
  }

  void Finish() {
    const Kind& cpu = kKinds[0];
    const ResourceTypeId type = TypeOf(cpu);
    if (type == kNoId) return;
    const ResourceId instance = Instance(type, cpu.name);
    for (const auto& [interval, sum] : cpus_)
      collector_.resources().AddSample(instance, {interval.first, interval.second, sum.use},
                                       sum.cpus);
  }

 private:
  void TakeSample(const pb::Resource& resource, const pb::ResourceSample& sample) {
    const Kind* kind = FindKind(resource.kind());
    const uint64_t start_ns = ToJob(to_job_, sample.end_time_ns() - sample.interval_ns());
    const uint64_t end_ns = ToJob(to_job_, sample.end_time_ns());
    if (kind == nullptr) return;
    if (kind->kind == pb::RESOURCE_CPU) {
      CpuSum& sum = cpus_[{start_ns, end_ns}];
      sum.use += sample.value() * kind->scale;
      sum.cpus += 1;
      return;
    }
    const ResourceTypeId type = TypeOf(*kind);
    if (type == kNoId) return;
    collector_.resources().AddSample(Instance(type, resource.name()),
                                     {start_ns, end_ns, sample.value() * kind->scale},
                                     resource.capacity() * kind->scale);
  }

  ResourceTypeId TypeOf(const Kind& kind) {
    PhaseTypes& types = collector_.types();
    if (!kind.always) return types.FindResource(kind.name);
    return types.ResourceOrNew({.name = kind.name, .unit = kind.unit});
  }
  ResourceId Instance(ResourceTypeId type, std::string_view name) {
    return collector_.resources().Instance(type, name, collector_.default_node());
  }

  PhaseCollector& collector_;
  const ClockOfJob& to_job_;
  std::map<std::pair<uint64_t, uint64_t>, CpuSum> cpus_;  // by interval
};

}  // namespace

absl::Status ReadSessionResources(SessionReader& session, PhaseCollector& collector,
                                  const ClockOfJob& to_job) {
  const auto blocks = session.ReadResources();
  if (!blocks.ok()) return blocks.status();
  SessionResources resources(collector, to_job);
  for (const pb::ResourceBlock& block : *blocks) resources.Take(block);
  resources.Finish();
  return absl::OkStatus();
}

}  // namespace gordian
