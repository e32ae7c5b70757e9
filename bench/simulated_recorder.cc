// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_recorder.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr uint64_t kPauseEveryNs = 100'000'000;
constexpr uint64_t kPauseFromNs = 80'000'000;  // of each hundred milliseconds
constexpr uint64_t kToldAfterNs = 20'000;      // behind a pause
constexpr uint64_t kBurstEvery = 5'000;        // of a CPU's events
constexpr uint64_t kBurst = 100;
constexpr uint64_t kMeasureEveryNs = 100'000'000;
// A long recording keeps so many measurements, as recorders do.
constexpr uint64_t kMostMeasurements = 1'000;
constexpr uint64_t kShortestBoundNs = 40'000;
constexpr uint64_t kLongestBoundNs = 150'000;
constexpr int64_t kWrongByNs = 50'000'000;
constexpr int64_t kRealtimeNs = 1'790'000'000'000'000'000;  // at true time 0
constexpr int64_t kRealtimeErrorNs = 3'000'000;             // of NTP
constexpr size_t kTasksPerBlock = 4'096;

}  // namespace

absl::Status SimulatedRecorder::Open(const std::string& directory) {
  if (options_.is_absent) return absl::OkStatus();
  auto writer = SessionWriter::Create(directory, {});
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  tasks_.block.cpu = kNoCpu;
  cpus_.resize(static_cast<size_t>(options_.cpus));
  for (int cpu = 0; cpu < options_.cpus; ++cpu) {
    EventBlock& block = cpus_[static_cast<size_t>(cpu)].block;
    block.cpu = static_cast<uint16_t>(cpu);
    block.events.reserve(options_.events_per_block);
  }
  return absl::OkStatus();
}

void SimulatedRecorder::AddTask(TaskRecord task) {
  if (writer_ == nullptr) return;
  tasks_.block.AddTask(options_.clock.Shown(kSimulatedStartNs), std::move(task));
  if (tasks_.block.events.size() >= kTasksPerBlock) Write(tasks_, BlockKind::kTasks);
}

void SimulatedRecorder::AddFlow(const FlowRecord& flow) {
  if (writer_ == nullptr) return;
  tasks_.block.AddFlow(options_.clock.Shown(kSimulatedStartNs), flow);
  if (tasks_.block.events.size() >= kTasksPerBlock) Write(tasks_, BlockKind::kTasks);
}

bool SimulatedRecorder::IsPaused(uint64_t true_ns) {
  return options_.pauses && (true_ns - kSimulatedStartNs) % kPauseEveryNs >= kPauseFromNs;
}

bool SimulatedRecorder::HasResumed(uint64_t true_ns) {
  if (!options_.pauses || writer_ == nullptr) return false;
  const uint64_t begun = (true_ns - kSimulatedStartNs) / kPauseEveryNs;
  if (begun == told_pauses_) return false;
  told_pauses_ = begun;
  return true;
}

void SimulatedRecorder::TellAgain(TaskRecord task, uint64_t switches) {
  task.switches = switches;
  const uint64_t resumed_ns = kSimulatedStartNs + told_pauses_ * kPauseEveryNs;
  tasks_.block.AddTask(options_.clock.Shown(std::max(resumed_ns + kToldAfterNs, last_ns_)),
                       std::move(task));
  if (tasks_.block.events.size() >= kTasksPerBlock) Write(tasks_, BlockKind::kTasks);
}

TraceEvent* SimulatedRecorder::Add(EventKind kind, int cpu, uint64_t true_ns) {
  if (writer_ == nullptr || IsPaused(true_ns)) return nullptr;
  Stream& stream = cpus_[static_cast<size_t>(cpu)];
  if (options_.loses && Loses(stream, kind, true_ns)) return nullptr;
  if (stream.block.events.size() >= options_.events_per_block) Write(stream, BlockKind::kEvents);
  stream.block.events.push_back(
      {.time_ns = options_.clock.Shown(true_ns), .kind = kind, .cpu = static_cast<uint16_t>(cpu)});
  ++events_;
  return &stream.block.events.back();
}

bool SimulatedRecorder::Loses(Stream& stream, EventKind kind, uint64_t true_ns) {
  const uint64_t place = stream.recorded++ % kBurstEvery;
  if (place < kBurstEvery - kBurst) {
    if (stream.lost_in_burst > 0) TellLoss(stream, true_ns);
    return false;
  }
  if (stream.lost_in_burst++ == 0) stream.burst_from_ns = true_ns;
  ++stream.lost[static_cast<size_t>(kind)];
  return true;
}

void SimulatedRecorder::TellLoss(Stream& stream, uint64_t true_ns) {
  for (size_t kind = 0; kind < stream.lost.size(); ++kind) {
    const uint64_t count = std::exchange(stream.lost[kind], 0);
    if (count == 0) continue;
    TraceEvent event{.time_ns = options_.clock.Shown(true_ns) - 1,
                     .kind = EventKind::kLoss,
                     .cpu = stream.block.cpu};
    event.loss = {.duration_ns = true_ns - stream.burst_from_ns,
                  .count = count,
                  .kind = static_cast<EventKind>(kind)};
    stream.block.events.push_back(event);
    lost_ += count;
    lost_of_kind_[kind] += count;
    ++events_;
  }
  stream.lost_in_burst = 0;
}

