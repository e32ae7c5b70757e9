// SPDX-License-Identifier: Apache-2.0
// The output of a puppet when it has ended: its threads, and the events that a recording of it must
// hold.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/puppets/actor.h"

namespace gordian::puppets {

// In the window of the wakee, exactly `count` wakes of this kind; together with the other rows, all
// its wakes.
struct ExpectedWakes {
  int32_t wakee_tid = 0;
  int32_t waker_tid = 0;  // 0: the thread on the CPU
  std::string context;    // thread, timer, softirq
  uint64_t count = 0;
};

struct Report {
  uint64_t begin_ns = 0;  // when the puppet began
  std::vector<ActorRecord*> actors;
  bool wakes_are_exact = true;  // every wake in an actor's window is among `wakes`
  std::vector<ExpectedWakes> wakes;
  std::map<std::string, uint64_t> numbers;
  std::vector<int32_t> children;  // tids, in the order of their birth
};

std::string ToJson(const std::string& puppet, const Report& report);

}  // namespace gordian::puppets
