// SPDX-License-Identifier: Apache-2.0
// Messages between ranks, the processes that mpirun or srun started for one question.
//
//   Ranks ranks(std::move(wire), {.silence_limit = …});
//   status = ranks.Send(0, RankMessageKind::kHello, hello.SerializeAsString());
//   auto message = ranks.Receive();  // waits
//
// A message is checked before anybody sees it: its sizes before memory is taken for it, its hash
// behind that. It travels in slabs, so that long ones do not hold up short ones of other ranks.
//
// Time-outs. Each rank but 0 tells 0 once a second that it is alive, and 0 tells them. Whoever
// hears nothing for longer than the limit gives up: Send and Receive fail from then on, and say who
// was silent. So a rank that died, or a machine that hangs, never makes the others wait for ever.
// A thread of its own carries all messages, so that long work does not look like silence.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mpi/wire.h"

namespace gordian {

enum class RankMessageKind : uint32_t {
  kAlive,
  kHello,  // pb::RankHello, to rank 0
  kMake,   // pb::RankUnit, from rank 0
  kMade,   // pb::RankMade, to rank 0
  kFetch,  // pb::RankFetch
  kPart,   // pb::RankPart
  kEnd,    // from rank 0: there is no more to do
  kLeave,  // to rank 0: its end was heard
};

struct RankMessage {
  int from = 0;
  RankMessageKind kind = RankMessageKind::kAlive;
  std::string bytes;
};

// A part of a section is 8 MiB; the sessions of 4,096 nodes are told in 1 MiB.
inline constexpr uint64_t kMostMessageBytes = 64 << 20;

struct RanksOptions {
  std::chrono::milliseconds silence_limit{60'000};
  std::chrono::milliseconds alive_every{1'000};
};

class Ranks {
 public:
  Ranks(std::unique_ptr<Wire> wire, const RanksOptions& options);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Returns at once. Thread-safe. A rank may send to itself. InvalidArgument for a message that is
  // too long.
  absl::Status Send(int to, RankMessageKind kind, std::string bytes);
  // Waits for the next message, but for those that `answer` takes. DeadlineExceeded if a rank is
  // silent for too long, DataLoss if a message does not check.
  absl::StatusOr<RankMessage> Receive();
  // Called for each kFetch by the thread that carries messages; the result goes back as kPart.
  // Set it before any rank can ask.
  void AnswerFetches(std::function<std::string(const std::string& fetch)> answer);
  // Waits for the answer to it.
  absl::StatusOr<std::string> Fetch(int from, std::string fetch);
  // Nothing is expected of that rank any more.
  void Forget(int rank);

  struct Traffic {
    uint64_t messages = 0;  // without those that only tell that a rank is alive
    uint64_t bytes = 0;
  };
  Traffic sent() const;

 private:
  struct Partial {
    RankMessage message;
    uint64_t bytes = 0;  // of the whole
    uint64_t hash = 0;
    bool has_begun = false;
  };
  void Carry();
  bool CarrySome();
  absl::Status SendOut(int to, RankMessageKind kind, std::string_view bytes);
  absl::Status Take(const Slab& slab);
  void Deliver(RankMessage message);
  void Watch(std::chrono::steady_clock::time_point now);
  void Fail(const absl::Status& status);

  const std::unique_ptr<Wire> wire_;  // of the carrying thread
  const RanksOptions options_;
  const int rank_;
  const int size_;

  struct Outgoing {
    int to = 0;
    RankMessageKind kind = RankMessageKind::kAlive;
    std::string bytes;
  };
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable to_send_;  // the outbox has something
  std::deque<Outgoing> outbox_;
  std::deque<RankMessage> inbox_;
  std::deque<RankMessage> parts_;
  std::vector<uint8_t> is_watched_;
  std::function<std::string(const std::string&)> answer_;
  absl::Status failure_;
  Traffic sent_;
  bool ends_ = false;

  std::mutex fetching_;  // one fetch at a time
  std::vector<Partial> partial_;
  std::vector<std::chrono::steady_clock::time_point> heard_;
  std::chrono::steady_clock::time_point told_alive_;
  std::thread carrier_;
};

}  // namespace gordian
