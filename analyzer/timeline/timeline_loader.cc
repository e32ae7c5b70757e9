// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/timeline_loader.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "analyzer/timeline/flow_table.h"
#include "analyzer/timeline/merge_runs.h"
#include "base/parallel.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr double kShareOfReading = 0.8;  // of the time
// Read and written before the next: enough that each CPU has work, little enough to stay in their
// caches.
constexpr size_t kWindowsPerRound = 8;
constexpr size_t kThreadsPerTask = 16;

constexpr auto kByTime = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };

}  // namespace

TimelineLoader::TimelineLoader(SessionReader& session, TimelineOptions options)
    : session_(session),
      options_(std::move(options)),
      threads_(ThreadCount(options_.threads)),
      blocks_(session, threads_, options_.until_ns),
      facts_(session, blocks_.pauses()),
      packets_(options_.memory),
      local_messages_(options_.memory) {
  timeline_.memory_ = options_.memory;
  timeline_.block_records_ = Column<BlockRecord>(options_.memory);
  timeline_.packet_wakes_ = Column<PacketWake>(options_.memory);
  timeline_.stack_samples_ = Column<StackSample>(options_.memory);
}

absl::StatusOr<Timeline> TimelineLoader::Load(const Progress& progress) {
  if (absl::Status status = Begin({}); !status.ok()) return status;
  while (!IsWhole()) {
    ReadSome(BlockSource::kEndOfTime);
    if (progress) progress(kShareOfReading * share());
    if (!IsWhole() && HasBegun() && options_.keep_reading &&
        !options_.keep_reading({.until_ns = ReadUntil(), .share = share()}))
      break;
  }
  Timeline timeline = Finish();
  if (progress) progress(1);
  return timeline;
}

absl::Status TimelineLoader::Begin(const std::vector<uint64_t>& stops_ns) {
  if (blocks_.empty()) {
    return absl::FailedPreconditionError(
        "the session holds no events: nothing was recorded, or its trace files are missing");
  }
  timeline_.session_ = session_.session();
  timeline_.pauses_ = blocks_.pauses();
  facts_.EndAt(options_.until_ns);
  timeline_.start_ns_ = facts_.start_ns();
  timeline_.cpus_ = facts_.cpus();
  std::vector<uint64_t>& borders = timeline_.borders_ = blocks_.Borders(
      options_.events_per_window != 0 ? options_.events_per_window : kEventsPerWindow);
  borders.insert(borders.end(), stops_ns.begin(), stops_ns.end());
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return absl::OkStatus();
}

void TimelineLoader::ReadSome(uint64_t until_ns) {
  if (!reader_) reader_.emplace(blocks_, threads_);
  const std::span<const uint64_t> borders = timeline_.borders_;
  const size_t first = windows_.size();
  size_t count = 0;
  while (count < std::min(reader_->windows_at_once(), borders.size() - first) &&
         borders[first + count] <= until_ns)
    ++count;
  if (count == 0) return;
  const uint64_t end_ns = borders[first + count - 1];
  std::vector<Window> windows = reader_->Read(
      first == 0 ? 0 : borders[first - 1], borders.subspan(first, count), timeline_.memory_,
      damaged_, [this](DecodedBlock& block) { TakeNow(block); },
      [this](DecodedBlock& block) { Take(block); });
  for (Window& window : windows) {
    facts_.MeetThreadsOf(window);
    windows_.push_back(std::move(window));
  }
  OrderNewest(timeline_.block_records_, end_ns, final_requests_);
  OrderNewest(packets_, end_ns, final_packets_);
  OrderNewest(timeline_.packet_wakes_, end_ns, final_packet_wakes_);
  OrderNewest(local_messages_, end_ns, final_local_messages_);
  facts_.SortMentioned();
}

Timeline TimelineLoader::Finish() {
  if (!IsWhole()) EndAfterWindows();
  for (const BlockSource::Damage& damage : damaged_) {
    session_.CountCorruptBlock(damage.block.bytes);
    facts_.TakeDamaged(damage);
  }
  timeline_.end_ns_ = facts_.end_ns();
  timeline_.unread_ns_ = facts_.unread_ns();
  MakeEntities();
  ShareOutPieces();
  WriteHistories();
  SumUpThreads();
  NameThreadsOfRequests();
  NameThreadsOfSamples();
  CountAll();
  return std::move(timeline_);
}

