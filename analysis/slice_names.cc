// SPDX-License-Identifier: Apache-2.0
#include "analysis/slice_names.h"

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

std::string OnNode(const Timeline& timeline, const Entity& entity, const std::string& label) {
  if (timeline.nodes().empty()) return label;
  return absl::StrCat(CleanText(timeline.nodes()[entity.node]), "/", label);
}

// Threads of one name but for numbers in it do the same: worker-17 is worker-*.
std::string NameWithoutNumbers(std::string_view name) {
  std::string without;
  for (const char c : name) {
    if (c < '0' || c > '9') {
      without += c;
    } else if (without.empty() || without.back() != '*') {
      without += '*';
    }
  }
  return without.empty() ? "thread" : without;
}

std::string FunctionNamed(const Code& code, uint32_t stack_id) {
  const CodePath path = code.PathOf(stack_id, StackSide::kRunning);
  if (const CodeFrame* frame = ProgramFrame(path, code)) return CleanText(FrameName(*frame));
  return CleanText(FrameName(code.frame(path.front())));
}

}  // namespace

std::string SliceThreadLabel(const Timeline& timeline, EntityId id) {
  const Entity& entity = timeline.entities()[id];
  return OnNode(timeline, entity, CleanText(ThreadLabel(entity.name, entity.tid)));
}

SliceNames SliceNamesOf(const Timeline& timeline, const RecordedPhases& phases, const Code& code) {
  return {.thread = [&timeline](EntityId id) { return SliceThreadLabel(timeline, id); },
          .name =
              [&timeline](EntityId id) {
                const Entity& entity = timeline.entities()[id];
                return OnNode(timeline, entity, CleanText(NameWithoutNumbers(entity.name)));
              },
          .process =
              [&timeline](EntityId id) {
                const Entity& entity = timeline.entities()[id];
                const std::string& name =
                    entity.process_name.empty() ? entity.name : entity.process_name;
                return OnNode(timeline, entity, CleanText(ThreadLabel(name, entity.tgid)));
              },
          .node =
              [&timeline](EntityId id) {
                return timeline.nodes().empty()
                           ? std::string("this node")
                           : CleanText(timeline.nodes()[timeline.entities()[id].node]);
              },
          .phase = [&phases](uint32_t name) { return phases.names[name]; },
          .function_of_stack = [&code](uint32_t id) { return FunctionNamed(code, id); }};
}

std::vector<uint8_t> EndsOfCriticalPaths(const Timeline& timeline, bool whole) {
  const auto& entities = timeline.entities();
  std::vector<uint8_t> is_end(timeline.thread_count());
  bool has_target = false;
  for (EntityId id = 0; id < is_end.size() && !whole; ++id) has_target |= entities[id].target;
  for (EntityId id = 0; id < is_end.size(); ++id) {
    const Entity& entity = entities[id];
    is_end[id] = (has_target ? entity.target : !entity.recorder && !entity.kernel_thread) ? 1 : 0;
  }
  return is_end;
}

WindowParticipation CriticalPathWithin(const Timeline& timeline, const RecordedPhases& phases,
                                       std::span<const uint8_t> is_end, const TimeRange& range,
                                       int threads) {
  const RecordedGraph graph = {.timeline = timeline,
                               .is_target = is_end,
                               .phases = phases.phases,
                               .activity_of_phase = phases.activities,
                               .only_one_path = true};
  const ParticipationWindowTimes window = {range.from_ns, range.to_ns};
  return ParticipationOfWindows(graph, {&window, 1}, threads).front();
}

}  // namespace gordian
