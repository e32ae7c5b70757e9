// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/similar_threads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/code_similarity.h"
#include "analyzer/graph/thresholds.h"
#include "analyzer/graph/turns.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

// So many ways of spending the time are told apart under one name; further threads stay alone.
constexpr size_t kMostLeaders = 32;
// From here on a pool of many names is called by its first ones.
constexpr size_t kLongestName = 40;

// Threads that may be of one pool: process (0: kernel threads; negative: the parent of several
// processes), name pattern, target and recorder, and nodes and containers apart.
using PoolKey = std::tuple<int32_t, std::string, bool, bool, uint32_t, std::string>;

// Share of its life by activity: the classes it waits for, and running and being runnable.
using Profile = std::map<uint64_t, double>;
constexpr uint64_t kRunning = ~0ull;
constexpr uint64_t kRunnable = ~0ull - 1;
constexpr uint64_t kClass = 1ull << 32;  // below it: single entities

// Of each thread, how it spent the even and the odd eighths.
using Halves = std::vector<std::array<Profile, 2>>;

// Threads on their way to be one vertex.
struct Group {
  std::vector<EntityId> members;
  Profile time;      // of the first
  CodeProfile code;  // of all
  std::string name;
  bool leads = false;
};

class Finder {
 public:
  Finder(const WaitForGraph& graph, const std::vector<EntityId>& candidates,
         const GraphOptions& options, std::vector<MergeNote>& notes)
      : graph_(graph),
        class_of_(graph.entities.size()),
        code_profiles_(options.code_profiles),
        halves_(options.halves),
        notes_(notes) {
    CountThreads(candidates);
    for (const EntityId id : candidates) pools_[KeyOf(graph.entities[id])].push_back(id);
    uint32_t next_class = 0;
    for (auto& [key, members] : pools_) {
      ++next_class;
      for (const EntityId id : members) class_of_[id] = next_class;
      std::sort(members.begin(), members.end(),
                [&](EntityId a, EntityId b) { return Order(a) < Order(b); });
    }
    in_ring_ = ThreadsThatTakeTurns(graph, candidates, class_of_);
  }

  std::vector<SimilarThreads> Run() {
    std::map<PoolKey, std::vector<Group>> by_process;  // without the name
    for (const auto& [key, members] : pools_) {
      std::vector<Group> groups = GroupsOf(members);
      if (std::get<0>(key) > 0) JoinStandIns(groups);
      if (code_profiles_.empty()) {
        for (Group& group : groups) Take(std::move(group));
        continue;
      }
      TellOfParts(groups);
      PoolKey process = key;
      std::get<1>(process).clear();
      std::vector<Group>& all = by_process[process];
      std::move(groups.begin(), groups.end(), std::back_inserter(all));
    }
    for (auto& [key, groups] : by_process) {
      // Kernel threads and processes of one parent are no parts of one program.
      if (std::get<0>(key) > 0) JoinNames(groups);
      for (Group& group : groups) Take(std::move(group));
    }
    return std::move(result_);
  }

 private:
  static uint64_t ProcessOf(const Entity& thread) { return NumberOnNode(thread.node, thread.tgid); }

  void CountThreads(const std::vector<EntityId>& candidates) {
    for (const EntityId id : candidates) ++threads_of_process_[ProcessOf(graph_.entities[id])];
  }

  std::tuple<int32_t, uint64_t, EntityId> Order(EntityId id) const {
    return {graph_.entities[id].tid, graph_.entities[id].start_time_ns, id};
  }

  PoolKey KeyOf(const Entity& thread) const {
    int32_t process = thread.tgid;
    if (thread.kernel_thread) {
      process = 0;
    } else if (threads_of_process_.at(ProcessOf(thread)) == 1 && thread.parent_tid > 0) {
      process = -thread.parent_tid;
    }
    return {process,     NamePattern(thread.name), thread.target, thread.recorder,
            thread.node, thread.container};
  }

  bool NamedAsPool(const std::vector<EntityId>& members) const {
    return std::all_of(members.begin(), members.end(), [&](EntityId id) {
      const Entity& thread = graph_.entities[id];
      return thread.kernel_thread ||
             (thread.name != thread.process_name && thread.tid != thread.tgid);
    });
  }

  std::string PoolName(const std::vector<EntityId>& members) const {
    const std::string& first = graph_.entities[members[0]].name;
    const bool one_name = std::all_of(members.begin(), members.end(), [&](EntityId id) {
      return graph_.entities[id].name == first;
    });
    return one_name ? first : NamePattern(first);
  }

  const CodeProfile& CodeOf(EntityId id) const {
    return id < code_profiles_.size() ? code_profiles_[id] : nothing_known_;
  }

