// SPDX-License-Identifier: Apache-2.0
// Which units are left to deal, and which each rank holds. Inner to the room.
//
// A message takes a part of a millisecond to be seen, as ranks leave their CPU in between; units of
// a small node take one or two. So a rank may hold a few units beside the one that it makes. Only
// small ones: else one rank would hold work at the end that another could do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/crew.h"

namespace gordian {

// By one rank. The second one is there when the first is done; the third when the second takes less
// time than a message.
inline constexpr size_t kMostUnitsHeld = 3;

class Hands {
 public:
  // The costliest unit is left first. `units` must outlive it.
  Hands(const std::vector<DealtUnit>& units, int ranks);

  const std::vector<size_t>& left() const { return left_; }
  size_t Held(int rank) const { return OfRank(rank).held.size(); }
  size_t First(int rank) const { return OfRank(rank).held.front(); }
  // The last one that it was dealt; SIZE_MAX: none yet.
  size_t Latest(int rank) const { return OfRank(rank).latest; }

  // Whether it shall get the unit at that place of those left: it holds none, or all that it would
  // hold is a small part of the rest.
  bool IsDue(int rank, size_t place) const;
  // Gives it that one. Returns its number.
  size_t PickUp(int rank, size_t place);
  // False if it is not the one that it makes.
  bool PutDown(int rank, size_t number);

 private:
  struct Hand {
    std::deque<size_t> held;
    size_t latest = SIZE_MAX;
  };
  const Hand& OfRank(int rank) const { return hands_[static_cast<size_t>(rank)]; }
  double CostOf(size_t number) const;

  const std::vector<DealtUnit>& units_;
  std::vector<size_t> left_;
  double left_cost_ = 0;
  std::vector<Hand> hands_;
};

}  // namespace gordian