void TimelineLoader::ReleaseMemory() {
  reader_.reset();
  blocks_.ReleaseMemory();
}

// What can be cut off again. (Blocks may last long: if requests and packets waited for their ends,
// all behind their beginnings would be put in order again each time.)
void TimelineLoader::TakeNow(DecodedBlock& block) {
  timeline_.block_records_.Append(block.block_records);
  packets_.Append(block.packet_records);
  local_messages_.Append(block.local_messages);
  if (options_.keep_packet_wakes) timeline_.packet_wakes_.Append(block.packet_wakes);
  block.first_sample = timeline_.stack_samples_.size();
  block.sample_count = block.stack_samples.size();
  for (const StackRecordOfThread& sample : block.stack_samples)
    timeline_.stack_samples_.push_back(SampleOfTid(sample, timeline_.start_ns_));
}

// The rest of a block that was read to its end.
void TimelineLoader::Take(DecodedBlock& block) {
  facts_.Take(block);
  if (options_.keep_packet_wakes) {
    for (const FlowRecord& flow : block.flows) AddFlow(flow, timeline_.flows_);
  }
  samples_without_wait_ += block.samples_without_event;
  for (WaitObjectRecord& object : block.wait_objects)
    timeline_.wait_objects_[object.object_id] = std::move(object);
}

// As if the recording had ended with the windows that were read. A block that goes on is cut there.
void TimelineLoader::EndAfterWindows() {
  timeline_.borders_.resize(windows_.size());
  const uint64_t end_ns = std::exchange(timeline_.borders_.back(), BlockSource::kEndOfTime);
  facts_.EndAt(end_ns);
  const auto is_behind = [end_ns](const auto& record) { return record.time_ns >= end_ns; };
  timeline_.block_records_.EraseIf(is_behind);
  packets_.EraseIf(is_behind);
  timeline_.packet_wakes_.EraseIf(is_behind);
  local_messages_.EraseIf(is_behind);
  blocks_.CutAt(end_ns, damaged_);
  std::vector<char> is_gone(timeline_.stack_samples_.size());
  blocks_.DropUntil(BlockSource::kEndOfTime, [&](DecodedBlock& block) {
    const size_t first_gone = TakeSamplesAgain(block);
    std::fill(is_gone.begin() + static_cast<ptrdiff_t>(first_gone),
              is_gone.begin() + static_cast<ptrdiff_t>(block.first_sample + block.sample_count), 1);
    Take(block);
  });
  const StackSample* const first = timeline_.stack_samples_.begin();
  timeline_.stack_samples_.EraseIf([&](const StackSample& sample) {
    return is_gone[static_cast<size_t>(&sample - first)] != 0;
  });
}

// Blocks that are decoded later begin at final_until_ns or behind it.
template <typename Record>
void TimelineLoader::OrderNewest(Column<Record>& column, uint64_t final_until_ns,
                                 size_t& final_count) {
  Record* const first = column.begin() + final_count;
  MergeRuns(std::span(first, column.end()), kByTime);
  const Record* const end = std::lower_bound(
      first, column.end(), final_until_ns,
      [](const Record& record, uint64_t time_ns) { return record.time_ns < time_ns; });
  final_count = static_cast<size_t>(end - column.begin());
}

// Of a block that was cut: it has no more samples than before. They keep their place among others',
// as sums of them are rounded in this order. Returns the place behind the last.
size_t TimelineLoader::TakeSamplesAgain(const DecodedBlock& block) {
  const size_t count = std::min(block.sample_count, block.stack_samples.size());
  for (size_t i = 0; i < count; ++i) {
    timeline_.stack_samples_[block.first_sample + i] =
        SampleOfTid(block.stack_samples[i], timeline_.start_ns_);
  }
  return block.first_sample + count;
}

void TimelineLoader::MakeEntities() {
  RecordedEntities made = facts_.Finish(options_.targets);
  timeline_.entities_ = std::move(made.entities);
  timeline_.creators_ = std::move(made.creators);
  timeline_.exits_ = std::move(made.exits);
  timeline_.programs_ = std::move(made.programs);
}

