// SPDX-License-Identifier: Apache-2.0
// How fast the drain turns kernel records into trace files: from the bytes of a ring to written
// blocks, on one core.
//
// The records are those of a messaging benchmark: wakes and switches among 400 threads about a
// microsecond apart. Not measured: the ring's own bookkeeping in libbpf (two loads and a store a
// record).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bpf/events.h"
#include "recorder/drain/records.h"
#include "recorder/drain/ring_drain.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

struct RawRecord {
  alignas(8) char bytes[sizeof(gd_wake)];
  size_t size;
};

std::vector<RawRecord> MessagingRecords(size_t count) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> thread(1000, 1399);
  std::exponential_distribution<double> gap_ns(1.0 / 1000);
  std::vector<RawRecord> records(count);
  uint64_t now_ns = 1'000'000'000;
  int32_t running = 1000;
  int32_t woken = 1001;
  for (size_t i = 0; i < count; ++i) {
    now_ns += 100 + static_cast<uint64_t>(gap_ns(random));
    if (i % 2 == 0) {
      woken = thread(random);
      const gd_wake wake{.time_ns = now_ns,
                         .kind = GD_WAKE,
                         .how = GD_WAKER_IS_CAUSE,
                         .wakee_tid = woken,
                         .waker_tid = running};
      std::memcpy(records[i].bytes, &wake, sizeof(wake));
      records[i].size = sizeof(wake);
    } else {
      const gd_switch change{.time_ns = now_ns,
                             .kind = GD_SWITCH,
                             .prev_tid = running,
                             .next_tid = woken,
                             .prev_state = 1};
      std::memcpy(records[i].bytes, &change, sizeof(change));
      records[i].size = sizeof(change);
      running = woken;
    }
  }
  return records;
}

void DrainToFiles(benchmark::State& state) {
  const std::vector<RawRecord> records = MessagingRecords(1 << 20);
  uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    char directory[] = "/tmp/gordian-bench-XXXXXX";
    if (mkdtemp(directory) == nullptr) state.SkipWithError("cannot make a folder in /tmp");
    auto writer = SessionWriter::Create(directory, {});
    if (!writer.ok()) state.SkipWithError(std::string(writer.status().message()).c_str());
    EventBlock block;
    RecordNames names;
    state.ResumeTiming();
    for (const RawRecord& record : records) {
      AppendRecord(record.bytes, record.size, names, block);
      if (block.events.size() < RingDrain::kBlockEvents) continue;
      if (!(*writer)->AppendEvents(block).ok()) state.SkipWithError("cannot write");
    }
    state.PauseTiming();
    bytes = (*writer)->bytes_on_disk();
    writer->reset();
    std::filesystem::remove_all(directory);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * records.size());
  state.counters["bytes_per_event"] = static_cast<double>(bytes) / records.size();
}
BENCHMARK(DrainToFiles)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gordian

BENCHMARK_MAIN();
