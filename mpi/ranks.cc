// SPDX-License-Identifier: Apache-2.0
#include "mpi/ranks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

using std::chrono::steady_clock;

constexpr uint32_t kMagic = 0x6b6e6172;  // "rank"
// Between two looks for messages where there is nothing to do: MPI wakes nobody, and a look takes
// some ten microseconds from those who work. So a message comes late by a part of the silence
// before it.
constexpr int kPausesOfSilence = 16;
// Shorter ones would leave idle ranks no time to sleep, longer ones make a rank wait for what it
// fetches.
constexpr std::chrono::microseconds kLeastPause{50};
constexpr std::chrono::microseconds kMostPause{5'000};
// What leaves at the end, at most: the other side may be gone.
constexpr std::chrono::seconds kLastWords{5};

struct MessageHeader {
  uint32_t magic = kMagic;
  uint32_t kind = 0;
  uint64_t bytes = 0;
  uint64_t hash = 0;
};
static_assert(sizeof(MessageHeader) == 24);

uint64_t HashOf(std::string_view bytes) {
  return ContentHash(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

bool IsKind(uint32_t kind) { return kind <= static_cast<uint32_t>(RankMessageKind::kLeave); }

absl::Status Damaged(int rank) {
  return absl::DataLossError(absl::StrCat("rank ", rank, " sent a message that does not check"));
}

}  // namespace

Ranks::Ranks(std::unique_ptr<Wire> wire, const RanksOptions& options)
    : wire_(std::move(wire)),
      options_(options),
      rank_(wire_->rank()),
      size_(wire_->size()),
      is_watched_(static_cast<size_t>(size_), rank_ == 0 ? 1 : 0),
      partial_(static_cast<size_t>(size_)),
      heard_(static_cast<size_t>(size_), steady_clock::now()) {
  is_watched_[0] = 1;
  is_watched_[static_cast<size_t>(rank_)] = 0;
  carrier_ = std::thread([this] { Carry(); });
}

Ranks::~Ranks() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  carrier_.join();
}

absl::Status Ranks::Send(int to, RankMessageKind kind, std::string bytes) {
  if (bytes.size() > kMostMessageBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", bytes.size(), " bytes between ranks is too long"));
  std::unique_lock lock(mutex_);
  if (!failure_.ok()) return failure_;
  ++sent_.messages;
  sent_.bytes += bytes.size();
  if (to == rank_) {
    lock.unlock();
    Deliver({.from = rank_, .kind = kind, .bytes = std::move(bytes)});
    return absl::OkStatus();
  }
  outbox_.push_back({to, kind, std::move(bytes)});
  lock.unlock();
  to_send_.notify_one();
  return absl::OkStatus();
}

absl::StatusOr<RankMessage> Ranks::Receive() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !inbox_.empty() || !failure_.ok(); });
  if (inbox_.empty()) return failure_;
  RankMessage message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

void Ranks::AnswerFetches(std::function<std::string(const std::string& fetch)> answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

absl::StatusOr<std::string> Ranks::Fetch(int from, std::string fetch) {
  const std::lock_guard one_at_a_time(fetching_);
  if (absl::Status status = Send(from, RankMessageKind::kFetch, std::move(fetch)); !status.ok())
    return status;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !parts_.empty() || !failure_.ok(); });
  if (parts_.empty()) return failure_;
  std::string part = std::move(parts_.front().bytes);
  parts_.pop_front();
  return part;
}

void Ranks::Forget(int rank) {
  const std::lock_guard lock(mutex_);
  is_watched_[static_cast<size_t>(rank)] = 0;
}

Ranks::Traffic Ranks::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

void Ranks::Carry() {
  steady_clock::time_point give_up = steady_clock::time_point::max();
  steady_clock::time_point busy_at = steady_clock::now();
  while (true) {
    const bool was_busy = CarrySome();
    const auto now = steady_clock::now();
    if (was_busy) busy_at = now;
    {
      const std::lock_guard lock(mutex_);
      if (ends_) {
        give_up = std::min(give_up, now + kLastWords);
        const auto all_sent = wire_->HasSentAll();
        const bool is_done = outbox_.empty() && (!all_sent.ok() || *all_sent);
        if (is_done || !failure_.ok() || now >= give_up) return;
      }
    }
    if (was_busy) continue;
    const steady_clock::duration pause = std::clamp<steady_clock::duration>(
        (now - busy_at) / kPausesOfSilence, kLeastPause, kMostPause);
    std::unique_lock lock(mutex_);
    to_send_.wait_for(lock, pause, [this] { return !outbox_.empty(); });
  }
}