// Gives each thread a row: a free slot, then the pieces that hold its records.
void TimelineLoader::ShareOutPieces() {
  shares_.reserve(windows_.size());
  for (Window& window : windows_) {
    shares_.push_back(ShareOut(window, facts_.lives()));
    window = {};
  }
  const size_t threads = facts_.lives().lives().size();
  std::vector<uint32_t>& first_piece = timeline_.first_piece_;
  first_piece.assign(threads + 1, 0);
  for (size_t thread = 0; thread < threads; ++thread) first_piece[thread + 1] = 1;
  for (const std::vector<ThreadShare>& shares : shares_) {
    for (const ThreadShare& share : shares) ++first_piece[share.thread + 1];
  }
  for (size_t thread = 0; thread < threads; ++thread)
    first_piece[thread + 1] += first_piece[thread];

  timeline_.pieces_.resize(first_piece.back());
  const std::span<ThreadSegment> first_slots = timeline_.memory_.Make<ThreadSegment>(threads);
  std::vector<uint32_t> next(first_piece.begin(), first_piece.end() - 1);
  for (size_t thread = 0; thread < threads; ++thread)
    timeline_.pieces_[next[thread]++] = first_slots.subspan(thread, 1);
  for (const std::vector<ThreadShare>& shares : shares_) {
    for (const ThreadShare& share : shares) timeline_.pieces_[next[share.thread]++] = share.piece;
  }
}

// Calls work(thread, pieces) for the threads of each few windows, with the number of their pieces
// there: threads in parallel, windows in order.
template <typename Work>
void TimelineLoader::ForEachRound(Work work) {
  std::vector<uint32_t> due(facts_.lives().lives().size(), 0);
  std::vector<EntityId> threads;
  for (size_t first = 0; first < shares_.size(); first += kWindowsPerRound) {
    threads.clear();
    for (size_t i = first; i < std::min(first + kWindowsPerRound, shares_.size()); ++i) {
      for (const ThreadShare& share : shares_[i]) {
        if (due[share.thread]++ == 0) threads.push_back(share.thread);
      }
    }
    const size_t tasks = (threads.size() + kThreadsPerTask - 1) / kThreadsPerTask;
    ParallelFor(threads_, tasks, [&](size_t task, int) {
      const size_t end = std::min(threads.size(), (task + 1) * kThreadsPerTask);
      for (size_t i = task * kThreadsPerTask; i < end; ++i) {
        work(threads[i], due[threads[i]]);
        due[threads[i]] = 0;
      }
    });
  }
}

void TimelineLoader::WriteHistories() {
  const size_t threads = facts_.lives().lives().size();
  timeline_.piece_count_.assign(threads, 0);
  timeline_.ended_.assign(threads, 0);
  timeline_.contradictions_.assign(threads, 0);
  const HistoryContext context = facts_.Context();
  std::vector<ThreadHistory> histories;
  histories.reserve(threads);
  for (EntityId thread = 0; thread < threads; ++thread) {
    const uint32_t first = timeline_.first_piece_[thread];
    const std::span row =
        std::span(timeline_.pieces_).subspan(first, timeline_.first_piece_[thread + 1] - first);
    histories.emplace_back(thread, row, context);
  }
  ForEachRound([&](EntityId thread, uint32_t pieces) { histories[thread].Read(pieces); });
  for (EntityId thread = 0; thread < threads; ++thread) {
    bool ended = false;
    timeline_.piece_count_[thread] = histories[thread].Finish(timeline_.entities_[thread], ended);
    timeline_.ended_[thread] = ended;
    const HistoryCounts& counts = histories[thread].counts();
    timeline_.contradictions_[thread] = static_cast<uint32_t>(counts.contradicting_switches);
    counts_ += counts;
  }
}

// As Timeline::SumUp does, for all threads together, in order of time. Notes where pieces begin,
// too.
void TimelineLoader::SumUpThreads() {
  struct Sum {
    uint32_t piece = 0;  // the first that is not summed up
    ThreadSegment open;  // the last segment so far: it lasts until the next begins
  };
  std::vector<Sum> sums(facts_.lives().lives().size());
  timeline_.piece_starts_ns_.assign(timeline_.pieces_.size(), 0);
  const auto end_open = [&](EntityId thread, uint64_t end_ns) {
    const ThreadSegment& open = sums[thread].open;
    TimeOf(timeline_.entities_[thread], open.kind) += end_ns - open.start_ns;
  };
  const auto take = [&](EntityId thread, uint32_t pieces) {
    Sum& sum = sums[thread];
    const uint32_t end = std::min(sum.piece + pieces, timeline_.piece_count_[thread]);
    for (; sum.piece < end; ++sum.piece) {
      const size_t number = timeline_.first_piece_[thread] + sum.piece;
      timeline_.piece_starts_ns_[number] = timeline_.pieces_[number].front().start_ns;
      for (const ThreadSegment& segment : timeline_.pieces_[number]) {
        end_open(thread, segment.start_ns);
        sum.open = segment;
      }
    }
  };
  for (EntityId thread = 0; thread < sums.size(); ++thread) {
    sums[thread].open.start_ns = timeline_.entities_[thread].begin_ns;
    take(thread, 1);  // the slot that was free
  }
  ForEachRound(take);
  for (EntityId thread = 0; thread < sums.size(); ++thread)
    end_open(thread, timeline_.entities_[thread].end_ns);
}

