// SPDX-License-Identifier: Apache-2.0
// Tokens through the steps of recorded requests.
#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

#include "whatif/requests/cpu_share.h"
#include "whatif/requests/requests.h"

namespace gordian {
namespace {

constexpr uint32_t kNoTokenPlace = ~0U;

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
  TokenStage(const TokenModel& model, uint64_t answers, uint64_t seed)
      : model_(model),
        random_(seed),
        to_skip_(std::max(WarmUp(answers), 2 * uint64_t{model.population})),
        to_count_(answers) {
    for (const TokenSeats& seats : model.seats) seats_.push_back({.free = seats.count});
    for (const TokenDisk& disk : model.disks)
      disks_.push_back({.free = disk.is_grouped ? 1 : disk.slots});
    served_.resize(model.seats.size());
    for (const TokenNode& node : model.nodes) nodes_.emplace_back(node.cpus);
  }

  TokenRates Play() {
    for (uint32_t i = 0; i < model_.population; ++i) AskAgain();
    while (answers_ < to_skip_ + to_count_ && Advance()) {
    }
    TokenRates rates;
    rates.is_stuck = answers_ < to_skip_ + to_count_;
    const double span_ns = now_ns_ - from_ns_;
    if (rates.is_stuck || span_ns <= 0) return rates;
    const auto counted = static_cast<double>(to_count_);
    rates.rate = counted * 1e9 / span_ns;
    rates.response_ns = response_ns_ / counted;
    rates.open = open_ns_ / span_ns;
    for (size_t node = 0; node < nodes_.size(); ++node)
      rates.cpus_busy = std::max(rates.cpus_busy, nodes_[node].busy_ns() / now_ns_ /
                                                      std::max(1e-9, model_.nodes[node].cpus));
    return rates;
  }

 private:
  static uint64_t WarmUp(uint64_t answers) {
    return static_cast<uint64_t>(static_cast<double>(answers) * kTokenWarmUp);
  }

  uint32_t NewToken(const RequestUnderWay& request) {
    if (unused_.empty()) {
      tokens_.push_back(request);
      is_woken_.push_back(Waking::kNot);
      on_disk_.push_back(0);
      return static_cast<uint32_t>(tokens_.size() - 1);
    }
    const uint32_t token = unused_.back();
    unused_.pop_back();
    tokens_[token] = request;
    return token;
  }

  void AskAgain() {
    const size_t request = random_() % model_.requests();
    GoOnAt(now_ns_, NewToken({.next = model_.first[request], .end = model_.first[request + 1]}));
  }

  void WorkBehind(const TokenStep& give) {
    const auto at = static_cast<size_t>(&give - model_.steps.data());
    const uint32_t token = NewToken({.next = at, .end = at + 1, .only_gives = true});
    Run(model_.seats[give.place].node, give.ns, token);
  }

  void GoOnAt(double at_ns, uint32_t token) { later_.emplace(at_ns, next_order_++, token); }

  // The next event; false if there is none.
  bool Advance() {
    size_t node = 0;
    double ends_ns = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const double next_ns = nodes_[i].NextEnd();
      if (next_ns < ends_ns) {
        ends_ns = next_ns;
        node = i;
      }
    }
    if (!later_.empty() && std::get<0>(later_.top()) <= ends_ns) {
      const auto [at_ns, order, token] = later_.top();
      later_.pop();
      PassTo(at_ns);
      GoOn(token);
      return true;
    }
    if (std::isinf(ends_ns)) return false;
    PassTo(ends_ns);
    GoOn(nodes_[node].End(now_ns_));
    return true;
  }

  void PassTo(double at_ns) {
    if (answers_ >= to_skip_) open_ns_ += (at_ns - now_ns_) * static_cast<double>(open_);
    now_ns_ = at_ns;
  }

  void Run(uint32_t node, double run_ns, uint32_t token) {
    nodes_[node].Begin(now_ns_, token, run_ns);
  }

