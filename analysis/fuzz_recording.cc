// SPDX-License-Identifier: Apache-2.0
#include "analysis/fuzz_recording.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

constexpr uint64_t kStartNs = 1'000;
constexpr uint16_t kCpus = 3;
constexpr uint8_t kTids = 12;
constexpr size_t kBytesPerEvent = 5;
constexpr size_t kEventsPerBlock = 16;

TraceEvent EventOf(const uint8_t* bytes, uint64_t time_ns, EventBlock& block) {
  const int32_t first = bytes[2] % kTids;
  const int32_t second = bytes[3] % kTids;
  const uint8_t detail = bytes[4];
  TraceEvent event{};
  event.time_ns = time_ns;
  event.cpu = block.cpu;
  switch (bytes[0] / kCpus % 10) {
    case 0:
    case 1:
    case 2:
      event.kind = EventKind::kSwitch;
      event.sched_switch = SwitchEvent{.prev_tid = first,
                                       .next_tid = second,
                                       .prev_state = static_cast<uint32_t>(detail % 8),
                                       .preempted = detail % 16 == 9};
      break;
    case 3:
    case 4:
    case 5:
      event.kind = EventKind::kWake;
      event.wake = WakeEvent{.wakee_tid = first,
                             .waker_tid = second,
                             .context = static_cast<WakeContext>(detail % 4),
                             .vector = static_cast<uint16_t>(detail % 10)};
      break;
    case 6:
    case 7:
      event.kind = detail % 2 == 0 ? EventKind::kBlockIssue : EventKind::kBlockComplete;
      event.block = BlockEvent{.sector = static_cast<uint64_t>(second),
                               .service_ns = detail > 128 ? detail : 0u,
                               .device = 8,
                               .bytes = 512u * detail,
                               .tid = first};
      break;
    case 8:
      event.kind = EventKind::kProbe;
      event.probe = ProbeEvent{.tid = first,
                               .kind = static_cast<ProbeKind>(1 + detail % 6),
                               .value = static_cast<uint64_t>(second)};
      break;
    default:
      if (detail % 4 == 0) {
        event.kind = EventKind::kLoss;
        event.loss = LossEvent{.duration_ns = detail, .count = 1, .kind = EventKind::kSwitch};
        break;
      }
      event.kind = EventKind::kTask;
      event.task.index = static_cast<uint32_t>(block.tasks.size());
      block.tasks.push_back(TaskRecord{
          .change = static_cast<TaskChange>(detail % 5),
          .tid = first,
          .tgid = first < 6 ? 1 : first,
          .parent_tid = second,
          .state = detail % 2u,
          .switches = detail % 3 == 0 ? std::nullopt : std::optional(uint64_t{detail} % 4),
          .start_time_ns = time_ns,
          .comm = std::string(1, static_cast<char>(detail))});
  }
  return event;
}

// Made of the first bytes in every third input; the other inputs have no such part.
void AddPauses(std::span<const uint8_t> bytes, pb::Session& session) {
  if (bytes[0] % 3 != 0) return;
  uint64_t time_ns = kStartNs;
  for (size_t at = 0; at + 1 < std::min<size_t>(bytes.size(), 8); at += 2) {
    pb::Pause& pause = *session.add_pauses();
    pause.set_from_ns(time_ns += uint64_t{8} * bytes[at]);
    pause.set_to_ns(time_ns += uint64_t{4} * bytes[at + 1]);
  }
}

// The streams of the CPUs, and that of the known threads. One block is left out, as if its file had
// a hole.
class Streams {
 public:
  explicit Streams(size_t hole) : hole_(hole) {
    blocks_.resize(kCpus);
    for (uint16_t cpu = 0; cpu < kCpus; ++cpu) {
      blocks_[cpu].cpu = cpu;
      cpus_.push_back(std::make_unique<EventStream>(StreamId{BlockKind::kEvents, cpu}));
    }
    told_.cpu = kNoCpu;
  }

  void Add(const uint8_t* bytes, uint64_t time_ns) {
    EventBlock& block = blocks_[bytes[0] % kCpus];
    block.events.push_back(EventOf(bytes, time_ns, block));
    if (block.events.back().kind == EventKind::kTask)
      told_.AddTask(time_ns, block.tasks[block.events.back().task.index]);
    if (block.events.size() == kEventsPerBlock) Flush(block);
  }

  std::unique_ptr<SessionReader> Close(pb::Session session) {
    for (EventBlock& block : blocks_) Flush(block);
    auto tasks = std::make_unique<EventStream>(StreamId{BlockKind::kTasks, kNoCpu});
    tasks->AddHeld(0, std::move(told_));
    std::erase_if(cpus_, [](const auto& stream) { return stream->blocks().empty(); });
    return SessionReader::Held(std::move(session), std::move(cpus_), std::move(tasks));
  }

 private:
  void Flush(EventBlock& block) {
    if (block.events.empty()) return;
    const uint16_t cpu = block.cpu;
    const uint64_t sequence = sequences_[cpu]++;
    if (hole_-- != 0) cpus_[cpu]->AddHeld(sequence, std::move(block));
    block = {};
    block.cpu = cpu;
  }

  size_t hole_;
  std::vector<EventBlock> blocks_;
  EventBlock told_;
  uint64_t sequences_[kCpus] = {};
  std::vector<std::unique_ptr<EventStream>> cpus_;
};

}  // namespace

std::unique_ptr<SessionReader> RecordingOfBytes(std::span<const uint8_t> bytes) {
  Streams streams(bytes.back());
  uint64_t time_ns = kStartNs;
  for (size_t at = 0; at + kBytesPerEvent <= bytes.size(); at += kBytesPerEvent) {
    time_ns += bytes[at + 1];
    streams.Add(&bytes[at], time_ns);
  }
  pb::Session session;
  session.mutable_host()->set_cpus(kCpus);
  session.add_targets()->set_pid(1 + bytes[0] % kTids);
  session.set_start_time_ns(kStartNs);
  session.set_end_time_ns(time_ns);
  AddPauses(bytes, session);
  return streams.Close(std::move(session));
}

}  // namespace gordian
