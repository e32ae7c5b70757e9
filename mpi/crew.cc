// SPDX-License-Identifier: Apache-2.0
#include "mpi/crew.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "mpi/hands.h"
#include "mpi/own_units.h"

namespace gordian {
namespace {

constexpr size_t kNone = SIZE_MAX;

absl::Status Unexpected(int rank) {
  return absl::DataLossError(absl::StrCat("rank ", rank, " sent a message that nobody asked for"));
}

bool CanMake(const DealtUnit& unit, int rank) {
  return unit.ranks.empty() ||
         std::find(unit.ranks.begin(), unit.ranks.end(), rank) != unit.ranks.end();
}

}  // namespace

Crew::Crew(Ranks& ranks, UnitMaker& own, CrewOptions options)
    : ranks_(ranks), own_(own), options_(std::move(options)), chance_(options_.seed) {}

absl::Status Crew::Gather(pb::RankHello own) {
  hellos_.resize(static_cast<size_t>(ranks_.size()));
  std::vector<uint8_t> is_here(hellos_.size());
  hellos_[0] = std::move(own);
  for (int missing = ranks_.size() - 1; missing > 0; --missing) {
    auto message = ranks_.Receive();
    if (!message.ok()) return message.status();
    const auto from = static_cast<size_t>(message->from);
    if (message->kind != RankMessageKind::kHello || from == 0 || is_here[from] != 0 ||
        !hellos_[from].ParseFromString(message->bytes))
      return Unexpected(message->from);
    is_here[from] = 1;
  }
  for (size_t rank = 1; rank < hellos_.size(); ++rank) {
    if (hellos_[rank].program() != hellos_[0].program())
      return absl::InvalidArgumentError(absl::StrCat(
          "rank ", rank, " on ", hellos_[rank].host(), " is ", hellos_[rank].program(),
          ", and rank 0 is ", hellos_[0].program(), "; install the same version everywhere"));
    if (hellos_[rank].build() != hellos_[0].build())
      return absl::InvalidArgumentError(
          absl::StrCat("rank ", rank, " on ", hellos_[rank].host(), " is another build of ",
                       hellos_[0].program(), " than rank 0; install the same one everywhere"));
  }
  return absl::OkStatus();
}

size_t NextInARow(std::span<const size_t> left, size_t latest) {
  size_t longest = 0;
  size_t longest_begin = 0;
  for (size_t begin = 0; begin < left.size();) {
    if (latest != kNone && left[begin] == latest + 1) return begin;
    size_t end = begin + 1;
    while (end < left.size() && left[end] == left[end - 1] + 1) ++end;
    if (end - begin > longest) {
      longest = end - begin;
      longest_begin = begin;
    }
    begin = end;
  }
  // Nobody comes to the very first one.
  return left[longest_begin] == 0 ? longest_begin : longest_begin + longest / 2;
}

// The place in what is left of the next unit for that rank.
size_t Crew::Choose(const std::vector<DealtUnit>& units, const Hands& hands, int rank) {
  const std::vector<size_t>& left = hands.left();
  std::vector<size_t> places;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!CanMake(units[left[i]], rank)) continue;
    places.push_back(i);
    if (options_.seed == 0 && !units[left[i]].in_a_row) break;
  }
  if (places.empty()) return kNone;
  size_t place = places.front();
  if (options_.seed != 0) {
    place = places[chance_() % places.size()];
  } else if (units[left.front()].in_a_row) {
    place = NextInARow(left, hands.Latest(rank));
  }
  return hands.IsDue(rank, place) ? place : kNone;
}

void Crew::Tell(const std::string& line) const {
  if (options_.tell) options_.tell(line);
}

void Crew::TellBegin(const std::vector<DealtUnit>& units, size_t number, int rank) const {
  Tell(absl::StrCat("rank ", rank, " begins ", units[number].unit.name()));
}