  // Until it has to wait for something, be it time.
  void GoOn(uint32_t token) {
    while (true) {
      RequestUnderWay& it = tokens_[token];
      if (it.next == it.end) {
        unused_.push_back(token);
        return;
      }
      const TokenStep& step = model_.steps[it.next];
      if (it.rides != kNoTokenPlace && Ride(step, it)) continue;
      switch (step.deed) {
        case TokenDeed::kTake:
          if (Take(step, token)) return;
          break;
        case TokenDeed::kGive:
          ++it.next;
          if (step.ns > 0 && !it.only_gives) {
            WorkBehind(step);
          } else {
            Give(step.place);
          }
          break;
        case TokenDeed::kRun:
          ++it.next;
          if (step.ns <= 0) break;
          if (!step.goes_on) return Run(step.place, step.ns, token);
          Run(step.place, step.ns, NewToken({}));
          break;
        case TokenDeed::kDisk:
          if (!step.goes_on || it.is_behind) return UseDisk(step, token);
          if (LeaveBehind(step, token)) return;
          ++it.next;
          break;
        case TokenDeed::kPause:
          ++it.next;
          if (step.ns <= 0) break;
          return GoOnAt(now_ns_ + step.ns, token);
        case TokenDeed::kAsk:
          ++it.next;
          it.asked_ns = now_ns_;
          ++open_;
          break;
        case TokenDeed::kAnswer:
          ++it.next;
          Answer(it.asked_ns);
          break;
      }
    }
  }

  // Whether that step takes nothing.
  static bool Ride(const TokenStep& step, RequestUnderWay& it) {
    const bool is_last = step.deed == TokenDeed::kGive && step.place == it.rides;
    const bool is_work = step.deed == TokenDeed::kRun || step.deed == TokenDeed::kDisk ||
                         step.deed == TokenDeed::kPause;
    if (is_last) it.rides = kNoTokenPlace;
    it.next += is_last || is_work ? 1 : 0;
    return is_last || is_work;
  }

  // Whether the token has to wait. It comes here again with its seat: once its thread is awake, and
  // once that has run for being woken.
  bool Take(const TokenStep& step, uint32_t token) {
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

  void Give(uint32_t place) {
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

  // The operation goes on by itself; if too many do, the token has to wait for one of these.
  // Whether it has to: then it comes here again.
  bool LeaveBehind(const TokenStep& step, uint32_t token) {
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

  // It comes here again when the operation ends.
  void UseDisk(const TokenStep& step, uint32_t token) {
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

  void EndBehind(TokenLine& line) {
    --line.behind;
    if (line.held_up.empty()) return;
    GoOnAt(now_ns_, line.held_up.front());
    line.held_up.pop_front();
  }

  void LeaveDisk(uint32_t place) {
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

  void BeginOnDisk(TokenLine& line, uint32_t token, double time_ns) {
    ++line.sharing;
    on_disk_[token] = 1;
    GoOnAt(now_ns_ + time_ns, token);
  }

  void Answer(double asked_ns) {
    --open_;
    ++answers_;
    if (answers_ == to_skip_) from_ns_ = now_ns_;
    if (answers_ > to_skip_) response_ns_ += now_ns_ - asked_ns;
    AskAgain();
  }

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
  std::vector<CpuShare> nodes_;
  std::priority_queue<LaterEvent, std::vector<LaterEvent>, std::greater<>> later_;
  uint64_t next_order_ = 0;
  double now_ns_ = 0;
  double from_ns_ = 0;
  double response_ns_ = 0;
  double open_ns_ = 0;
  uint64_t open_ = 0;
  uint64_t answers_ = 0;
};

}  // namespace

double TokenRates::LittleMiss() const {
  if (open <= 0) return 0;
  return std::abs(rate * response_ns / 1e9 / open - 1);
}

TokenRates PlayTokens(const TokenModel& model, uint64_t answers, uint64_t seed) {
  if (model.requests() == 0 || model.population == 0) return {.is_stuck = true};
  return TokenStage(model, std::max<uint64_t>(answers, 10), seed).Play();
}

}  // namespace gordian
