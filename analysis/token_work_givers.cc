// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_work_givers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

// Share of the time of waits of which it is known what for. Some of a pool's waits are for a lock
// around its queue.
constexpr double kMostlyAtOneThing = 0.8;
// Samples. With fewer, chance decides at how many things they wait.
constexpr uint64_t kFewestKnown = 8;
// Bytes. The two words of a condition variable at which threads sleep in turns lie in so many.
constexpr uint64_t kConditionBytes = 8;
// Share of the wakes. From here on a wake lets mostly one thread go on.
constexpr double kMostlyAlone = 0.8;

// Waits for one thing have the same key.
std::string KeyOf(const WaitObjectRecord& object) {
  if (object.kind == WaitObjectKind::kFutex)
    return absl::StrCat("futex ", object.tgid, " ", object.value / kConditionBytes);
  return CanBeShared(object.kind) ? IdentityOf(object) : std::string();
}

class PoolFinder {
 public:
  PoolFinder(const Timeline& timeline, const StackSums& stacks, std::span<const uint32_t> vertices)
      : timeline_(timeline), stacks_(stacks), vertices_(vertices) {}

  GivenWork Find() {
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) AddWaitsOf(thread);
    GivenWork found;
    for (auto& [pair, wakes] : wakes_) {
      if (wakes.threads.size() < 2 || !IsAtOneThing(pair.first, pair.second)) continue;
      if (LetOneGo(wakes.at_ns)) found.insert(pair);
    }
    return found;
  }

 private:
  struct Wakes {
    std::set<EntityId> threads;  // that were woken
    std::vector<uint64_t> at_ns;
  };

  void AddWaitsOf(EntityId thread) {
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      const bool is_by_thread = segment.kind == SegmentKind::kWait &&
                                segment.cause == WaitCause::kThread &&
                                segment.waker < timeline_.thread_count();
      if (!is_by_thread || vertices_[segment.waker] == vertices_[thread]) continue;
      Wakes& wakes = wakes_[{vertices_[thread], vertices_[segment.waker]}];
      wakes.threads.insert(thread);
      wakes.at_ns.push_back(at.end_ns());
    }
  }

  bool IsAtOneThing(uint32_t woken, uint32_t waker) const {
    std::map<std::string, double> things;
    double all_ns = 0;
    uint64_t samples = 0;
    for (const StackSum& sum : stacks_.Of(woken, waker, StackSide::kWaiter)) {
      const auto object = timeline_.wait_objects().find(sum.object_id);
      if (sum.object_id == 0 || object == timeline_.wait_objects().end()) continue;
      all_ns += sum.estimate_ns;
      samples += sum.samples;
      const std::string key = KeyOf(object->second);
      if (!key.empty()) things[key] += sum.estimate_ns;
    }
    return samples >= kFewestKnown &&
           std::any_of(things.begin(), things.end(), [&](const auto& thing) {
             return thing.second >= kMostlyAtOneThing * all_ns;
           });
  }

  // Who wakes several does so one right after the other: within less than a wake takes.
  static bool LetOneGo(std::vector<uint64_t>& at_ns) {
    constexpr uint64_t kSameWakeNs = 20'000;
    std::sort(at_ns.begin(), at_ns.end());
    size_t alone = 0;
    for (size_t i = 0; i < at_ns.size(); ++i)
      alone += i == 0 || at_ns[i] - at_ns[i - 1] > kSameWakeNs ? 1 : 0;
    return static_cast<double>(alone) >= kMostlyAlone * static_cast<double>(at_ns.size());
  }

  const Timeline& timeline_;
  const StackSums& stacks_;
  const std::span<const uint32_t> vertices_;
  std::map<std::pair<uint32_t, uint32_t>, Wakes> wakes_;  // by who is woken, and who wakes
};

}  // namespace

GivenWork WorkGivenToPools(const Timeline& timeline, const StackSums& stacks,
                           std::span<const uint32_t> vertex_of_entity) {
  return PoolFinder(timeline, stacks, vertex_of_entity).Find();
}

}  // namespace gordian
