// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/probe_phases.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/time_units.h"
#include "jobs/job/thresholds.h"

namespace gordian {
namespace {

constexpr size_t kMaxWords = 50'000'000;

// One word: a phase's begin or end, or a count.
struct Word {
  uint64_t time_ns = 0;
  uint64_t value = 0;  // of a count; of a begin the key's number
  uint32_t name = 0;
  int32_t tid = 0;
  ProbeKind kind = ProbeKind::kPhaseBegin;
};

class ProbePhases {
 public:
  ProbePhases(SessionReader& session, PhaseCollector& collector, Tally& tally,
              const ClockOfJob& to_job)
      : session_(session), collector_(collector), tally_(tally), to_job_(to_job) {}

  void Read() {
    // Programs' words have a stream of their own; an imported trace may have them anywhere.
    const bool imported = session_.session().backend() == "import";
    for (const auto& stream : session_.cpus()) {
      if (imported || stream->cpu() == kNoCpu) TakeStream(*stream);
    }
    std::stable_sort(words_.begin(), words_.end(),
                     [](const Word& a, const Word& b) { return a.time_ns < b.time_ns; });
    FindProcesses();
    for (const Word& word : words_) TakeWord(word);
    SayCounts();
  }

 private:
  // The phase that a thread is in: a found phase, and its type. A phase that the model does not
  // know has the type of the phase around it.
  struct Level {
    uint32_t phase = kNoId;
    PhaseTypeId type = 0;
    bool known = false;
  };

  void TakeStream(const EventStream& stream);
  void TakeProcesses(const EventStream& stream);
  void FindProcesses();
  void TakeWord(const Word& word);
  void Begin(const Word& word);
  void End(const Word& word);
  void Count(const Word& word);
  void SayCounts();

