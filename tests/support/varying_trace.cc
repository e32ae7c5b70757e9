// SPDX-License-Identifier: Apache-2.0
#include "tests/support/varying_trace.h"

#include <random>

namespace gordian::testing {
namespace {

constexpr int32_t kServerProcess = 10, kAsker = 11, kSyncer = 12;
constexpr uint64_t kMeanWork = 5_ms;

}  // namespace

TraceBuilder VaryingTrace(const VaryingLoad& load) {
  std::mt19937 random(load.seed);
  const auto about = [&random](uint64_t mean_ns) {
    return std::uniform_int_distribution<uint64_t>(mean_ns - mean_ns / 5,
                                                   mean_ns + mean_ns / 5)(random);
  };
  TraceBuilder t;
  t.Thread(kServerProcess, "server");
  t.Thread(kAsker, "A", kServerProcess).Thread(kSyncer, "B", kServerProcess);
  const uint32_t vda = t.Disk("vda");
  t.session().mutable_host()->set_cpus(2);
  t.session().add_targets()->set_pid(kServerProcess);
  t.session().set_end_reason("command ended");
  if (load.counts) t.session().set_backend("import");  // it may have counts among CPUs' events
  t.At(0).Cpu(1).Run(kAsker).Cpu(0).Run(kSyncer);
  uint64_t now_ns = 0;
  for (int i = 0; i < load.requests; ++i) {
    const BlockEvent request = {.sector = 100,
                                .service_ns = about(load.sync_ns),
                                .device = vda,
                                .bytes = 65536,
                                .tid = kSyncer,
                                .operation = BlockOperation::kWrite};
    t.At(now_ns + 2_ms).Cpu(1).Block();
    now_ns += about(kMeanWork);
    t.At(now_ns).Cpu(0).Issue(request).Block(kDiskSleep);
    now_ns += request.service_ns;
    t.At(now_ns).Complete(request).WakeFromBlock(kSyncer, vda).Run(kSyncer);
    if (load.counts) t.Probe(kSyncer, ProbeKind::kCount, "done");
    t.Wake(kAsker).Cpu(1).Run(kAsker);
  }
  return t;
}

}  // namespace gordian::testing
