// SPDX-License-Identifier: Apache-2.0
#include "live/live_node.h"

#include <algorithm>
#include <utility>

#include "base/time_units.h"

namespace gordian {
namespace {

// Frames end with whole seconds.
constexpr uint64_t kStreamWindowNs = kNsPerSecond;
// Of one that reads what the folder still holds; there are about ten turns in a second.
constexpr int kWindowsInATurn = 2;

uint64_t RememberedBy(const TimelineStream& stream) {
  return stream.entities().size() + stream.flows().size() + stream.wait_objects().size();
}

// By the clock, as each stream leaves out pauses from its own beginning on only.
uint64_t ClockUntil(const RecentTimeline& recent) {
  return recent.stream().pauses().ClockTime(recent.until_ns());
}
uint64_t ClockFrom(const RecentTimeline& recent) {
  return recent.stream().pauses().ClockTime(recent.from_ns());
}

uint64_t More(uint64_t before, uint64_t now) { return before - std::min(before, now); }

}  // namespace

LiveNode::LiveNode(std::string name, std::string directory, const LiveNodeOptions& options)
    : name_(std::move(name)),
      directory_(std::move(directory)),
      options_(options),
      most_remembered_(options.most_remembered) {}

absl::StatusOr<LiveNode> LiveNode::Open(std::string name, std::string directory,
                                        const LiveNodeOptions& options) {
  LiveNode node(std::move(name), std::move(directory), options);
  auto recent = node.Read();
  if (!recent.ok()) return recent.status();
  node.recent_ = *std::move(recent);
  return node;
}

absl::StatusOr<std::unique_ptr<RecentTimeline>> LiveNode::Read() const {
  auto stream = TimelineStream::Follow(directory_,
                                       {.window_ns = kStreamWindowNs, .threads = options_.threads});
  if (!stream.ok()) return stream.status();
  return std::make_unique<RecentTimeline>(*std::move(stream), options_.keep_ns);
}

absl::StatusOr<bool> LiveNode::Advance() {
  if (!goes_on()) return false;
  auto advanced = recent_->Advance();
  if (!advanced.ok()) {
    is_lost_ = true;
    because_ = std::string(advanced.status().message());
  } else if (*advanced && !observer_boot_id_.empty() &&
             stream().session().host().boot_id() == observer_boot_id_) {
    recent_->SetObserver(observer_pid_);
  }
  return advanced;
}

bool LiveNode::RemembersTooMuch() const {
  return most_remembered_ != 0 && stream().session().options().ring_bytes() != 0 &&
         RememberedBy(stream()) > most_remembered_;
}

void LiveNode::RenewIfNeeded() {
  if (!goes_on()) successor_ = nullptr;
  if (successor_ == nullptr) {
    if (!goes_on() || !RemembersTooMuch()) return;
    auto successor = Read();
    if (successor.ok()) successor_ = *std::move(successor);
  }
  if (successor_ == nullptr || !AdvanceSuccessor()) {
    // The folder cannot be read anew, or holds less than is kept: as it is, for now.
    successor_ = nullptr;
    most_remembered_ = 2 * RememberedBy(stream());
    return;
  }
  if (successor_->until_ns() != 0 && ClockUntil(*successor_) >= ClockUntil(*recent_)) HandOver();
}

// Some windows in each turn, so that frames come as usual meanwhile. False if it does not know what
// it must.
bool LiveNode::AdvanceSuccessor() {
  for (int windows = 0; windows < kWindowsInATurn; ++windows) {
    const auto advanced = successor_->Advance();
    if (!advanced.ok() || successor_->stream().lost_blocks() > 0) return false;
    if (!*advanced) break;
  }
  return successor_->until_ns() == 0 || ClockUntil(*successor_) < ClockUntil(*recent_) ||
         ClockFrom(*successor_) <= ClockFrom(*recent_);
}

// What it remembers now is the least there can be: the next renewal is due at a multiple of that.
void LiveNode::HandOver() {
  const Counts all = {told_late(), lost_blocks(), lost(),
                      before_.paused_ns + stream().pauses().total_ns()};
  const uint64_t recorded_until_ns = recorded_ns();
  const uint64_t clock_until_ns = ClockUntil(*recent_);
  recent_ = std::exchange(successor_, nullptr);
  before_ = {More(all.told_late, stream().told_late()),
             More(all.lost_blocks, stream().lost_blocks()), More(all.lost, stream().lost()),
             More(all.paused_ns, stream().pauses().total_ns())};
  left_out_ns_ =
      recorded_until_ns - (stream().pauses().RecordedTime(clock_until_ns) - stream().start_ns());
  most_remembered_ = std::max(options_.most_remembered, 3 * RememberedBy(stream()));
  if (stream().session().host().boot_id() == observer_boot_id_) recent_->SetObserver(observer_pid_);
  ++renewals_;
}

void LiveNode::EndHere(const std::string& because) {
  recent_->EndHere();
  because_ = because;
}

void LiveNode::SetKept(uint64_t keep_ns) {
  options_.keep_ns = keep_ns;
  recent_->SetKept(keep_ns);
  if (successor_ != nullptr) successor_->SetKept(keep_ns);
}

void LiveNode::SetObserver(int32_t pid, const std::string& boot_id) {
  observer_pid_ = pid;
  observer_boot_id_ = boot_id;
}

}  // namespace gordian