  SessionReader& session_;
  PhaseCollector& collector_;
  Tally& tally_;
  const ClockOfJob& to_job_;
  TextNumbers texts_;
  std::vector<Word> words_;
  absl::flat_hash_map<int32_t, int32_t> process_of_;  // of threads; 0: not known
  absl::flat_hash_map<int32_t, std::vector<Level>> threads_;
  std::map<uint32_t, std::map<uint64_t, uint64_t>> counts_;  // by name, then by interval
};

void ProbePhases::TakeStream(const EventStream& stream) {
  EventBlock block;
  for (size_t index = 0; index < stream.blocks().size(); ++index) {
    if (!stream.Read(index, block).ok()) {
      tally_.Count("corrupt_blocks");
      continue;
    }
    for (const TraceEvent& event : block.events) {
      if (event.kind != EventKind::kProbe) continue;
      const ProbeEvent& probe = event.probe;
      if (probe.kind < ProbeKind::kPhaseBegin) continue;
      if (words_.size() >= kMaxWords) {
        tally_.Count("phases_over_limit");
        continue;
      }
      words_.push_back({ToJob(to_job_, event.time_ns),
                        HasKey(probe) ? texts_.Number(block.names[probe.value]) : probe.value,
                        texts_.Number(block.names[probe.name]), probe.tid, probe.kind});
      process_of_.try_emplace(probe.tid, 0);
    }
  }
}

void ProbePhases::TakeProcesses(const EventStream& stream) {
  EventBlock block;
  for (size_t index = 0; index < stream.blocks().size(); ++index) {
    if (!stream.Read(index, block).ok()) continue;  // the reader of the events counts it
    for (const TaskRecord& task : block.tasks) {
      const auto thread = process_of_.find(task.tid);
      if (thread != process_of_.end() && task.tgid > 0) thread->second = task.tgid;
    }
  }
}

// Threads that were there when the recording began stand in a small stream; those born later
// among the events of the CPUs, which are read only if such a thread said anything.
void ProbePhases::FindProcesses() {
  const auto all_known = [this] {
    return std::all_of(process_of_.begin(), process_of_.end(),
                       [](const auto& thread) { return thread.second != 0; });
  };
  if (session_.tasks() != nullptr) TakeProcesses(*session_.tasks());
  for (const auto& stream : session_.cpus()) {
    if (all_known()) return;
    TakeProcesses(*stream);
  }
}

void ProbePhases::Begin(const Word& word) {
  std::vector<Level>& levels = threads_[word.tid];
  const Level above = levels.empty() ? Level() : levels.back();
  const std::string_view name = texts_.Text(word.name);
  PhaseTypes& types = collector_.types();
  PhaseTypeId type = types.Child(above.type, name);
  bool within = type != kNoId;
  if (!within) type = types.Unique(name);
  if (type == 0 && !levels.empty()) type = kNoId;  // the root lies in nothing
  if (type == kNoId) {
    type = types.ChildOrNew(above.type, name);
    within = type != kNoId;
  }
  if (type == kNoId) {
    tally_.Count("phase_names_unknown");
    levels.push_back({above.phase, above.type, false});
    return;
  }
  std::vector<std::string_view> keys(types.depth(type) + 1);
  keys.back() = texts_.Text(static_cast<uint32_t>(word.value));
  const PhaseMark mark{
      .type = type, .keys = keys, .node = {}, .pid = process_of_[word.tid], .tid = word.tid};
  // A phase directly below the root lies in the one root. Deeper, a thread that is in no phase
  // itself does not know its phase's parent.
  const bool below_root = type != 0 && types[type].parent == 0;
  const bool told = below_root || (within && above.phase != kNoId);
  const uint32_t phase =
      told ? collector_.BeginWithin(below_root ? kNoId : above.phase, mark, word.time_ns)
           : collector_.BeginAlone(mark, word.time_ns);
  levels.push_back({phase, type, phase != kNoId});
}

void ProbePhases::End(const Word& word) {
  std::vector<Level>& levels = threads_[word.tid];
  if (levels.empty()) return tally_.Count("phase_ends_without_begin");
  if (levels.back().known) collector_.SetEnd(levels.back().phase, word.time_ns);
  levels.pop_back();
}

void ProbePhases::Count(const Word& word) {
  counts_[word.name][word.time_ns / kTimesliceNs] += word.value;
}

void ProbePhases::TakeWord(const Word& word) {
  if (word.kind == ProbeKind::kPhaseBegin) Begin(word);
  if (word.kind == ProbeKind::kPhaseEnd) End(word);
  if (word.kind == ProbeKind::kCount) Count(word);
}

// The counts of each interval as a rate; an interval without counts, between others, has the rate
// 0.
void ProbePhases::SayCounts() {
  constexpr uint64_t kLongestGap = 1'000'000;  // intervals: most of three hours
  for (const auto& [name, intervals] : counts_) {
    const std::string text(texts_.Text(name));
    const ResourceTypeId type = collector_.types().ResourceOrNew({.name = text, .unit = "1/s"});
    if (type == kNoId || intervals.empty()) {
      tally_.Count("resource_samples_malformed", intervals.size());
      continue;
    }
    MeasuredResources& resources = collector_.resources();
    const ResourceId instance = resources.Instance(type, text, collector_.default_node());
    uint64_t next = intervals.begin()->first;
    for (const auto& [interval, count] : intervals) {
      if (interval > next && interval - next < kLongestGap)
        resources.AddSample(instance, {next * kTimesliceNs, interval * kTimesliceNs, 0}, 0);
      const double rate =
          static_cast<double>(count) * kNsPerSecond / static_cast<double>(kTimesliceNs);
      resources.AddSample(instance, {interval * kTimesliceNs, (interval + 1) * kTimesliceNs, rate},
                          0);
      next = interval + 1;
    }
  }
}

}  // namespace

void ReadProbePhases(SessionReader& session, PhaseCollector& collector, Tally& tally,
                     const ClockOfJob& to_job) {
  ProbePhases(session, collector, tally, to_job).Read();
}

}  // namespace gordian
