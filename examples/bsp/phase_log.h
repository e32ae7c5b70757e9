// SPDX-License-Identifier: Apache-2.0
// Says which phase of the job a thread is in: to Gordian's probes, and into a log.
//
// Names. A phase is known by its path, "/Job/Superstep[3]/Gather/Worker[1]/Thread[0]". For the
// probes the thread says the last part, name and key apart; phases of a thread nest.
// A phase that cannot go on says so by a phase within it, "blocked:" and the resource that is not
// there: blocked:gc, blocked:queue (the link is full), blocked:lock.
//
// The log has one JSON object in a line, in order of time:
//
//   {"time_ns":1,"event":"begin","phase":"/Job","node":"host","pid":7,"tid":7}
//   {"time_ns":3,"event":"blocked_begin","resource":"gc","phase":"/Job/…","node":…}
//   {"time_ns":4,"event":"blocked_end","resource":"gc","phase":"/Job/…","node":…}
//   {"time_ns":9,"event":"end","phase":"/Job","node":"host","pid":7,"tid":7,"cpu_ns":5}
//
// time_ns is CLOCK_MONOTONIC; cpu_ns the CPU time that the thread spent within the phase, as the
// kernel accounts it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bsp {

struct PhaseEvent {
  enum class Kind : uint8_t { kBegin, kEnd, kBlockedBegin, kBlockedEnd };
  uint64_t time_ns = 0;
  Kind kind = Kind::kBegin;
  int32_t tid = 0;
  uint64_t cpu_ns = 0;  // kEnd
  std::string path;
  const char* resource = "";  // kBlocked…
};

// Collects in memory: writing meanwhile would disturb the job. Thread-safe.
class PhaseLog {
 public:
  void Add(std::vector<PhaseEvent> events);
  // Writes all of it; false, with errno set, if that fails. An empty path: nothing to do.
  bool Write(const std::string& path);

 private:
  std::mutex mutex_;
  std::vector<PhaseEvent> events_;
};

// One thread's phases. Its log gets them when the thread is through. Lives on that thread.
class ThreadPhases {
 public:
  explicit ThreadPhases(PhaseLog& log);
  ~ThreadPhases();
  ThreadPhases(const ThreadPhases&) = delete;
  ThreadPhases& operator=(const ThreadPhases&) = delete;

  // The phase `parent_path`/name[key], or `parent_path`/name without a key.
  void Begin(std::string_view parent_path, const std::string& name, const std::string& key = "");
  void End();
  // The innermost phase that is going on; "" outside of all.
  std::string path() const { return open_.empty() ? "" : open_.back().path; }

  void BeginBlocked(const char* resource);
  void EndBlocked();

 private:
  struct Open {
    std::string path;
    uint64_t cpu_begin_ns = 0;
  };
  void Add(PhaseEvent::Kind kind, uint64_t cpu_ns, const char* resource);

  PhaseLog& log_;
  const int32_t tid_;
  std::vector<Open> open_;
  const char* blocked_by_ = "";
  std::vector<PhaseEvent> events_;
};

// From here to the end of the scope.
class PhaseScope {
 public:
  PhaseScope(ThreadPhases& phases, std::string_view parent_path, const std::string& name,
             const std::string& key = "")
      : phases_(phases) {
    phases_.Begin(parent_path, name, key);
  }
  ~PhaseScope() { phases_.End(); }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  ThreadPhases& phases_;
};

class BlockedScope {
 public:
  BlockedScope(ThreadPhases& phases, const char* resource) : phases_(phases) {
    phases_.BeginBlocked(resource);
  }
  ~BlockedScope() { phases_.EndBlocked(); }
  BlockedScope(const BlockedScope&) = delete;
  BlockedScope& operator=(const BlockedScope&) = delete;

 private:
  ThreadPhases& phases_;
};

}  // namespace bsp
