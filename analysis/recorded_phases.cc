// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_phases.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "trace/session_reader.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kMostPhaseWords = 10'000'000;
constexpr size_t kMostNesting = 1000;

struct PhaseWord {
  uint64_t time_ns = 0;
  EntityId thread = kNobody;
  uint32_t name = kNoPhase;  // of a begin
  bool begins = false;
};

struct BegunPhase {
  uint32_t name = kNoPhase;
  uint64_t since_ns = 0;
};

class PhaseReader {
 public:
  explicit PhaseReader(const LoadedRecording& recording) : recording_(recording) {
    result_.names = {""};
    result_.activities = {RecordedActivity::kProcessing};
    const Timeline& timeline = *recording.timeline;
    for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
      const Entity& entity = timeline.entities()[thread];
      lives_[NumberOnNode(entity.node, entity.tid)].push_back(thread);
    }
  }

  RecordedPhases Read() {
    for (uint32_t node = 0; node < recording_.directories.size(); ++node) ReadNode(node);
    std::stable_sort(words_.begin(), words_.end(), [](const PhaseWord& a, const PhaseWord& b) {
      return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
    });
    for (size_t first = 0; first < words_.size();) {
      size_t end = first;
      while (end < words_.size() && words_[end].thread == words_[first].thread) ++end;
      TellThread(first, end);
      first = end;
    }
    return std::move(result_);
  }

 private:
  void ReadNode(uint32_t node) {
    const auto session = SessionReader::Open(recording_.directories[node]);
    if (!session.ok()) return;
    const bool imported = (*session)->session().backend() == "import";
    for (const auto& stream : (*session)->cpus()) {
      // Programs' words have a stream of their own.
      if (imported || stream->cpu() == kNoCpu) ReadStream(*stream, node);
    }
  }

  void ReadStream(const EventStream& stream, uint32_t node) {
    EventBlock block;
    for (size_t index = 0; index < stream.blocks().size(); ++index) {
      if (!stream.Read(index, block).ok()) continue;
      for (const TraceEvent& event : block.events) {
        if (event.kind != EventKind::kProbe) continue;
        const ProbeEvent& probe = event.probe;
        const bool begins = probe.kind == ProbeKind::kPhaseBegin;
        if (!begins && probe.kind != ProbeKind::kPhaseEnd) continue;
        AddWord(node, event.time_ns, probe.tid, begins ? block.names[probe.name] : "", begins);
      }
    }
  }

  void AddWord(uint32_t node, uint64_t clock_ns, int32_t tid, const std::string& name,
               bool begins) {
    if (words_.size() >= kMostPhaseWords) {
      ++result_.words_left_out;
      return;
    }
    const JoinedNodes* joined = recording_.nodes.get();
    if (joined != nullptr) clock_ns = joined->clocks[node].ToReference(clock_ns);
    const Timeline& timeline = *recording_.timeline;
    const uint64_t time_ns = timeline.pauses().RecordedTime(clock_ns);
    const EntityId thread = FindThread(node, tid, time_ns);
    if (thread == kNobody) return;
    words_.push_back({time_ns, thread, begins ? NumberOf(name) : kNoPhase, begins});
  }

  EntityId FindThread(uint32_t node, int32_t tid, uint64_t time_ns) const {
    const auto lives = lives_.find(NumberOnNode(node, tid));
    if (lives == lives_.end()) return kNobody;
    for (const EntityId thread : lives->second) {
      const Entity& entity = recording_.timeline->entities()[thread];
      if (entity.begin_ns <= time_ns && time_ns <= entity.end_ns) return thread;
    }
    return kNobody;
  }

  uint32_t NumberOf(const std::string& name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    if (result_.names.size() > kMostPhaseNames) {
      ++result_.words_left_out;
      return kNoPhase;
    }
    const auto number = static_cast<uint32_t>(result_.names.size());
    numbers_[name] = number;
    result_.names.push_back(CleanText(name));
    result_.activities.push_back(ActivityOfPhase(name));
    return number;
  }

  // Ends without a beginning are of phases that began before the recording.
  void TellThread(size_t first, size_t end) {
    std::vector<BegunPhase> open;
    uint64_t since_ns = 0;
    const EntityId thread = words_[first].thread;
    const auto go_to = [&](uint64_t time_ns) {
      if (!open.empty() && open.back().name != kNoPhase && since_ns < time_ns)
        result_.phases.push_back({thread, since_ns, time_ns, open.back().name});
      since_ns = time_ns;
    };
    const auto end_last = [&](uint64_t time_ns, std::vector<ThreadPhase>& ended) {
      const BegunPhase& last = open.back();
      if (last.name != kNoPhase && last.since_ns < time_ns)
        ended.push_back({thread, last.since_ns, time_ns, last.name});
      open.pop_back();
    };
    size_t beyond = 0;  // nested deeper than is kept
    for (size_t i = first; i < end; ++i) {
      const PhaseWord& word = words_[i];
      go_to(word.time_ns);
      if (word.begins) {
        if (open.size() < kMostNesting) {
          open.push_back({word.name, word.time_ns});
        } else {
          ++beyond;
        }
      } else if (beyond > 0) {
        --beyond;
      } else if (!open.empty()) {
        end_last(word.time_ns, result_.whole);
      }
    }
    const uint64_t end_ns = recording_.timeline->entities()[thread].end_ns;
    go_to(end_ns);
    while (!open.empty()) end_last(end_ns, result_.unended);
  }

  const LoadedRecording& recording_;
  RecordedPhases result_;
  std::vector<PhaseWord> words_;
  absl::flat_hash_map<uint64_t, std::vector<EntityId>> lives_;  // by NumberOnNode
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

}  // namespace

RecordedPhases ReadThreadPhases(const LoadedRecording& recording) {
  return PhaseReader(recording).Read();
}

}  // namespace gordian
