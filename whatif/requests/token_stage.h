// SPDX-License-Identifier: Apache-2.0
// One simulation: tokens through the steps of recorded requests. Inner to the library.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

#include "whatif/requests/cpu_share.h"
#include "whatif/requests/requests.h"

namespace gordian {

// One request on its way.
struct RequestUnderWay {
  size_t next = 0;  // step
  size_t end = 0;
  double asked_ns = 0;
  bool only_gives = false;  // work of a seat behind its token
  // Somebody else does for it what it would do until it gives that seat back.
  uint32_t rides = kNoTokenPlace;
  bool is_behind = false;  // an operation of a disk that its token did not wait for
};

// Scarce places that tokens stand in line for.
struct TokenLine {
  uint64_t free = 0;
  std::deque<uint32_t> waiting;
  uint64_t sharing = 0;          // of a disk: tokens whose operations are under way
  uint64_t behind = 0;           // … of which their requests do not wait
  std::deque<uint32_t> held_up;  // until fewer are behind
};

class TokenStage {
 public:
  TokenStage(const TokenModel& model, uint64_t answers, uint64_t seed);

  TokenRates Play();

 private:
  static uint64_t WarmUp(uint64_t answers);
  uint32_t NewToken(const RequestUnderWay& request);
  void AskAgain();
  void WorkBehind(const TokenStep& give);
  void GoOnAt(double at_ns, uint32_t token) { later_.emplace(at_ns, next_order_++, token); }
  // The next event; false if there is none.
  bool Advance();
  void PassTo(double at_ns);
  void Run(uint32_t node, double run_ns, uint32_t token);
  // Until it has to wait for something, be it time.
  void GoOn(uint32_t token);
  // Whether that step takes nothing.
  static bool Ride(const TokenStep& step, RequestUnderWay& it);
  // Whether the token has to wait. It comes here again with its seat: once its thread is awake, and
  // once that has run for being woken.
  bool Take(const TokenStep& step, uint32_t token);
  void Give(uint32_t place);
  // The operation goes on by itself; if too many do, the token has to wait for one of these.
  // Whether it has to: then it comes here again.
  bool LeaveBehind(const TokenStep& step, uint32_t token);
  // It comes here again when the operation ends.
  void UseDisk(const TokenStep& step, uint32_t token);
  void EndBehind(TokenLine& line);
  void LeaveDisk(uint32_t place);
  void BeginOnDisk(TokenLine& line, uint32_t token, double time_ns);
  void Answer(double asked_ns);

  enum class Waking : uint8_t { kNot, kWoken, kRuns };
  // When, the order of asking, which token.
  using LaterEvent = std::tuple<double, uint64_t, uint32_t>;

  const TokenModel& model_;
  std::mt19937_64 random_;
  const uint64_t to_skip_;
  const uint64_t to_count_;
  std::deque<RequestUnderWay> tokens_;  // references stay while more come
  std::vector<uint32_t> unused_;
  std::vector<Waking> is_woken_;  // by token
  std::vector<uint8_t> on_disk_;  // by token
  std::vector<TokenLine> seats_;
  std::vector<std::vector<uint32_t>> served_;  // by seats: tokens that their holder works for
  std::vector<TokenLine> disks_;
  std::vector<CpuTurns> nodes_;
  std::priority_queue<LaterEvent, std::vector<LaterEvent>, std::greater<>> later_;
  uint64_t next_order_ = 0;
  double now_ns_ = 0;
  double from_ns_ = 0;
  double response_ns_ = 0;
  double open_ns_ = 0;
  uint64_t open_ = 0;
  uint64_t answers_ = 0;
};

}  // namespace gordian
