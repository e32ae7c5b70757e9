// SPDX-License-Identifier: Apache-2.0
// Tokens through the steps of recorded requests.
#include <algorithm>
#include <cmath>
#include <limits>

#include "whatif/requests/token_stage.h"

namespace gordian {

TokenStage::TokenStage(const TokenModel& model, uint64_t answers, uint64_t seed)
    : model_(model),
      random_(seed),
      to_skip_(std::max(WarmUp(answers), 2 * uint64_t{model.population})),
      to_count_(answers) {
  for (const TokenSeats& seats : model.seats) seats_.push_back({.free = seats.count});
  for (const TokenDisk& disk : model.disks)
    disks_.push_back({.free = disk.is_grouped ? 1 : disk.slots});
  served_.resize(model.seats.size());
  for (const TokenNode& node : model.nodes) nodes_.emplace_back(node.cpus, kTokenTurnNs);
}

TokenRates TokenStage::Play() {
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

uint64_t TokenStage::WarmUp(uint64_t answers) {
  return static_cast<uint64_t>(static_cast<double>(answers) * kTokenWarmUp);
}

uint32_t TokenStage::NewToken(const RequestUnderWay& request) {
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

void TokenStage::AskAgain() {
  const size_t request = random_() % model_.requests();
  GoOnAt(now_ns_, NewToken({.next = model_.first[request], .end = model_.first[request + 1]}));
}

void TokenStage::WorkBehind(const TokenStep& give) {
  const auto at = static_cast<size_t>(&give - model_.steps.data());
  const uint32_t token = NewToken({.next = at, .end = at + 1, .only_gives = true});
  Run(model_.seats[give.place].node, give.ns, token);
}

bool TokenStage::Advance() {
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
  if (const auto token = nodes_[node].End(now_ns_)) GoOn(*token);
  return true;
}

void TokenStage::PassTo(double at_ns) {
  if (answers_ >= to_skip_) open_ns_ += (at_ns - now_ns_) * static_cast<double>(open_);
  now_ns_ = at_ns;
}

void TokenStage::Run(uint32_t node, double run_ns, uint32_t token) {
  nodes_[node].Begin(now_ns_, token, run_ns);
}

void TokenStage::GoOn(uint32_t token) {
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

bool TokenStage::Ride(const TokenStep& step, RequestUnderWay& it) {
  const bool is_last = step.deed == TokenDeed::kGive && step.place == it.rides;
  const bool is_work = step.deed == TokenDeed::kRun || step.deed == TokenDeed::kDisk ||
                       step.deed == TokenDeed::kPause;
  if (is_last) it.rides = kNoTokenPlace;
  it.next += is_last || is_work ? 1 : 0;
  return is_last || is_work;
}

void TokenStage::Answer(double asked_ns) {
  --open_;
  ++answers_;
  if (answers_ == to_skip_) from_ns_ = now_ns_;
  if (answers_ > to_skip_) response_ns_ += now_ns_ - asked_ns;
  AskAgain();
}

double TokenRates::LittleMiss() const {
  if (open <= 0) return 0;
  return std::abs(rate * response_ns / 1e9 / open - 1);
}

TokenRates PlayTokens(const TokenModel& model, uint64_t answers, uint64_t seed) {
  if (model.requests() == 0 || model.population == 0) return {.is_stuck = true};
  return TokenStage(model, std::max<uint64_t>(answers, 10), seed).Play();
}

}  // namespace gordian