absl::StatusOr<std::vector<MadeUnit>> Crew::Make(const std::vector<DealtUnit>& units) {
  Hands hands(units, ranks_.size());
  std::map<std::string, size_t> by_name;
  for (size_t i = 0; i < units.size(); ++i) by_name[units[i].unit.name()] = i;
  std::vector<int> order(static_cast<size_t>(ranks_.size()));
  std::iota(order.begin(), order.end(), 0);
  if (options_.seed != 0) std::shuffle(order.begin(), order.end(), chance_);

  std::vector<MadeUnit> all(units.size());
  OwnUnits own_units(ranks_, own_);
  while (!by_name.empty()) {
    for (size_t held = 0; held < kMostUnitsHeld; ++held) {
      for (const int rank : order) {
        const size_t place = hands.Held(rank) == held ? Choose(units, hands, rank) : kNone;
        if (place != kNone) Deal(units, place, rank, hands, own_units);
      }
    }
    auto message = ranks_.Receive();
    if (!message.ok()) return message.status();
    MadeUnit done{.rank = message->from};
    if (message->kind != RankMessageKind::kMade || !done.made.ParseFromString(message->bytes))
      return Unexpected(message->from);
    const auto place = by_name.find(done.made.name());
    if (place == by_name.end() || !hands.PutDown(done.rank, place->second))
      return Unexpected(message->from);
    const char* const how = done.made.code() != 0 ? "could not make "
                            : done.made.is_made() ? "made "
                                                  : "found ";
    Tell(absl::StrCat("rank ", done.rank, " ", how, done.made.name()));
    if (hands.Held(done.rank) > 0) TellBegin(units, hands.First(done.rank), done.rank);
    if (done.made.code() == 0) ++(done.made.is_made() ? made_ : found_);
    // The rank that is free comes first.
    std::erase(order, done.rank);
    order.insert(order.begin(), done.rank);
    all[place->second] = std::move(done);
    by_name.erase(place);
  }
  // What this rank's units took: other work follows (UnitMaker::Make).
  ::malloc_trim(0);
  return all;
}

void Crew::Deal(const std::vector<DealtUnit>& units, size_t place, int rank, Hands& hands,
                OwnUnits& own_units) {
  const size_t number = hands.PickUp(rank, place);
  if (hands.Held(rank) == 1) TellBegin(units, number, rank);
  if (rank == 0) {
    own_units.Add(units[number].unit);
  } else {
    // A failure is kept, and told by Receive.
    (void)ranks_.Send(rank, RankMessageKind::kMake, units[number].unit.SerializeAsString());
  }
}

void EndOthers(Ranks& ranks) {
  int left = 0;
  for (int rank = 1; rank < ranks.size(); ++rank)
    if (ranks.Send(rank, RankMessageKind::kEnd, "").ok()) ++left;
  while (left > 0) {
    const auto message = ranks.Receive();
    if (!message.ok()) return;
    if (message->kind != RankMessageKind::kLeave) continue;
    ranks.Forget(message->from);
    --left;
  }
}

absl::Status WorkForRankZero(Ranks& ranks, UnitMaker* own, const pb::RankHello& hello) {
  if (absl::Status status = ranks.Send(0, RankMessageKind::kHello, hello.SerializeAsString());
      !status.ok())
    return status;
  while (true) {
    const auto message = ranks.Receive();
    if (!message.ok()) return message.status();
    if (message->kind == RankMessageKind::kEnd) break;
    pb::RankUnit unit;
    if (own == nullptr || message->kind != RankMessageKind::kMake ||
        !unit.ParseFromString(message->bytes))
      return Unexpected(message->from);
    if (absl::Status status =
            ranks.Send(0, RankMessageKind::kMade, own->Make(unit).SerializeAsString());
        !status.ok())
      return status;
  }
  ranks.Forget(0);
  return ranks.Send(0, RankMessageKind::kLeave, "");
}

}  // namespace gordian
