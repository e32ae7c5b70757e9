// SPDX-License-Identifier: Apache-2.0
#include "mpi/own_units.h"

namespace gordian {

OwnUnits::OwnUnits(Ranks& ranks, UnitMaker& maker)
    : ranks_(ranks), maker_(maker), thread_([this] { Run(); }) {}

OwnUnits::~OwnUnits() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_one();
}

void OwnUnits::Add(const pb::RankUnit& unit) {
  const std::lock_guard lock(mutex_);
  units_.push_back(&unit);
  changed_.notify_one();
}

void OwnUnits::Run() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ends_ || !units_.empty(); });
    if (ends_) return;
    const pb::RankUnit& unit = *units_.front();
    units_.pop_front();
    lock.unlock();
    // A failure is kept, and told by Receive.
    (void)ranks_.Send(0, RankMessageKind::kMade, maker_.Make(unit).SerializeAsString());
  }
}

}  // namespace gordian