  // Threads of one name pattern, parted where they do different work. Threads with enough code
  // samples come first, so that they lead; the others have only their names.
  std::vector<Group> GroupsOf(const std::vector<EntityId>& members) const {
    std::vector<EntityId> ordered = members;
    std::stable_partition(ordered.begin(), ordered.end(),
                          [&](EntityId id) { return SaysEnough(CodeOf(id)); });
    const bool named = members.size() > 1 && NamedAsPool(members);
    std::vector<Group> groups;
    for (const EntityId id : ordered) {
      const CodeProfile& code = CodeOf(id);
      const Profile time = named || members.size() == 1 ? Profile{} : ProfileOf(id);
      const auto joined = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        if (ClearlyDiffer(code, group.code)) return false;
        return named || Difference(time, group.time) <= kSpentDifferently ||
               AreNearlyEqual(code, group.code);
      });
      if (joined != groups.end()) {
        joined->members.push_back(id);
        Add(code, joined->code);
      } else if (groups.size() < kMostLeaders) {
        groups.push_back({{id}, time, code});
      }
    }
    for (Group& group : groups) SortAndName(group);
    return groups;
  }

  void SortAndName(Group& group) const {
    std::sort(group.members.begin(), group.members.end(),
              [&](EntityId a, EntityId b) { return Order(a) < Order(b); });
    group.name = PoolName(group.members);
  }

  // Each group that stands in for one before joins it. A group is asked once for each that stays:
  // at most kMostLeaders times.
  void JoinStandIns(std::vector<Group>& groups) {
    if (!halves_ || groups.size() < 2) return;
    const std::vector<Halves> halves_of_all = HalvesOf(groups);
    std::vector<Group> kept;
    std::vector<Halves> halves_of;  // of each kept group's leader
    for (size_t i = 0; i < groups.size(); ++i) {
      Group& group = groups[i];
      const Halves& halves = halves_of_all[i];
      size_t place = 0;
      while (place < kept.size() &&
             (ClearlyDiffer(group.code, kept[place].code) || !StandIn(halves, halves_of[place])))
        ++place;
      if (place == kept.size()) {
        kept.push_back(std::move(group));
        halves_of.push_back(halves);
        continue;
      }
      TellOfStandIns(kept[place], group);
      kept[place].members.insert(kept[place].members.end(), group.members.begin(),
                                 group.members.end());
      Add(group.code, kept[place].code);
      SortAndName(kept[place]);
    }
    groups = std::move(kept);
  }

  // Of each group's first members that live in both halves, as many as lead. Asks for those of all
  // groups at once, and again for more where some live in one half only: ends with the last member.
  std::vector<Halves> HalvesOf(std::span<const Group> groups) const {
    std::vector<Halves> halves(groups.size());
    std::vector<size_t> asked(groups.size(), 0);
    for (;;) {
      std::vector<EntityId> ids;
      std::vector<size_t> group_of;
      for (size_t group = 0; group < groups.size(); ++group) {
        const std::vector<EntityId>& members = groups[group].members;
        size_t wanted = kMostLeaders - halves[group].size();
        for (; wanted > 0 && asked[group] < members.size(); --wanted) {
          ids.push_back(members[asked[group]++]);
          group_of.push_back(group);
        }
      }
      if (ids.empty()) return halves;
      const std::vector<std::array<ThreadTimes, 2>> times = halves_(ids);
      for (size_t i = 0; i < ids.size(); ++i) {
        if (times[i][0].life_ns == 0 || times[i][1].life_ns == 0) continue;
        halves[group_of[i]].push_back(
            {ProfileOf(ids[i], times[i][0]), ProfileOf(ids[i], times[i][1])});
      }
    }
  }

  // Whether the threads of two groups differ from themselves as much as from each other. Groups of
  // threads that lived in one half only show nothing.
  static bool StandIn(const Halves& a, const Halves& b) {
    if (a.empty() || b.empty()) return false;
    double from_itself = 0;
    double from_others = 0;
    for (const auto& [group, others] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      for (const std::array<Profile, 2>& thread : *group) {
        from_itself += Difference(thread[0], thread[1]);
        from_others += (Difference(thread[0], others->front()[1]) +
                        Difference(others->front()[0], thread[1])) /
                       2;
      }
    }
    return from_itself >= kKeepsItsRole * from_others;
  }

  void TellOfStandIns(const Group& one, const Group& other) {
    if (code_profiles_.empty()) return;
    notes_.push_back({one.members[0], true,
                      absl::StrCat(NameAndTid(one), " and ", NameAndTid(other),
                                   " stand in for each other: at another time each does what the "
                                   "other did")});
  }

  // Draws pools of one process together whose code is nearly equal.
  void JoinNames(std::vector<Group>& groups) {
    std::vector<Group> led;
    size_t leaders = 0;
    for (Group& group : groups) {
      const auto is_first_thread = [&](EntityId id) {
        return graph_.entities[id].tid == graph_.entities[id].tgid;
      };
      const bool may_join =
          SaysEnough(group.code) &&
          std::none_of(group.members.begin(), group.members.end(), is_first_thread);
      const auto leader = std::find_if(led.begin(), led.end(), [&](const Group& other) {
        return may_join && other.leads && AreNearlyEqual(group.code, other.code);
      });
      if (leader == led.end()) {
        group.leads = may_join && leaders < kMostLeaders;
        leaders += group.leads;
        led.push_back(std::move(group));
        continue;
      }
      notes_.push_back({leader->members[0], true,
                        absl::StrCat(leader->name, " and ", group.name, " are drawn together: ",
                                     PercentText(EqualShare(group.code, leader->code)),
                                     " of their time is spent in the same code")});
      if (leader->name.size() < kLongestName) leader->name += "+" + group.name;
      leader->members.insert(leader->members.end(), group.members.begin(), group.members.end());
      Add(group.code, leader->code);
    }
    groups = std::move(led);
  }

  // Of a pool that fell apart by its code.
  void TellOfParts(const std::vector<Group>& groups) {
    for (size_t i = 1; i < groups.size(); ++i) {
      if (!ClearlyDiffer(groups[i].code, groups[0].code)) continue;
      notes_.push_back({groups[0].members[0], false,
                        absl::StrCat(NameAndTid(groups[0]), " and ", NameAndTid(groups[i]),
                                     " are named alike and kept apart: ",
                                     PercentText(OverlapOf(groups[i].code, groups[0].code)),
                                     " of their time is spent in code they have in common")});
    }
  }

  std::string NameAndTid(const Group& group) const {
    const Entity& first = graph_.entities[group.members[0]];
    return absl::StrCat(ThreadLabel(first.name, first.tid),
                        group.members.size() > 1
                            ? absl::StrCat(" (and ", group.members.size() - 1, " like it)")
                            : "");
  }
  void Take(Group group) {
    if (group.members.size() < 2) return;
    if (!code_profiles_.empty())
      notes_.push_back({group.members[0], true,
                        absl::StrCat(group.members.size(), " threads are drawn as ", group.name)});
    result_.push_back({std::move(group.name), std::move(group.members)});
  }

  Profile ProfileOf(EntityId id) const {
    const Entity& thread = graph_.entities[id];
    ThreadTimes times{.life_ns = thread.end_ns - std::min(thread.begin_ns, thread.end_ns),
                      .run_ns = thread.run_ns + thread.spin_ns,
                      .runnable_ns = thread.runnable_ns,
                      .waits = {}};
    const std::span<const Edge> edges = EdgesFrom(graph_, id);
    times.waits.assign(edges.begin(), edges.end());
    return ProfileOf(id, times);
  }

  Profile ProfileOf(EntityId id, const ThreadTimes& times) const {
    const double life_ns = std::max(1.0, static_cast<double>(times.life_ns));
    Profile profile;
    profile[kRunning] = static_cast<double>(times.run_ns) / life_ns;
    profile[kRunnable] = static_cast<double>(times.runnable_ns) / life_ns;
    double own_class_ns = 0;
    const Edge* longest = nullptr;
    for (const Edge& edge : times.waits) {
      const uint64_t to_class = class_of_[edge.to] != 0 ? kClass + class_of_[edge.to] : edge.to;
      profile[to_class] += static_cast<double>(edge.own_ns) / life_ns;
      if (class_of_[edge.to] != class_of_[id]) continue;
      own_class_ns += static_cast<double>(edge.own_ns);
      if (longest == nullptr || edge.own_ns > longest->own_ns) longest = &edge;
    }
    if (longest != nullptr && !in_ring_[id] &&
        static_cast<double>(longest->own_ns) >= kMostlyOne * own_class_ns) {
      profile.erase(kClass + class_of_[id]);
      profile[longest->to] += own_class_ns / life_ns;
    }
    return profile;
  }

  static double Difference(const Profile& a, const Profile& b) {
    double sum = 0;
    for (const auto& [what, share] : a) {
      const auto other = b.find(what);
      sum += std::abs(share - (other == b.end() ? 0 : other->second));
    }
    for (const auto& [what, share] : b) {
      if (a.find(what) == a.end()) sum += share;
    }
    return sum / 2;
  }

  const WaitForGraph& graph_;
  std::map<uint64_t, uint32_t> threads_of_process_;
  std::map<PoolKey, std::vector<EntityId>> pools_;
  std::vector<uint32_t> class_of_;  // by entity; 0: no thread that could be merged
  std::vector<bool> in_ring_;       // by entity; see FindRings
  const std::span<const CodeProfile> code_profiles_;
  const TimesInHalves& halves_;
  const CodeProfile nothing_known_;
  std::vector<MergeNote>& notes_;
  std::vector<SimilarThreads> result_;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string NamePattern(std::string_view name) {
  std::string pattern;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsDigit(name[i])) {
      pattern += name[i];
    } else if (i == 0 || !IsDigit(name[i - 1])) {
      pattern += '*';
    }
  }
  return pattern;
}

std::vector<SimilarThreads> FindSimilarThreads(const WaitForGraph& graph,
                                               const std::vector<EntityId>& candidates,
                                               const GraphOptions& options,
                                               std::vector<MergeNote>& notes) {
  return Finder(graph, candidates, options, notes).Run();
}

}  // namespace gordian
