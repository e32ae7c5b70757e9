// SPDX-License-Identifier: Apache-2.0
#include "loglines/write_calls.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

constexpr size_t kMostWriteCalls = 10'000'000;

// Of files, and of sockets as syslog and journald have them.
bool IsWriteCall(std::string_view counter) {
  for (const std::string_view name :
       {"syscall write", "syscall writev", "syscall pwrite64", "syscall pwritev", "syscall sendto",
        "syscall sendmsg", "syscall io_uring_enter"}) {
    if (counter == name) return true;
  }
  return false;
}

}  // namespace

WriteCalls WriteCalls::Read(const LoadedRecording& recording) {
  WriteCalls calls;
  const Timeline& timeline = *recording.timeline;
  absl::flat_hash_map<uint64_t, std::vector<EntityId>> lives;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    lives[NumberOnNode(entity.node, entity.tid)].push_back(thread);
  }
  const auto add = [&](uint32_t node, const TraceEvent& event) {
    if (calls.calls_.size() >= kMostWriteCalls) {
      ++calls.left_out_;
      return;
    }
    uint64_t clock_ns = event.time_ns;
    if (recording.nodes != nullptr) clock_ns = recording.nodes->clocks[node].ToReference(clock_ns);
    const uint64_t time_ns = timeline.pauses().RecordedTime(clock_ns);
    const auto found = lives.find(NumberOnNode(node, event.probe.tid));
    if (found == lives.end()) return;
    for (const EntityId thread : found->second) {
      const Entity& entity = timeline.entities()[thread];
      if (entity.begin_ns <= time_ns && time_ns <= entity.end_ns)
        return calls.calls_.push_back({thread, time_ns});
    }
  };
  for (uint32_t node = 0; node < recording.directories.size(); ++node) {
    const auto session = SessionReader::Open(recording.directories[node]);
    if (!session.ok() || (*session)->session().options().counted_calls().empty()) continue;
    for (const auto& stream : (*session)->cpus()) {
      EventBlock block;
      for (size_t index = 0; index < stream->blocks().size(); ++index) {
        if (!stream->Read(index, block).ok()) continue;
        for (const TraceEvent& event : block.events) {
          if (event.kind == EventKind::kProbe && event.probe.kind == ProbeKind::kCount &&
              IsWriteCall(block.names[event.probe.name]))
            add(node, event);
        }
      }
    }
  }
  std::sort(calls.calls_.begin(), calls.calls_.end(), [](const Call& a, const Call& b) {
    return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
  });
  return calls;
}

std::vector<uint64_t> WriteCalls::Within(EntityId thread, uint64_t from_ns, uint64_t to_ns) const {
  std::vector<uint64_t> times_ns;
  const Call first = {thread, from_ns};
  auto at = std::lower_bound(calls_.begin(), calls_.end(), first, [](const Call& a, const Call& b) {
    return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
  });
  for (; at != calls_.end() && at->thread == thread && at->time_ns < to_ns; ++at)
    times_ns.push_back(at->time_ns);
  return times_ns;
}

}  // namespace gordian
