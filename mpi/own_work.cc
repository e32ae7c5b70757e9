// SPDX-License-Identifier: Apache-2.0
#include "mpi/own_work.h"

namespace gordian {

OwnWork::OwnWork(Ranks& ranks, UnitMaker& maker)
    : ranks_(ranks), maker_(maker), thread_([this] { Run(); }) {}

OwnWork::~OwnWork() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_one();
}

void OwnWork::Add(const pb::RankUnit& unit) {
  const std::lock_guard lock(mutex_);
  units_.push_back(&unit);
  changed_.notify_one();
}

void OwnWork::Run() {
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