// Whether there was anything to do.
bool Ranks::CarrySome() {
  bool was_busy = false;
  std::optional<Outgoing> next;
  {
    const std::lock_guard lock(mutex_);
    if (!outbox_.empty()) {
      next = std::move(outbox_.front());
      outbox_.pop_front();
    }
  }
  if (next) {
    was_busy = true;
    if (absl::Status status = SendOut(next->to, next->kind, next->bytes); !status.ok())
      Fail(status);
  }
  auto slab = wire_->Receive();
  if (!slab.ok()) {
    Fail(slab.status());
  } else if (*slab) {
    was_busy = true;
    if (absl::Status status = Take(*std::move(*slab)); !status.ok()) Fail(status);
  }
  Watch(steady_clock::now());
  return was_busy;
}

absl::Status Ranks::SendOut(int to, RankMessageKind kind, std::string_view bytes) {
  const MessageHeader header{
      .kind = static_cast<uint32_t>(kind), .bytes = bytes.size(), .hash = HashOf(bytes)};
  std::string slab(sizeof(header), '\0');
  std::memcpy(slab.data(), &header, sizeof(header));
  do {
    const std::string_view piece = bytes.substr(0, kMostSlabBytes - slab.size());
    slab.append(piece);
    bytes.remove_prefix(piece.size());
    if (absl::Status status = wire_->Send(to, std::exchange(slab, {})); !status.ok()) return status;
  } while (!bytes.empty());
  return absl::OkStatus();
}

absl::Status Ranks::Take(const Slab& slab) {
  if (slab.from < 0 || slab.from >= size_) return absl::DataLossError("a message of no rank came");
  heard_[static_cast<size_t>(slab.from)] = steady_clock::now();
  Partial& partial = partial_[static_cast<size_t>(slab.from)];
  std::string_view bytes = slab.bytes;
  if (!partial.has_begun) {
    MessageHeader header;
    if (bytes.size() < sizeof(header)) return Damaged(slab.from);
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.magic != kMagic || !IsKind(header.kind) || header.bytes > kMostMessageBytes)
      return Damaged(slab.from);
    partial = {.message = {.from = slab.from, .kind = static_cast<RankMessageKind>(header.kind)},
               .bytes = header.bytes,
               .hash = header.hash,
               .has_begun = true};
    bytes.remove_prefix(sizeof(header));
  }
  std::string& whole = partial.message.bytes;
  if (bytes.size() > partial.bytes - whole.size()) return Damaged(slab.from);
  whole.append(bytes);
  if (whole.size() < partial.bytes) return absl::OkStatus();
  if (HashOf(whole) != partial.hash) return Damaged(slab.from);
  Deliver(std::exchange(partial, {}).message);
  return absl::OkStatus();
}

void Ranks::Deliver(RankMessage message) {
  if (message.kind == RankMessageKind::kAlive) return;
  std::unique_lock lock(mutex_);
  if (message.kind == RankMessageKind::kFetch) {
    const auto answer = answer_;
    lock.unlock();
    std::string part = answer ? answer(message.bytes) : std::string();
    lock.lock();
    ++sent_.messages;
    sent_.bytes += part.size();
    outbox_.push_back({message.from, RankMessageKind::kPart, std::move(part)});
    return;
  }
  (message.kind == RankMessageKind::kPart ? parts_ : inbox_).push_back(std::move(message));
  changed_.notify_all();
}

// Rank 0 and each other one watch each other.
void Ranks::Watch(steady_clock::time_point now) {
  const bool tells = now - told_alive_ >= options_.alive_every;
  if (tells) told_alive_ = now;
  for (int other = 0; other < size_; ++other) {
    {
      const std::lock_guard lock(mutex_);
      if (is_watched_[static_cast<size_t>(other)] == 0) continue;
    }
    if (tells) {
      if (absl::Status status = SendOut(other, RankMessageKind::kAlive, ""); !status.ok())
        Fail(status);
    }
    const auto silent = now - heard_[static_cast<size_t>(other)];
    if (silent <= options_.silence_limit) continue;
    Fail(absl::DeadlineExceededError(absl::StrCat(
        "rank ", other, " has been silent for ",
        std::chrono::duration_cast<std::chrono::seconds>(silent).count(),
        " s: it died, or its machine hangs; start again, and what is done is not done again")));
  }
}

void Ranks::Fail(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  failure_.Update(status);
  changed_.notify_all();
}

}  // namespace gordian
