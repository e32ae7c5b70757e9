// SPDX-License-Identifier: Apache-2.0
// The words of programs: kept until the births of all threads up to then are known, then made
// events of this machine's threads.
#include <algorithm>

#include "recorder/probes/probe_source.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

// A thread may be taken off its CPU between reading the clock and writing its word. A word older
// than this is not believed, as it would be out of order in the trace.
constexpr uint64_t kLatestWordNs = 1'000'000'000;
// A process's number stands above its locks' addresses, which have 48 bits.
constexpr int kAddressBits = 48;

bool IsSpin(ProbeKind kind) {
  return kind == ProbeKind::kSpinBegin || kind == ProbeKind::kSpinEnd ||
         kind == ProbeKind::kSpinRelease;
}

}  // namespace

uint32_t ProbeSource::Name(std::string_view text) {
  if (text.empty()) return 0;
  const auto [entry, is_new] =
      index_of_name_.try_emplace(std::string(text), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(text);
  return entry->second;
}

void ProbeSource::TakeWord(const OpenFile& open, const ProbeWord& word) {
  if (word.time_ns < start_ns_) return;  // said to another recorder
  if (word.time_ns > latest_ns_) latest_ns_ = MonotonicNowNs();
  if (word.time_ns > latest_ns_ || word.time_ns + kLatestWordNs < taken_until_ns_ ||
      word.time_ns < promised_until_ns_) {
    ++counts_.out_of_time;
    return;
  }
  pending_.push_back({.time_ns = word.time_ns,
                      .value = word.value,
                      .pid = open.pid,
                      .namespaced_tid = word.tid,
                      .name = Name(word.name),
                      .key = Name(word.key),
                      .kind = word.kind});
}

// Locks of different processes may have one address, and must not be taken for one: otherwise a
// process could speak of another's locks. The first process's are left as they are.
uint64_t ProbeSource::LockOf(int32_t pid, uint64_t address) {
  const uint64_t number = lock_tags_.try_emplace(pid, lock_tags_.size()).first->second;
  constexpr uint64_t kAddress = (uint64_t{1} << kAddressBits) - 1;
  return (address & kAddress) | number << kAddressBits;
}

bool ProbeSource::AddEvent(const Pending& pending, EventBlock& block,
                           std::vector<uint32_t>& index_in_block) {
  const auto tid = threads_.Find(pending.pid, pending.namespaced_tid, pending.time_ns);
  if (!tid) {
    ++counts_.threads_unknown;
    return false;
  }
  const auto name_in_block = [&](uint32_t name) {
    if (name == 0) return uint32_t{0};
    if (index_in_block[name] == 0) {
      index_in_block[name] = static_cast<uint32_t>(block.names.size());
      block.names.push_back(names_[name]);
    }
    return index_in_block[name];
  };
  TraceEvent event{.time_ns = pending.time_ns, .kind = EventKind::kProbe, .cpu = kNoCpu};
  event.probe = {.tid = *tid, .kind = pending.kind, .name = name_in_block(pending.name)};
  if (pending.kind == ProbeKind::kPhaseBegin) event.probe.value = name_in_block(pending.key);
  if (pending.kind == ProbeKind::kCount) event.probe.value = pending.value;
  if (IsSpin(pending.kind)) event.probe.value = LockOf(pending.pid, pending.value);
  block.events.push_back(event);
  return true;
}

void ProbeSource::TakeUntil(uint64_t until_ns, EventBlock& block) {
  block.cpu = kNoCpu;
  if (block.names.empty()) block.names.emplace_back();
  const auto later = std::stable_partition(
      pending_.begin(), pending_.end(),
      [until_ns](const Pending& pending) { return pending.time_ns <= until_ns; });
  std::stable_sort(pending_.begin(), later,
                   [](const Pending& a, const Pending& b) { return a.time_ns < b.time_ns; });
  std::vector<uint32_t> index_in_block(names_.size());
  for (auto pending = pending_.begin(); pending != later; ++pending) {
    counts_.events += AddEvent(*pending, block, index_in_block);
  }
  pending_.erase(pending_.begin(), later);
  ForgetNames();
  AddLoss(until_ns, block);
  taken_until_ns_ = std::max(taken_until_ns_, until_ns);
}

// As long as any program may speak, its words may come a second late. Else no word is on its way: a
// program's file is found in the first round after it was made, before its first word.
uint64_t ProbeSource::PromiseUntil(uint64_t wanted_ns) {
  const bool words_may_come = !files_.empty() || !pending_.empty();
  const uint64_t late_ns = words_may_come ? std::min(kLatestWordNs, taken_until_ns_) : 0;
  promised_until_ns_ = std::max(promised_until_ns_, std::min(wanted_ns, taken_until_ns_ - late_ns));
  return promised_until_ns_;
}

// Names are kept for pending words only: otherwise a program that invents keys would fill the
// memory.
void ProbeSource::ForgetNames() {
  std::vector<std::string> old(1);
  old.swap(names_);
  index_of_name_.clear();
  for (Pending& pending : pending_) {
    pending.name = Name(old[pending.name]);
    pending.key = Name(old[pending.key]);
  }
}

void ProbeSource::AddLoss(uint64_t until_ns, EventBlock& block) {
  const uint64_t lost = counts().lost;
  if (lost > loss_told_) {
    TraceEvent event{.time_ns = until_ns, .kind = EventKind::kLoss, .cpu = kNoCpu};
    event.loss = {.duration_ns = until_ns - std::min(until_ns, loss_told_ns_),
                  .count = lost - loss_told_,
                  .kind = EventKind::kProbe};
    block.events.push_back(event);
  }
  loss_told_ = lost;
  loss_told_ns_ = until_ns;
}

}  // namespace gordian
