// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/stacks/thresholds.h"
#include "analyzer/stacks/wait_things.h"

namespace gordian {
namespace {

// Functions of libraries in which threads wait at a futex, and the role of the futex then.
struct Role {
  std::string_view prefix;
  std::string_view role;
};
constexpr Role kRoles[] = {
    {"pthread_mutex_", "lock"},
    {"__pthread_mutex_", "lock"},
    {"___pthread_mutex_", "lock"},
    {"__lll_lock_wait", "lock"},
    {"__lll_mutex_lock", "lock"},
    {"pthread_rwlock_", "lock"},
    {"__pthread_rwlock_", "lock"},
    {"___pthread_rwlock_", "lock"},
    {"std::mutex::lock", "lock"},
    {"pthread_cond_", "condition variable"},
    {"__pthread_cond_", "condition variable"},
    {"___pthread_cond_", "condition variable"},
    {"std::condition_variable::", "condition variable"},
    {"sem_wait", "semaphore"},
    {"sem_timedwait", "semaphore"},
    {"sem_clockwait", "semaphore"},
    {"__new_sem_wait", "semaphore"},
    {"pthread_barrier_", "barrier"},
    {"__pthread_barrier_", "barrier"},
    {"___pthread_barrier_", "barrier"},
    {"pthread_join", "thread's end"},
    {"__pthread_clockjoin", "thread's end"},
    {"__pthread_timedjoin", "thread's end"},
};

std::string_view RoleOf(const CodePath& path, const Code& code) {
  size_t frames = 0;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.kernel) continue;
    if (frames++ == kLockFrames) break;
    for (const Role& role : kRoles)
      if (frame.function.starts_with(role.prefix)) return role.role;
  }
  return {};
}

// Where the kernel's functions have no names.
std::string_view ReasonOfObject(const WaitObjectRecord& object) {
  switch (object.kind) {
    case WaitObjectKind::kFutex:
      return "futex";
    case WaitObjectKind::kPipe:
      return "pipe";
    case WaitObjectKind::kSocket:
      return "socket";
    case WaitObjectKind::kEpoll:
      return "epoll";
    case WaitObjectKind::kEventFd:
      return "eventfd";
    case WaitObjectKind::kDescriptors:
      return "poll";
    case WaitObjectKind::kChild:
      return "child";
    case WaitObjectKind::kTimer:
      return "timer";
    case WaitObjectKind::kFault:
      return "page fault";
    case WaitObjectKind::kFile:
    case WaitObjectKind::kDirectory:
      return "file";
    case WaitObjectKind::kDevice:
      return "device";
    case WaitObjectKind::kOtherFile:
    case WaitObjectKind::kUnknown:
      break;
  }
  return kOtherReason;
}

// Of one stack, looked up once, even if it waited for many objects.
struct StackWords {
  std::string_view reason;
  std::string_view role;
  bool kernel_has_names = false;
};

StackWords WordsOf(uint32_t stack_id, const Code& code) {
  const CodePath path = code.PathOf(stack_id, StackSide::kWaiter);
  const bool has_names = std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    return code.frame(index).kernel && !code.frame(index).function.empty();
  });
  return {ReasonOf(path, code), RoleOf(path, code), has_names};
}

class ReasonSums {
 public:
  ReasonSums(const Code& code, const WaitThings& things) : code_(code), things_(things) {}

  void Add(const StackSum& sum) {
    const auto [words, is_new] = words_.try_emplace(sum.stack_id);
    if (is_new) words->second = WordsOf(sum.stack_id, code_);
    const WaitObjectRecord* object = things_.Find(sum.object_id);
    std::string_view reason = words->second.reason;
    if (reason == kOtherReason && object != nullptr) reason = ReasonOfObject(*object);
    anything_known_ |= words->second.kernel_has_names || object != nullptr;
    whole_ns_ += sum.estimate_ns;
    reasons_[reason] += sum.estimate_ns;
    if (object == nullptr) return;
    ObjectSum& part = objects_[{reason, IdentityOf(*object) + WaitObjectText(*object)}];
    part.share.object_id = sum.object_id;
    part.share.samples += sum.samples;
    part.share.share += sum.estimate_ns;
    if (object->kind == WaitObjectKind::kFutex && sum.estimate_ns > part.role_ns) {
      part.share.role = words->second.role;
      part.role_ns = sum.estimate_ns;
    }
  }

  std::vector<ReasonShare> Take() const {
    std::vector<ReasonShare> reasons;
    if (!anything_known_) return reasons;
    for (const auto& [reason, time_ns] : reasons_)
      reasons.push_back({.reason = reason, .share = ShareOf(time_ns), .objects = Objects(reason)});
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const ReasonShare& a, const ReasonShare& b) { return a.share > b.share; });
    return reasons;
  }

 private:
  struct ObjectSum {
    ObjectShare share;    // its share is still a time
    double role_ns = -1;  // of the stack that gave the role
  };

  double ShareOf(double time_ns) const { return whole_ns_ > 0 ? time_ns / whole_ns_ : 0; }

  std::vector<ObjectShare> Objects(std::string_view reason) const {
    std::vector<ObjectShare> objects;
    for (auto part = objects_.lower_bound({reason, ""});
         part != objects_.end() && part->first.first == reason; ++part) {
      objects.push_back(part->second.share);
      objects.back().share = ShareOf(objects.back().share);
      objects.back().text = WaitObjectText(*things_.Find(objects.back().object_id));
    }
    std::stable_sort(objects.begin(), objects.end(),
                     [](const ObjectShare& a, const ObjectShare& b) { return a.share > b.share; });
    return objects;
  }

  const Code& code_;
  const WaitThings& things_;
  absl::flat_hash_map<uint32_t, StackWords> words_;
  std::map<std::string_view, double> reasons_;
  std::map<std::pair<std::string_view, std::string>, ObjectSum> objects_;
  double whole_ns_ = 0;
  bool anything_known_ = false;
};

}  // namespace

std::vector<ReasonShare> ReasonsOf(std::span<const StackSum> waiter_sums, const Code& code,
                                   const WaitThings& things) {
  ReasonSums sums(code, things);
  for (const StackSum& sum : waiter_sums) sums.Add(sum);
  return sums.Take();
}

}  // namespace gordian
