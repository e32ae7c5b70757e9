// SPDX-License-Identifier: Apache-2.0
#include "mpi/hands.h"

#include <algorithm>
#include <numeric>

namespace gordian {
namespace {

// What a rank holds is at most this part of its share of what is left, or it holds one unit.
// With much more, ranks would come to their ends at different times.
constexpr double kHeldOfShare = 0.25;

}  // namespace

Hands::Hands(const std::vector<DealtUnit>& units, int ranks)
    : units_(units), left_(units.size()), hands_(static_cast<size_t>(ranks)) {
  std::iota(left_.begin(), left_.end(), size_t{0});
  std::stable_sort(left_.begin(), left_.end(),
                   [&](size_t a, size_t b) { return units[a].cost > units[b].cost; });
  for (const size_t number : left_) left_cost_ += CostOf(number);
}

// Those of no cost are alike.
double Hands::CostOf(size_t number) const {
  return static_cast<double>(std::max<uint64_t>(units_[number].cost, 1));
}

bool Hands::IsDue(int rank, size_t place) const {
  const Hand& hand = OfRank(rank);
  if (hand.held.empty()) return true;
  double cost = CostOf(left_[place]);
  for (const size_t number : hand.held) cost += CostOf(number);
  return cost <= kHeldOfShare * left_cost_ / static_cast<double>(hands_.size());
}

size_t Hands::PickUp(int rank, size_t place) {
  const size_t number = left_[place];
  left_.erase(left_.begin() + static_cast<ptrdiff_t>(place));
  left_cost_ -= CostOf(number);
  Hand& hand = hands_[static_cast<size_t>(rank)];
  hand.held.push_back(number);
  hand.latest = number;
  return number;
}

bool Hands::PutDown(int rank, size_t number) {
  Hand& hand = hands_[static_cast<size_t>(rank)];
  if (hand.held.empty() || hand.held.front() != number) return false;
  hand.held.pop_front();
  return true;
}

}  // namespace gordian