void TimelineLoader::NameThreadsOfRequests() {
  for (BlockRecord& record : timeline_.block_records_) {
    record.thread = facts_.lives().Find(static_cast<int32_t>(record.thread), record.time_ns);
  }
  for (PacketRecord& record : packets_) {
    record.thread = facts_.lives().Find(static_cast<int32_t>(record.thread), record.time_ns);
  }
  for (PacketWake& wake : timeline_.packet_wakes_) {
    wake.thread = facts_.lives().Find(static_cast<int32_t>(wake.thread), wake.time_ns);
  }
  for (LocalMessage& message : local_messages_) {
    message.thread = facts_.lives().Find(static_cast<int32_t>(message.thread), message.time_ns);
  }
  timeline_.packet_rows_.front() = std::move(packets_);
  timeline_.local_message_rows_.front() = std::move(local_messages_);
}

// A thread that dies was still there when its last wait began or ended.
void TimelineLoader::NameThreadsOfSamples() {
  constexpr size_t kChunk = 4096;
  Column<StackSample>& samples = timeline_.stack_samples_;
  ParallelFor(threads_, (samples.size() + kChunk - 1) / kChunk, [&](size_t chunk, int) {
    const size_t end = std::min(samples.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      samples[i].thread = facts_.lives().Find(static_cast<int32_t>(samples[i].thread),
                                              timeline_.start_ns_ + samples[i].since_start_ns);
    }
  });
}

// With --only, others' switches are recorded only if a target had a part in them, so they may
// contradict each other.
uint64_t TimelineLoader::Contradictions() const {
  if (!timeline_.session_.chains_end_at_targets()) return counts_.contradicting_switches;
  uint64_t of_targets = 0;
  for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
    if (timeline_.entities_[thread].target) of_targets += timeline_.contradictions_[thread];
  }
  return of_targets;
}

void TimelineLoader::Count(std::string_view name, uint64_t value) {
  if (value > 0) timeline_.counters_.push_back({name, value});
}

void TimelineLoader::CountAll() {
  // Losses that came too late to be written as events are still in the session's own counters.
  uint64_t told = 0;
  for (const pb::Counter& counter : timeline_.session_.counters()) {
    if (absl::StartsWith(counter.name(), "records_lost_")) told += counter.value();
    if (absl::StartsWith(counter.name(), "records_left_out_")) {
      const CounterDefinition* definition = FindCounter(counter.name());
      if (definition != nullptr && definition->severity != CounterSeverity::kInfo)
        told += counter.value();
    }
  }
  timeline_.events_ = facts_.events();
  timeline_.lost_ = std::max(facts_.lost(), told) + facts_.unreadable();
  counts_.contradicting_switches = Contradictions();
  for (const NamedCount& count : NamedCounts(counts_)) Count(count.name, count.value);
  Count("stack_samples_without_wait", samples_without_wait_);
  Count("unknown_events", blocks_.unknown_events());
  const ReadDamage& damage = session_.damage();
  timeline_.missing_blocks_ = damage.missing_blocks;
  for (const auto& stream : session_.cpus()) timeline_.blocks_ += stream->blocks().size();
  if (session_.tasks() != nullptr) timeline_.blocks_ += session_.tasks()->blocks().size();
  Count("missing_blocks", damage.missing_blocks);
  Count("corrupt_blocks", damage.corrupt_blocks);
  Count("torn_tails", damage.torn_tails);
  Count("skipped_bytes", damage.skipped_bytes);
  Count("unknown_blocks", damage.unknown_blocks);
  Count("unreadable_files", damage.unreadable_files);
  Count("bytes_beyond_memory", timeline_.memory_.bytes_beyond_limit());
}

}  // namespace gordian
