// SPDX-License-Identifier: Apache-2.0
// Walks over one thread's life and gives the owner of all its use. Phases' times are the clock's:
// so are all times here, except the timeline's own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "jobs/measured/phase_owners.h"
#include "jobs/measured/use_table.h"

namespace gordian {

// Something a thread issued.
struct IssuedBytes {
  uint64_t time_ns = 0;
  uint64_t bytes = 0;
  uint32_t table = 0;
};

// Where a worker's results go. Aligned so that those of several workers share no cache line.
struct alignas(128) UseTables {
  std::vector<UseTable> tables;      // [0]: the CPUs
  std::vector<uint64_t> unknown_ns;  // by phase
};

class ThreadWalk {
 public:
  ThreadWalk(const Timeline& timeline, const Job& job, const PhaseOwners& owners, uint64_t start_ns,
             uint64_t end_ns, UseTables& results);

  // `issues` are the thread's, in order of time.
  void Walk(EntityId thread, std::span<const IssuedBytes> issues);

 private:
  // A part of it, by the clock.
  void TakeSegment(const ThreadSegment& segment, uint64_t from_ns, uint64_t to_ns);
  void Ran(uint64_t from_ns, uint64_t to_ns);
  void RanAsHelper(uint64_t from_ns, uint64_t to_ns);
  void WasUnknown(uint64_t from_ns, uint64_t to_ns);
  void IssuedBefore(uint64_t time_ns);
  PhaseId HelpedAt(uint64_t time_ns) const;
  PhaseId HelpedAfter(const ThreadSegment& wait, uint64_t woken_ns) const;
  // Calls use(owner, from_ns, to_ns) for each stretch; times of the calls never go back.
  template <typename Use>
  void ForEachOwner(uint64_t from_ns, uint64_t to_ns, Use use);

  const Timeline& timeline_;
  const Job& job_;
  const PhaseOwners& owners_;
  const uint64_t start_ns_;
  const uint64_t end_ns_;
  UseTables& results_;

  // Of the thread at hand.
  std::span<const OwnerStep> steps_;  // the first holds now, or lies ahead
  std::span<const OwnerStep> all_steps_;
  std::span<const IssuedBytes> issues_;  // those to come
  PhaseId helped_ = kNoId;               // the phase it would help now
};

}  // namespace gordian
