// SPDX-License-Identifier: Apache-2.0
// CPU samples in code that only waits, summed up by process and function.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/suggestions/suggestions.h"
#include "analyzer/suggestions/thresholds.h"
#include "base/time_units.h"

namespace gordian {
namespace {

// The code of one stack, as far as it matters here.
struct SpinCode {
  bool spins = false;
  std::string function;  // whose loop it is
  CodePath path;
};

bool InSchedYield(const CodePath& path, const Code& code) {
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    const CodeFrame& frame = code.frame(index);
    return frame.kernel && frame.function.find("sched_yield") != std::string::npos;
  });
}

bool NamedSo(const CodePath& path, const Code& code) {
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (!frame.kernel && SaysItSpins(frame.function)) return true;
    if (!frame.kernel && !frame.inlined) return false;  // its callers have no part in the loop
  }
  return false;
}

SpinCode Examine(uint32_t stack_id, const Code& code) {
  SpinCode result;
  if (!code.IsDefined(stack_id)) return result;
  result.path = code.PathOf(stack_id, StackSide::kRunning);
  if (result.path.empty()) return result;
  // In the kernel it works for the program, unless it only gives way.
  const bool in_kernel = code.frame(result.path.front()).kernel;
  result.spins = in_kernel ? InSchedYield(result.path, code)
                           : code.Spins(stack_id) || NamedSo(result.path, code);
  const CodeFrame* own = ProgramFrame(result.path, code);
  if (own == nullptr) {
    const auto user = std::find_if(result.path.begin(), result.path.end(),
                                   [&](uint32_t index) { return !code.frame(index).kernel; });
    if (user != result.path.end()) own = &code.frame(*user);
  }
  if (own == nullptr) result.spins = false;
  // A loop without a name is known by its program: the places in it differ.
  if (own != nullptr) result.function = own->function.empty() ? own->module : own->function;
  return result;
}

bool IsAnnotated(const Timeline& timeline, EntityId thread, uint64_t time_ns) {
  const SegmentCursor at = timeline.SegmentsFrom(thread, time_ns);
  return !at.done() && at.segment().kind == SegmentKind::kSpin;
}

struct SpinPlace {
  uint64_t annotated = 0;                // samples that probes call a spin
  uint64_t other = 0;                    // samples of other work in that function
  std::map<EntityId, uint64_t> threads;  // samples
  std::map<CodePath, uint64_t> paths;
};

bool IsIn(const std::string& function, const CodePath& path, const Code& code) {
  return std::any_of(path.begin(), path.end(),
                     [&](uint32_t index) { return code.frame(index).function == function; });
}

template <typename Key>
const Key& Heaviest(const std::map<Key, uint64_t>& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

std::vector<Suggestion> FindSpins(const Timeline& timeline, const Code& code,
                                  const SuggestionOptions& options) {
  const uint32_t sample_hz = timeline.session().options().sample_hz();
  if (sample_hz == 0) return {};
  absl::flat_hash_map<uint32_t, SpinCode> known;
  std::map<std::pair<uint64_t, std::string>, SpinPlace> places;
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> of_work;  // by process and stack
  for (const StackSample& sample : timeline.stack_samples()) {
    if (sample.moment() != StackMoment::kCpu || sample.thread >= timeline.thread_count()) continue;
    const uint64_t time_ns = timeline.start_ns() + sample.since_start_ns;
    if (time_ns < options.from_ns || time_ns >= options.to_ns) continue;
    const auto [place, is_new] = known.try_emplace(sample.stack_id);
    if (is_new) place->second = Examine(sample.stack_id, code);
    const SpinCode& spin = place->second;
    const Entity& thread = timeline.entities()[sample.thread];
    if (thread.kernel_thread || thread.recorder) continue;
    const uint64_t process = NumberOnNode(thread.node, thread.tgid);
    if (!spin.spins) {
      ++of_work[{process, sample.stack_id}];
      continue;
    }
    SpinPlace& sum = places[{process, spin.function}];
    if (IsAnnotated(timeline, sample.thread, time_ns)) {
      ++sum.annotated;
      continue;
    }
    ++sum.threads[sample.thread];
    ++sum.paths[spin.path];
  }
  for (const auto& [process_and_stack, samples] : of_work) {
    const auto& [process, stack_id] = process_and_stack;
    for (auto& [key, sum] : places)
      if (key.first == process && IsIn(key.second, known[stack_id].path, code))
        sum.other += samples;
  }
  std::vector<Suggestion> suggestions;
  for (const auto& [key, sum] : places) {
    uint64_t samples = 0;
    for (const auto& [thread, count] : sum.threads) samples += count;
    const auto told = static_cast<double>(sum.annotated);
    const bool told_already = told > kToldAlready * (told + static_cast<double>(samples));
    if (samples < kFewestSpinSamples || told_already) continue;
    suggestions.push_back({.kind = SuggestionKind::kSpin,
                           .likely = sum.threads.size() > 1,
                           .thread = Heaviest(sum.threads),
                           .threads = static_cast<uint32_t>(sum.threads.size()),
                           .time_ns = static_cast<double>(samples) * kNsPerSecond / sample_hz,
                           .samples = samples,
                           .other_samples = sum.other,
                           .path = Heaviest(sum.paths)});
  }
  return suggestions;
}

}  // namespace gordian
