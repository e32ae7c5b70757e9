// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/block_source.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace gordian {

namespace {

// Definitions stand in the order of their events.
void CutOff(uint64_t time_ns, EventBlock& block) {
  const auto end = std::lower_bound(
      block.events.begin(), block.events.end(), time_ns,
      [](const TraceEvent& event, uint64_t until_ns) { return event.time_ns < until_ns; });
  block.events.erase(end, block.events.end());
  size_t flows = 0;
  size_t wait_objects = 0;
  for (const TraceEvent& event : block.events) {
    if (event.kind == EventKind::kFlow) flows = std::max<size_t>(flows, event.flow.index + 1);
    if (event.kind == EventKind::kWaitObject)
      wait_objects = std::max<size_t>(wait_objects, event.wait_object.index + 1);
  }
  block.flows.resize(flows);
  block.wait_objects.resize(wait_objects);
}

}  // namespace

BlockSource::BlockSource(int threads) : threads_(threads) {
  scratch_.resize(static_cast<size_t>(threads));
}

BlockSource::BlockSource(const SessionReader& session, int threads, uint64_t until_ns)
    : BlockSource(threads) {
  until_ns_ = until_ns;
  pauses_ = PausesOf(session);
  uint32_t order = 0;
  if (session.tasks() != nullptr) AddBlocks(*session.tasks(), nullptr, order, 0);
  for (const auto& stream : session.cpus()) AddBlocks(*stream, nullptr, ++order, 0);
  SortAdded();
}

Pauses BlockSource::PausesOf(const SessionReader& session) {
  uint64_t first_ns = std::numeric_limits<uint64_t>::max();
  for (const auto& stream : session.cpus())
    for (const BlockInfo& info : stream->blocks())
      first_ns = std::min(first_ns, info.first_time_ns);
  return {session.session(), first_ns};
}

void BlockSource::ReleaseMemory() {
  spare_ = {};
  for (Scratch& scratch : scratch_) scratch.events = {};
  for (const BlockPlace& place : blocks_) place.stream->ReleaseMemory();
}

void BlockSource::Add(const std::shared_ptr<const EventStream>& blocks, uint32_t order,
                      uint64_t number) {
  AddBlocks(*blocks, blocks, order, number);
}

void BlockSource::AddBlocks(const EventStream& stream,
                            const std::shared_ptr<const EventStream>& owner, uint32_t order,
                            uint64_t number) {
  const std::vector<BlockInfo>& infos = stream.blocks();
  for (uint32_t index = 0; index < infos.size(); ++index) {
    const uint64_t first_ns = FirstTime(stream.cpu(), infos[index].first_time_ns, pauses_);
    if (first_ns >= until_ns_ && until_ns_ != kEndOfTime) continue;
    blocks_.push_back({.stream = &stream,
                       .owner = owner,
                       .order = order,
                       .index = index,
                       .number = number + index,
                       .first_time_ns = first_ns});
  }
}

void BlockSource::SortAdded() {
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<ptrdiff_t>(next_block_));
  next_block_ = 0;
  std::sort(blocks_.begin(), blocks_.end(), [](const BlockPlace& a, const BlockPlace& b) {
    return std::tie(a.first_time_ns, a.order, a.number) <
           std::tie(b.first_time_ns, b.order, b.number);
  });
}

uint64_t BlockSource::FirstTime(uint16_t cpu, uint64_t first_clock_ns, const Pauses& pauses) {
  const uint64_t first_ns = pauses.RecordedTime(first_clock_ns);
  const uint64_t resumed_ns = cpu == kNoCpu ? pauses.LastResume(first_ns) : 0;
  return resumed_ns != 0 ? resumed_ns : first_ns;
}

std::vector<uint64_t> BlockSource::Borders(size_t events_per_window) const {
  std::vector<uint64_t> borders;
  // A block's events, spread evenly over its time.
  uint64_t events = 0;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const BlockPlace& place = blocks_[i];
    const BlockInfo& info = place.stream->blocks()[place.index];
    events += info.events;
    if (events < events_per_window) continue;
    const uint64_t its_last_ns = pauses_.RecordedTime(info.last_time_ns);
    const uint64_t last_ns =
        i + 1 < blocks_.size() ? std::min(blocks_[i + 1].first_time_ns, its_last_ns) : its_last_ns;
    const uint64_t parts = events / events_per_window;
    const uint64_t step_ns = (std::max(last_ns, place.first_time_ns) - place.first_time_ns) / parts;
    for (uint64_t part = 0; part < parts; ++part) {
      const uint64_t border_ns = place.first_time_ns + part * step_ns;
      if (borders.empty() || borders.back() < border_ns) borders.push_back(border_ns);
    }
    events %= events_per_window;
  }
  borders.push_back(std::numeric_limits<uint64_t>::max());
  return borders;
}

