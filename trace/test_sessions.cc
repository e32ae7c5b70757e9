// SPDX-License-Identifier: Apache-2.0
#include "trace/test_sessions.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace gordian {

TemporaryDirectory::TemporaryDirectory() {
  std::string path = (std::filesystem::temp_directory_path() / "gordian-test-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
  path_ = path;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

EventBlock SwitchBlock(uint16_t cpu, const std::vector<uint64_t>& times_ns) {
  EventBlock block;
  block.cpu = cpu;
  for (const uint64_t time_ns : times_ns) {
    TraceEvent event{.time_ns = time_ns, .kind = EventKind::kSwitch, .cpu = cpu};
    event.sched_switch = {.prev_tid = 100 + static_cast<int32_t>(time_ns % 7),
                          .next_tid = 100 + static_cast<int32_t>(time_ns % 5),
                          .prev_state = kStateInterruptible};
    block.events.push_back(event);
  }
  return block;
}

EventBlock BusyBlock(uint16_t cpu, size_t count, uint64_t begin_ns, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<uint64_t> step_ns(1, 2000);
  std::vector<uint64_t> times_ns(count);
  uint64_t time_ns = begin_ns;
  for (uint64_t& time : times_ns) time = time_ns += step_ns(random);
  return SwitchBlock(cpu, times_ns);
}

EventBlock EveryKindBlock(uint16_t cpu, uint64_t begin_ns) {
  EventBlock block;
  block.cpu = cpu;
  uint64_t time_ns = begin_ns;
  const auto next = [&](EventKind kind) -> TraceEvent& {
    block.events.push_back({.time_ns = time_ns += 3, .kind = kind, .cpu = cpu});
    return block.events.back();
  };
  block.AddTask(time_ns, {.change = TaskChange::kNew,
                          .tid = 301,
                          .tgid = 300,
                          .parent_tid = 300,
                          .namespaced_tid = 2,
                          .start_time_ns = 77,
                          .cgroup_id = 5,
                          .comm = "worker"});
  block.AddFlow(time_ns, {.flow_id = 9,
                          .family = FlowFamily::kIpv4,
                          .protocol = 6,
                          .source_port = 4000,
                          .destination_port = 80,
                          .source = {127, 0, 0, 1},
                          .destination = {127, 0, 0, 2}});
  next(EventKind::kSwitch).sched_switch = {.prev_tid = 0, .next_tid = 301};
  next(EventKind::kWake).wake = {.wakee_tid = 302, .waker_tid = 301};
  next(EventKind::kWake).wake = {.wakee_tid = 303,
                                 .waker_tid = 301,
                                 .context = WakeContext::kSoftirq,
                                 .waker_is_cause = false,
                                 .device_kind = DeviceKind::kNic,
                                 .vector = 3,
                                 .device = 2,
                                 .flow_id = 9};
  next(EventKind::kSwitch).sched_switch = {
      .prev_tid = 301, .next_tid = 302, .prev_state = kStateInterruptible};
  next(EventKind::kIrqRun).irq_run = {.duration_ns = 70'000, .vector = 3, .woke = true};
  next(EventKind::kBlockIssue).block = {.sector = 4096,
                                        .device = DiskId(8, 0),
                                        .bytes = 8192,
                                        .tid = 302,
                                        .operation = BlockOperation::kWrite};
  next(EventKind::kBlockComplete).block = {.sector = 4096,
                                           .service_ns = 120'000,
                                           .device = DiskId(8, 0),
                                           .bytes = 8192,
                                           .tid = 302,
                                           .operation = BlockOperation::kWrite};
  next(EventKind::kNetSend).net = {
      .flow_id = 9, .interface = 2, .bytes = 1500, .sequence = 1u << 31, .tid = 302};
  next(EventKind::kNetReceive).net = {
      .flow_id = 9, .interface = 2, .bytes = 64, .tid = 302, .in_softirq = true};
  const uint32_t name = block.InternName("phase");
  next(EventKind::kProbe).probe = {
      .tid = 302, .kind = ProbeKind::kPhaseBegin, .name = name, .value = 1};
  block.AddStack(time_ns, {.stack_id = 4, .tgid = 300, .kernel = {~0ull - 9}, .user = {0x401000}});
  block.AddWaitObject(time_ns, {.object_id = 5,
                                .kind = WaitObjectKind::kFile,
                                .call = WaitCall{11},
                                .value = 12,
                                .device = DiskId(8, 1),
                                .path = "/var/lib/app/wal.log"});
  block.AddWaitObject(time_ns, {.object_id = 6,
                                .kind = WaitObjectKind::kSocket,
                                .call = WaitCall{25},
                                .value = 13,
                                .peer_tgid = 300,
                                .family = 2,
                                .protocol = 6,
                                .local_port = 4000,
                                .peer_port = 5432,
                                .local = {127, 0, 0, 1},
                                .peer = {10, 0, 0, 7}});
  next(EventKind::kStackSample).stack_sample = {
      .stack_id = 4, .tid = 302, .moment = StackMoment::kWait, .object_id = 6};
  next(EventKind::kLoss).loss = {.duration_ns = 10, .count = 2, .kind = EventKind::kWake};
  return block;
}

std::vector<uint64_t> MergedTimes(SessionReader& session) {
  std::vector<uint64_t> times_ns;
  MergedEvents events(session);
  while (events.Next()) times_ns.push_back(events.event().time_ns);
  return times_ns;
}

std::vector<std::string> FilesIn(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

uint64_t BytesIn(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    bytes += entry.file_size();
  }
  return bytes;
}

std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteWholeFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace gordian
