// SPDX-License-Identifier: Apache-2.0
// Makes a small recording whose every moment is known, for tests in a browser.
//
// usage: write_shop [--hostile] DIR
//
// 0.4 s, forty requests of 10 ms each on two CPUs. A request, from its beginning:
//   0–1 ms    web (tid 10) runs on CPU 0, in the phase "request"
//   1–3 ms    db (tid 20) runs on CPU 1; web waits for it until 9 ms
//   3–8 ms    db waits for the disk vda, which begins at 3 ms and ends at 8 ms
//   8–9 ms    db runs
//   9–10 ms   web runs; then it asks again
// Nothing is known of logger (tid 30, a thread of web). batch (tid 40) runs on CPU 1 while db waits
// for the disk. With --hostile the names are markup.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "tests/support/time_literals.h"
#include "tests/support/trace_builder.h"

namespace gordian {
namespace {

using testing::kDiskSleep;
using testing::kSleep;

constexpr int kRequests = 40;
constexpr uint64_t kRequestNs = 10'000'000;

struct ShopNames {
  std::string web = "web";
  std::string db = "db";
  std::string logger = "logger";
  std::string batch = "batch";
  std::string phase = "request";
  std::string function = "Commit(Transaction const&)";
  std::string cgroup = "/shop.slice/db.service";
};

ShopNames HostileNames() {
  return {.web = "<img src=x>",
          .db = "\"><b>db",
          .logger = "</script>",
          .batch = "&lt;i&gt; '\\",
          .phase = "<script>alert(1)</script>",
          .function = "<svg onload=alert(1)>",
          .cgroup = "/<img src=x onerror=alert(1)>"};
}

class Shop {
 public:
  explicit Shop(const ShopNames& names) : names_(names) {
    trace_.Thread(10, names.web).Thread(20, names.db).Thread(40, names.batch);
    trace_.Thread(30, names.logger, 10);
    trace_.InCgroup(20, 77, names.cgroup);
    disk_ = trace_.Disk("vda");
    // The first request: db waits already.
    trace_.At(0).Cpu(0).Run(10).Cpu(1).Run(20);
    commit_ = trace_.AddStack({"io_schedule", "ext4_sync_file"},
                              {{.function = names.function, .file = "log.cc", .line = 88},
                               {.function = "Serve", .file = "db.cc", .line = 12}},
                              20);
    trace_.Block(kSleep);
  }

  absl::Status Write(const std::string& directory) {
    for (int number = 0; number < kRequests; ++number) AddRequest(number);
    return trace_.WriteSession(directory);
  }

 private:
  void AddRequest(int number) {
    using namespace testing;  // NOLINT: 1_ms
    const uint64_t begin_ns = static_cast<uint64_t>(number) * kRequestNs;
    const uint64_t sector = 1000 + static_cast<uint64_t>(number) * 8;
    trace_.At(begin_ns).Cpu(kNoCpu).PhaseBegin(10, names_.phase, std::to_string(number));
    trace_.At(begin_ns + 1_ms).Cpu(0).Wake(20).Block(kSleep);
    trace_.At(begin_ns + 1_ms).Cpu(1).Run(20);
    BlockEvent request{.sector = sector,
                       .device = disk_,
                       .bytes = 4096,
                       .tid = 20,
                       .operation = BlockOperation::kWrite};
    trace_.At(begin_ns + 3_ms).Issue(request).Wake(40).Block(kDiskSleep);
    trace_.AddStackSample(20, StackMoment::kWait, commit_);
    trace_.Run(40);
    request.service_ns = 5_ms;
    trace_.At(begin_ns + 8_ms).Complete(request).WakeFromBlock(20, disk_).Block(kSleep);
    trace_.Run(20);
    trace_.At(begin_ns + 9_ms).Wake(10).Block(kSleep);
    trace_.Cpu(0).Run(10);
    trace_.At(begin_ns + kRequestNs).Cpu(kNoCpu).Probe(10, ProbeKind::kPhaseEnd, names_.phase);
  }

  ShopNames names_;
  testing::TraceBuilder trace_;
  uint32_t disk_ = 0;
  uint32_t commit_ = 0;
};

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) try {
  const bool hostile = argc == 3 && std::string_view(argv[1]) == "--hostile";
  if (argc != 2 && !hostile) {
    std::fprintf(stderr, "usage: write_shop [--hostile] DIR\n");
    return 2;
  }
  const absl::Status written =
      gordian::Shop(hostile ? gordian::HostileNames() : gordian::ShopNames()).Write(argv[argc - 1]);
  if (!written.ok()) std::fprintf(stderr, "write_shop: %s\n", written.ToString().c_str());
  return written.ok() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_shop: %s\n", error.what());
  return 1;
}
