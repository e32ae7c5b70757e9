// SPDX-License-Identifier: Apache-2.0
// Places that are scarce: seats, and slots of disks.
#include <algorithm>
#include <utility>

#include "whatif/requests/token_stage.h"

namespace gordian {

bool TokenStage::Take(const TokenStep& step, uint32_t token) {
  TokenLine& line = seats_[step.place];
  const TokenSeats& seats = model_.seats[step.place];
  Waking& waking = is_woken_[token];
  switch (waking) {
    case Waking::kNot:
      if (line.free == 0) {
        line.waiting.push_back(token);
        return true;
      }
      if (seats.count != kEndlessSeats) --line.free;
      if (seats.is_lock) {  // it is awake
        ++tokens_[token].next;
        return false;
      }
      waking = Waking::kWoken;
      if (seats.wake_ns > 0) {
        GoOnAt(now_ns_ + seats.wake_ns, token);
        return true;
      }
      return Take(step, token);
    case Waking::kWoken:
      waking = Waking::kRuns;
      if (seats.wake_run_ns > 0) {
        Run(seats.node, seats.wake_run_ns, token);
        return true;
      }
      return Take(step, token);
    case Waking::kRuns:
      waking = Waking::kNot;
      if (seats.is_lock && !seats.is_handed) {
        if (line.free == 0) {
          line.waiting.push_front(token);
          return true;
        }
        --line.free;
      }
      ++tokens_[token].next;
      return false;
  }
  return false;
}

void TokenStage::Give(uint32_t place) {
  TokenLine& line = seats_[place];
  const TokenSeats& seats = model_.seats[place];
  std::vector<uint32_t>& served = served_[place];
  for (const uint32_t token : served) GoOnAt(now_ns_ + seats.wake_ns, token);
  served.clear();
  if (line.waiting.empty()) {
    ++line.free;
    if (seats.sleep_run_ns > 0) Run(seats.node, seats.sleep_run_ns, NewToken({}));
    return;
  }
  const uint32_t token = line.waiting.front();
  line.waiting.pop_front();
  if (seats.is_grouped) {
    for (const uint32_t other : line.waiting) {
      tokens_[other].rides = place;
      ++tokens_[other].next;
      served.push_back(other);
    }
    line.waiting.clear();
  }
  if (seats.is_lock) {
    if (!seats.is_handed) ++line.free;
    is_woken_[token] = Waking::kWoken;
    return GoOnAt(now_ns_ + seats.wake_ns, token);
  }
  ++tokens_[token].next;  // it has the seat of an awake thread
  GoOnAt(now_ns_, token);
}

bool TokenStage::LeaveBehind(const TokenStep& step, uint32_t token) {
  TokenLine& line = disks_[step.place];
  if (line.behind >= std::max(1u, model_.disks[step.place].most_behind)) {
    line.held_up.push_back(token);
    return true;
  }
  ++line.behind;
  const auto at = static_cast<size_t>(&step - model_.steps.data());
  UseDisk(step, NewToken({.next = at, .end = at + 1, .is_behind = true}));
  return false;
}

void TokenStage::UseDisk(const TokenStep& step, uint32_t token) {
  TokenLine& line = disks_[step.place];
  if (on_disk_[token] != 0) {
    const bool is_last = --line.sharing == 0 || !model_.disks[step.place].is_grouped;
    on_disk_[token] = 0;
    ++tokens_[token].next;
    if (tokens_[token].is_behind) EndBehind(line);
    if (is_last) LeaveDisk(step.place);
    return GoOn(token);
  }
  if (line.free == 0) {
    line.waiting.push_back(token);
    return;
  }
  --line.free;
  BeginOnDisk(line, token, step.ns);
}

void TokenStage::EndBehind(TokenLine& line) {
  --line.behind;
  if (line.held_up.empty()) return;
  GoOnAt(now_ns_, line.held_up.front());
  line.held_up.pop_front();
}

void TokenStage::LeaveDisk(uint32_t place) {
  TokenLine& line = disks_[place];
  if (line.waiting.empty()) {
    ++line.free;
    return;
  }
  const bool all = model_.disks[place].is_grouped;
  const double time_ns = model_.steps[tokens_[line.waiting.front()].next].ns;
  do {
    const uint32_t other = line.waiting.front();
    line.waiting.pop_front();
    BeginOnDisk(line, other, time_ns);
  } while (all && !line.waiting.empty());
}

void TokenStage::BeginOnDisk(TokenLine& line, uint32_t token, double time_ns) {
  ++line.sharing;
  on_disk_[token] = 1;
  GoOnAt(now_ns_ + time_ns, token);
}

}  // namespace gordian