void SimulatedRecorder::Write(Stream& stream, BlockKind kind) {
  if (stream.block.empty()) return;
  for (size_t first = 0; first < stream.block.events.size() && failure_.ok();) {
    const size_t count = std::min<size_t>(stream.block.events.size() - first, kMaxBlockEvents);
    const auto encoded = encoder_.EncodeEvents(stream.block, first, count, kind, stream.sequence++);
    failure_.Update(encoded.ok() ? writer_->AppendEncoded(*encoded) : encoded.status());
    first += count;
  }
  stream.block.Clear();
}

// The error of a measurement is anywhere within its bound, except where it is to be wrong.
void SimulatedRecorder::Measure(pb::NodeClock& clock, uint64_t end_ns, uint64_t seed) const {
  std::mt19937_64 random(seed * 1'000'003 + static_cast<uint64_t>(options_.node));
  const uint64_t every_ns =
      std::max(kMeasureEveryNs, (end_ns - kSimulatedStartNs) / kMostMeasurements);
  for (uint64_t time_ns = kSimulatedStartNs; time_ns <= end_ns + every_ns; time_ns += every_ns) {
    const uint64_t bound_ns = kShortestBoundNs + random() % (kLongestBoundNs - kShortestBoundNs);
    const int64_t error_ns =
        static_cast<int64_t>(random() % (2 * bound_ns)) - static_cast<int64_t>(bound_ns);
    const uint64_t shown_ns = options_.clock.Shown(time_ns);
    pb::ClockOffset& offset = *clock.add_offsets();
    offset.set_monotonic_ns(shown_ns);
    offset.set_offset_ns(static_cast<int64_t>(time_ns - shown_ns) + error_ns +
                         (options_.has_wrong_clock ? kWrongByNs : 0));
    offset.set_bound_ns(bound_ns);
  }
}

absl::Status SimulatedRecorder::Finish(uint64_t end_ns, const std::string& reference,
                                       uint64_t seed) {
  if (writer_ == nullptr) return absl::OkStatus();
  for (Stream& stream : cpus_) {
    if (stream.lost_in_burst > 0) TellLoss(stream, end_ns);
    Write(stream, BlockKind::kEvents);
  }
  Write(tasks_, BlockKind::kTasks);
  const std::string name = SimulatedNodeName(options_.node);
  pb::Session session;
  session.set_name("simulated");
  session.set_backend("tracepoint");
  session.set_recorder_version(options_.is_old ? "0.1.0" : "1.0.0");
  session.mutable_host()->set_cpus(static_cast<uint32_t>(options_.cpus));
  session.mutable_host()->set_hostname(absl::StrCat("host-", name));
  session.mutable_host()->set_boot_id(absl::StrCat("boot of ", name));
  pb::Interface& interface = *session.add_interfaces();
  interface.set_index(kSimulatedInterface);
  interface.set_name("eth0");
  pb::Disk& disk = *session.add_disks();
  disk.set_device(kSimulatedDisk);
  disk.set_name("sda");
  std::mt19937_64 random(seed * 7'919 + static_cast<uint64_t>(options_.node));
  pb::ClockPair& pair = *session.add_clocks();
  pair.set_monotonic_ns(options_.clock.Shown(kSimulatedStartNs));
  pair.set_realtime_ns(kRealtimeNs + static_cast<int64_t>(random() % (2 * kRealtimeErrorNs)) -
                       kRealtimeErrorNs);
  if (!options_.is_old) {
    pb::NodeClock& clock = *session.mutable_node_clock();
    clock.set_node(name);
    clock.set_reference(reference);
    if (name != reference) {
      clock.set_reference_boot_id(absl::StrCat("boot of ", reference));
      clock.set_drift_ppb(250'000);
      Measure(clock, end_ns, seed);
    }
    session.set_events(writer_->events_written());
    session.set_identities_tell_states(true);
    session.set_complete_until_ns(options_.clock.Shown(end_ns));
  }
  for (uint64_t number = 0; options_.pauses; ++number) {
    const uint64_t from_ns = kSimulatedStartNs + number * kPauseEveryNs + kPauseFromNs;
    if (from_ns >= end_ns) break;
    pb::Pause& pause = *session.add_pauses();
    pause.set_from_ns(options_.clock.Shown(from_ns));
    pause.set_to_ns(
        options_.clock.Shown(std::min(end_ns, kSimulatedStartNs + (number + 1) * kPauseEveryNs)));
  }
  if (session.pauses_size() > 0)
    SetCounter(session, "recording_pauses", static_cast<uint64_t>(session.pauses_size()));
  for (size_t kind = 0; kind < lost_of_kind_.size(); ++kind) {
    if (lost_of_kind_[kind] > 0)
      SetCounter(session,
                 absl::StrCat("records_lost_", EventKindName(static_cast<EventKind>(kind))),
                 lost_of_kind_[kind]);
  }
  session.set_start_time_ns(options_.clock.Shown(kSimulatedStartNs));
  session.set_end_time_ns(options_.clock.Shown(end_ns));
  session.set_complete(true);
  failure_.Update(writer_->WriteSession(session));
  writer_.reset();
  return failure_;
}

}  // namespace gordian
