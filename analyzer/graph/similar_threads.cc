#include "analyzer/graph/similar_threads.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace gordian {
namespace {

// Two threads are alike if at most this share of their time is spent differently.
constexpr double kAlike = 0.25;
// A thread that waits mostly for a single other one has a place in a chain, not in a pool.
constexpr double kMostlyOne = 0.75;
// So many ways of spending the time are told apart under one name; further threads stay alone.
constexpr size_t kMostLeaders = 32;

// Threads that may be of one pool: process (0: kernel threads; negative: the parent of several
// processes), name pattern, target and recorder apart.
using PoolKey = std::tuple<int32_t, std::string, bool, bool>;

// Share of its life by what it does: the classes it waits for, and running and being runnable.
using Profile = std::map<uint64_t, double>;
constexpr uint64_t kRunning = ~0ull;
constexpr uint64_t kRunnable = ~0ull - 1;
constexpr uint64_t kClass = 1ull << 32;  // below it: single entities

class Finder {
 public:
  Finder(const WaitForGraph& graph, const std::vector<EntityId>& candidates)
      : graph_(graph), class_of_(graph.entities.size()) {
    CountThreads(candidates);
    for (const EntityId id : candidates) pools_[KeyOf(graph.entities[id])].push_back(id);
    uint32_t next_class = 0;
    for (auto& [key, members] : pools_) {
      ++next_class;
      for (const EntityId id : members) class_of_[id] = next_class;
      std::sort(members.begin(), members.end(),
                [&](EntityId a, EntityId b) { return Order(a) < Order(b); });
    }
  }

  std::vector<SimilarThreads> Run() {
    std::vector<SimilarThreads> result;
    for (const auto& [key, members] : pools_) {
      if (members.size() < 2) continue;
      if (NamedAsPool(members)) {
        result.push_back({PoolName(members), members});
      } else {
        AddAlike(members, result);
      }
    }
    return result;
  }

 private:
  void CountThreads(const std::vector<EntityId>& candidates) {
    for (const EntityId id : candidates) ++threads_of_process_[graph_.entities[id].tgid];
  }

  std::tuple<int32_t, uint64_t, EntityId> Order(EntityId id) const {
    return {graph_.entities[id].tid, graph_.entities[id].start_time_ns, id};
  }

  PoolKey KeyOf(const Entity& thread) const {
    int32_t process = thread.tgid;
    if (thread.kernel_thread) {
      process = 0;
    } else if (threads_of_process_.at(thread.tgid) == 1 && thread.parent_tid > 0) {
      process = -thread.parent_tid;
    }
    return {process, NamePattern(thread.name), thread.target, thread.recorder};
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

  // Each joins the first leader it is like, else leads. Members come in the order of their ids.
  void AddAlike(const std::vector<EntityId>& members, std::vector<SimilarThreads>& result) {
    std::vector<std::pair<Profile, std::vector<EntityId>>> led;
    for (const EntityId id : members) {
      Profile profile = ProfileOf(id);
      const auto leader = std::find_if(led.begin(), led.end(), [&](const auto& other) {
        return Difference(profile, other.first) <= kAlike;
      });
      if (leader != led.end()) {
        leader->second.push_back(id);
      } else if (led.size() < kMostLeaders) {
        led.emplace_back(std::move(profile), std::vector<EntityId>{id});
      }
    }
    for (auto& [profile, alike] : led) {
      if (alike.size() > 1) result.push_back({PoolName(alike), std::move(alike)});
    }
  }

  Profile ProfileOf(EntityId id) const {
    const Entity& thread = graph_.entities[id];
    const double life_ns =
        std::max(1.0, static_cast<double>(thread.end_ns) - static_cast<double>(thread.begin_ns));
    Profile profile;
    profile[kRunning] = static_cast<double>(thread.run_ns + thread.spin_ns) / life_ns;
    profile[kRunnable] = static_cast<double>(thread.runnable_ns) / life_ns;
    const auto first =
        std::lower_bound(graph_.edges.begin(), graph_.edges.end(), id,
                         [](const Edge& edge, EntityId from) { return edge.from < from; });
    double own_class_ns = 0;
    const Edge* longest = nullptr;
    for (auto edge = first; edge != graph_.edges.end() && edge->from == id; ++edge) {
      const uint64_t to_class = class_of_[edge->to] != 0 ? kClass + class_of_[edge->to] : edge->to;
      profile[to_class] += static_cast<double>(edge->own_ns) / life_ns;
      if (class_of_[edge->to] != class_of_[id]) continue;
      own_class_ns += static_cast<double>(edge->own_ns);
      if (longest == nullptr || edge->own_ns > longest->own_ns) longest = &*edge;
    }
    if (longest != nullptr && static_cast<double>(longest->own_ns) >= kMostlyOne * own_class_ns) {
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
  std::map<int32_t, uint32_t> threads_of_process_;
  std::map<PoolKey, std::vector<EntityId>> pools_;
  std::vector<uint32_t> class_of_;  // by entity; 0: no thread that could be merged
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
                                               const std::vector<EntityId>& candidates) {
  return Finder(graph, candidates).Run();
}

}  // namespace gordian
