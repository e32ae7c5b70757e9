// SPDX-License-Identifier: Apache-2.0
// Rank 0's own units: a thread makes one after the other, and sends to rank 0 what it made, as any
// other rank does. Inner to the room.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "mpi/ranks.h"
#include "mpi/unit_maker.h"
#include "schema/ranks.pb.h"

namespace gordian {

class OwnUnits {
 public:
  // Both must outlive it.
  OwnUnits(Ranks& ranks, UnitMaker& maker);
  // Waits for the unit at hand; those behind it are not made.
  ~OwnUnits();
  OwnUnits(const OwnUnits&) = delete;
  OwnUnits& operator=(const OwnUnits&) = delete;

  // It must outlive this.
  void Add(const pb::RankUnit& unit);

 private:
  void Run();

  Ranks& ranks_;
  UnitMaker& maker_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<const pb::RankUnit*> units_;
  bool ends_ = false;
  std::jthread thread_;
};

}  // namespace gordian
