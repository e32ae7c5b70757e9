// SPDX-License-Identifier: Apache-2.0
// Rank 0's view of all ranks: who they are, and the units that it deals out to them.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mpi/ranks.h"
#include "mpi/unit_maker.h"
#include "schema/ranks.pb.h"

namespace gordian {

class Hands;
class OwnUnits;

struct DealtUnit {
  pb::RankUnit unit;
  std::vector<int> ranks;  // that can make it; empty: any
  uint64_t cost = 0;       // the costliest go first
  // Neighbours among the asked for need much of the same (stretches of time): a rank gets one
  // behind the other. All of them are such, then, and of no cost.
  bool in_a_row = false;
};

// Of units in a row that are left, in order, the place of the next one for a rank whose last one
// was `latest` (SIZE_MAX: none yet): the one right behind. If that is gone, the longest rest of a
// row is parted: its first half is left to the rank that comes to it.
size_t NextInARow(std::span<const size_t> left, size_t latest);

struct MadeUnit {
  int rank = 0;
  pb::RankMade made;
};

struct CrewOptions {
  // A line for each unit that is begun, made or found; none: nothing is told.
  std::function<void(const std::string& line)> tell;
  // For tests: units go to ranks by chance. 0: the costliest first, to the rank that is free.
  uint32_t seed = 0;
};

class Crew {
 public:
  // Both must outlive it.
  Crew(Ranks& ranks, UnitMaker& own, CrewOptions options);

  // Waits for all of them. InvalidArgument, in one line, if one is of another build.
  absl::Status Gather(pb::RankHello own);
  // By rank.
  const std::vector<pb::RankHello>& hellos() const { return hellos_; }

  // Each rank, this one too, makes one unit at a time, and may hold the next ones already. In the
  // order asked for. A unit that failed says so in its result; an error here means that a rank is
  // gone.
  absl::StatusOr<std::vector<MadeUnit>> Make(const std::vector<DealtUnit>& units);

  uint64_t made() const { return made_; }
  uint64_t found() const { return found_; }

 private:
  size_t Choose(const std::vector<DealtUnit>& units, const Hands& hands, int rank);
  void Deal(const std::vector<DealtUnit>& units, size_t place, int rank, Hands& hands,
            OwnUnits& own_units);
  void Tell(const std::string& line) const;
  void TellBegin(const std::vector<DealtUnit>& units, size_t number, int rank) const;

  Ranks& ranks_;
  UnitMaker& own_;
  CrewOptions options_;
  std::mt19937 chance_;
  std::vector<pb::RankHello> hellos_;
  uint64_t made_ = 0;
  uint64_t found_ = 0;
};

// All other ranks leave; waits for them.
void EndOthers(Ranks& ranks);

// What every other rank does: makes the units that it is asked for, until the end. Null: its hello
// says why it can make none.
absl::Status WorkForRankZero(Ranks& ranks, UnitMaker* own, const pb::RankHello& hello);

}  // namespace gordian
