// SPDX-License-Identifier: Apache-2.0
#include "live/rules/fired_rules.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "live/rules/command_run.h"

namespace gordian {
namespace {

std::string Joined(const std::string& failures, const absl::Status& failure) {
  return absl::StrCat(failures, failures.empty() ? "" : "; ", failure.message());
}

}  // namespace

FiredRules::FiredRules(std::optional<KeptRecordings> kept, bool is_silent)
    : kept_(std::move(kept)),
      is_silent_(is_silent),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { Run(); }) {}

FiredRules::~FiredRules() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  const uint64_t one = 1;
  // A counter of 0 takes it. Without the descriptor the command runs to its own limit.
  [[maybe_unused]] const ssize_t written = write(stop_.number(), &one, sizeof(one));
  thread_.join();
}

bool FiredRules::Add(RuleFiring firing) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaitingActions) return false;
    waiting_.push_back(std::move(firing));
  }
  changed_.notify_all();
  return true;
}

std::vector<RuleOutcome> FiredRules::TakeOutcomes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcomes_, {});
}

bool FiredRules::is_busy() {
  const std::lock_guard lock(mutex_);
  return is_busy_ || !waiting_.empty();
}

void FiredRules::Finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !is_busy_; });
}

void FiredRules::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    const RuleFiring firing = std::move(waiting_.front());
    waiting_.pop_front();
    is_busy_ = true;
    lock.unlock();
    RuleOutcome outcome = DoAll(firing);
    lock.lock();
    outcomes_.push_back(std::move(outcome));
    is_busy_ = false;
    changed_.notify_all();
  }
}

// The command runs although the recording could not be kept: somebody must be told.
RuleOutcome FiredRules::DoAll(const RuleFiring& firing) {
  const Rule& rule = firing.rule;
  RuleOutcome outcome{.rule = rule.name};
  if (rule.keep_ns > 0 && kept_) {
    const auto kept = kept_->Keep({.rule = rule.name,
                                   .at = firing.at,
                                   .to_s = firing.to_s,
                                   .length_ns = rule.keep_ns,
                                   .cut = firing.cut,
                                   .frame_json = firing.frame_json});
    if (kept.ok()) outcome.kept = *kept;
    if (!kept.ok()) outcome.failure = Joined(outcome.failure, kept.status());
  }
  if (rule.command.empty()) return outcome;
  const absl::Status ran =
      RunToItsEnd({.words = rule.command,
                   .environment = {absl::StrCat("GORDIAN_RULE=", rule.name),
                                   absl::StrCat("GORDIAN_KEPT=", outcome.kept),
                                   absl::StrCat("GORDIAN_VERDICT=", firing.verdict)},
                   .input = firing.frame_json + "\n",
                   .limit = std::chrono::nanoseconds(rule.limit_ns),
                   .is_silent = is_silent_},
                  stop_.number());
  if (!ran.ok()) outcome.failure = Joined(outcome.failure, ran);
  return outcome;
}

}  // namespace gordian
