// What may hold the throughput, before it is put into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/scope.h"

namespace gordian {

enum class LimitKind : uint8_t {
  kKnot,
  kSink,        // a thread whose execution is the limit
  kDevice,      // a saturated one
  kSleep,       // a worker that mostly sleeps on timers
  kStarvation,  // ready to run, but without a CPU
  kOutside,     // waits for somebody who was not recorded: a remote peer, an unexplained interrupt
  kBackground,
};

struct Limit {
  LimitKind kind = LimitKind::kKnot;
  std::vector<uint32_t> members;    // ascending
  std::vector<ScopeEdge> edges;     // of a knot, heaviest first
  std::optional<ScopeEdge> attack;  // the edge to attack
  std::optional<ScopeEdge> waiter;  // of a sleeper: the heaviest wait for it
  // Of a circle whose edge to attack is between threads: the target's heaviest wait for a disk in
  // it.
  std::optional<ScopeEdge> disk_wait;
  double share = 0;       // of the recording
  double waited_for = 0;  // the largest share that somebody else waits for a member
  // Those who wait for it are pools that have enough other work for one thread: perhaps they wait
  // for work that nobody has.
  bool perhaps_idle = false;
  bool apart = false;  // not of the target's scope
};

}  // namespace gordian