void BlockSource::Decode(uint64_t end_ns, std::vector<Damage>& damaged) {
  const size_t first_block = next_block_;
  while (next_block_ < blocks_.size() && blocks_[next_block_].first_time_ns < end_ns) ++next_block_;
  const size_t count = next_block_ - first_block;
  const size_t first_new = pending_.size();
  for (size_t i = 0; i < count; ++i) {
    Pending& added = pending_.emplace_back();
    added.place = blocks_[first_block + i];
    if (!spare_.empty()) {
      added.block = std::move(spare_.back());
      spare_.pop_back();
    }
    added.block.rank = first_block + i;
  }
  std::vector<uint8_t> readable(count, 0);
  std::vector<uint64_t> unknown(count, 0);
  ParallelFor(threads_, count, [&](size_t i, int worker) {
    EventBlock& events = scratch_[static_cast<size_t>(worker)].events;
    readable[i] = DecodeOne(events, pending_[first_new + i]);
    unknown[i] = events.unknown_events;
  });
  for (size_t i = 0; i < count; ++i) {
    unknown_events_ += unknown[i];
    if (readable[i] != 0) continue;
    damaged.push_back(DamageOf(pending_[first_new + i].place));
  }
}

bool BlockSource::DecodeOne(EventBlock& events, Pending& pending) {
  const bool readable = pending.place.stream->Read(pending.place.index, events).ok();
  pauses_.CutOutOf(events);
  if (until_ns_ != kEndOfTime) CutOff(until_ns_, events);
  pending.block.Take(events, pauses_, lock_numbers_);  // a damaged block has no events
  pending.last_time_ns = events.empty() ? 0 : events.events.back().time_ns;
  return readable;
}

void BlockSource::CutAt(uint64_t time_ns, std::vector<Damage>& damaged) {
  until_ns_ = time_ns;
  std::vector<uint8_t> readable(pending_.size(), 0);
  ParallelFor(threads_, pending_.size(), [&](size_t i, int worker) {
    readable[i] = DecodeOne(scratch_[static_cast<size_t>(worker)].events, pending_[i]);
  });
  for (size_t i = 0; i < pending_.size(); ++i)
    if (readable[i] == 0) damaged.push_back(DamageOf(pending_[i].place));
}

void BlockSource::OrderPending() {
  std::sort(pending_.begin(), pending_.end(), [](const Pending& a, const Pending& b) {
    return std::tie(a.place.order, a.place.number) < std::tie(b.place.order, b.place.number);
  });
}

std::vector<RecordRun> BlockSource::RunsBetween(uint64_t from_ns, uint64_t to_ns) const {
  std::vector<RecordRun> runs;
  const auto is_before = [](const ThreadRecord& record, uint64_t time_ns) {
    return record.time_ns < time_ns;
  };
  for (const Pending& pending : pending_) {
    const std::vector<ThreadRecord>& records = pending.block.records;
    const auto first = std::lower_bound(records.begin(), records.end(), from_ns, is_before);
    const auto last = std::lower_bound(first, records.end(), to_ns, is_before);
    if (first == last) continue;
    const auto begin = static_cast<size_t>(first - records.begin());
    const auto count = static_cast<size_t>(last - first);
    runs.push_back({std::span(records).subspan(begin, count),
                    std::span(pending.block.tids).subspan(begin, count)});
  }
  return runs;
}

void BlockSource::Rewind() {
  DropUntil(kEndOfTime);
  next_block_ = 0;
  unknown_events_ = 0;
}

uint64_t BlockSource::NextTime(uint64_t from_ns, uint64_t none) const {
  uint64_t next_ns = next_block_ < blocks_.size() ? blocks_[next_block_].first_time_ns : none;
  for (const Pending& pending : pending_) {
    const std::vector<ThreadRecord>& records = pending.block.records;
    const auto first = std::lower_bound(
        records.begin(), records.end(), from_ns,
        [](const ThreadRecord& record, uint64_t time_ns) { return record.time_ns < time_ns; });
    if (first != records.end()) next_ns = std::min(next_ns, first->time_ns);
  }
  return next_ns;
}

}  // namespace gordian
