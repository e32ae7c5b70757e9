// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/timeline_loader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "analyzer/timeline/worker_names.h"
#include "base/parallel.h"
#include "trace/counters.h"
#include "words/container_name.h"

namespace gordian {
namespace {

// Small enough that a window's records stay in a core's cache while they are sorted, large enough
// that most threads have several in each.
constexpr size_t kEventsPerWindow = 1 << 17;
constexpr size_t kWindowsPerWorker = 4;  // decoded ahead, so that workers rarely wait
constexpr double kShareOfReading = 0.8;  // of the time
// Read and written before the next: enough that each CPU has work, little enough to stay in their
// caches.
constexpr size_t kWindowsPerRound = 8;
constexpr size_t kThreadsPerTask = 16;

constexpr auto kByTime = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };

}  // namespace

TimelineLoader::TimelineLoader(SessionReader& session, const TimelineOptions& options,
                               const Progress& progress)
    : session_(session),
      options_(options),
      progress_(progress),
      threads_(ThreadCount(options.threads)),
      blocks_(session, threads_),
      packets_(options.memory) {
  timeline_.memory_ = options.memory;
  timeline_.block_records_ = Column<BlockRecord>(options.memory);
  timeline_.packet_wakes_ = Column<PacketWake>(options.memory);
  timeline_.stack_samples_ = Column<StackSample>(options.memory);
}

absl::StatusOr<Timeline> TimelineLoader::Load() {
  if (blocks_.empty()) {
    return absl::FailedPreconditionError(
        "the session holds no events: nothing was recorded, or its trace files are missing");
  }
  timeline_.session_ = session_.session();
  FindTimes();
  ReadWindows();
  MakeEntities();
  ShareOutPieces();
  WriteHistories();
  SumUpThreads();
  NameThreadsOfRequests();
  NameThreadsOfSamples();
  CountAll();
  if (progress_) progress_(1);
  return std::move(timeline_);
}

// A flight recorder's older blocks gave way: the rest begins with the oldest block there is. CPUs
// whose blocks begin later have lost their events before.
void TimelineLoader::FindTimes() {
  uint64_t first_ns = std::numeric_limits<uint64_t>::max();
  uint64_t last_ns = 0;
  bool gave_way = false;
  for (const auto& stream : session_.cpus()) {
    for (const BlockInfo& block : stream->blocks()) {
      first_ns = std::min(first_ns, block.first_time_ns);
      last_ns = std::max(last_ns, block.last_time_ns);
    }
    gave_way |= !stream->blocks().empty() && stream->blocks().front().sequence > 0;
  }
  const EventStream* tasks = session_.tasks();
  identity_gave_way_ =
      gave_way || (tasks != nullptr && !tasks->blocks().empty() && tasks->blocks()[0].sequence > 0);
  const pb::Session& session = session_.session();
  const uint64_t told_start_ns = session.start_time_ns();
  timeline_.start_ns_ =
      told_start_ns == 0 || gave_way ? first_ns : std::min(first_ns, told_start_ns);
  timeline_.end_ns_ = std::max(last_ns, session.end_time_ns());
  timeline_.start_ns_ = std::min(timeline_.start_ns_, timeline_.end_ns_);
  timeline_.pauses_ = blocks_.pauses();
  const auto recorded = [this](uint64_t clock_ns) {
    return timeline_.pauses_.RecordedTime(clock_ns);
  };
  timeline_.start_ns_ = recorded(timeline_.start_ns_);
  timeline_.end_ns_ = recorded(timeline_.end_ns_);
  // Events that belong to no CPU (words of probes) have a stream, too.
  const auto cpu_streams =
      std::count_if(session_.cpus().begin(), session_.cpus().end(),
                    [](const auto& stream) { return stream->cpu() != kNoCpu; });
  timeline_.cpus_ = std::max(session.host().cpus(), static_cast<uint32_t>(cpu_streams));

  for (const auto& stream : session_.cpus()) {
    uint64_t due = 0;
    uint64_t before_ns = timeline_.start_ns_;
    for (const BlockInfo& block : stream->blocks()) {
      if (block.sequence > due)
        lossy_stretches_.Add(stream->cpu(), before_ns, recorded(block.first_time_ns));
      due = block.sequence + 1;
      before_ns = recorded(block.last_time_ns);
    }
  }
}

void TimelineLoader::ReadWindows() {
  const size_t events_per_window =
      options_.events_per_window != 0 ? options_.events_per_window : kEventsPerWindow;
  const std::vector<uint64_t>& borders = timeline_.borders_ = blocks_.Borders(events_per_window);
  windows_.resize(borders.size());
  std::vector<WindowSorter> sorters(static_cast<size_t>(threads_));
  const size_t group_size = kWindowsPerWorker * static_cast<size_t>(threads_);
  std::vector<BlockSource::Damage> damaged;
  const auto taken = [this](DecodedBlock& block) {
    timeline_.events_ += block.events;
    for (TimedTask& task : block.tasks) tasks_.push_back(std::move(task));
    for (WorkRecord& work : block.works) works_.push_back(std::move(work));
    mentioned_.insert(mentioned_.end(), block.mentioned.begin(), block.mentioned.end());
    locks_.insert(locks_.end(), block.locks.begin(), block.locks.end());
    timeline_.block_records_.Append(block.block_records);
    packets_.Append(block.packet_records);
    if (options_.keep_packet_wakes) {
      timeline_.packet_wakes_.Append(block.packet_wakes);
      for (const FlowRecord& flow : block.flows) TakeFlow(flow);
    }
    hidden_switches_.Take(block, timeline_.pauses_);
    TakeStackSamples(block);
    for (const WakeSource source : block.sources) pseudo_threads_.Add(source);
    for (const LossRecord& record : block.losses) {
      // Without a stack an event is still whole.
      if (record.loss.kind == EventKind::kStackSample || record.loss.kind == EventKind::kStack ||
          record.loss.kind == EventKind::kWaitObject || record.loss.kind == EventKind::kWork)
        continue;
      timeline_.lost_ += record.loss.count;
      if (record.loss.kind != EventKind::kSwitch) continue;
      const uint64_t from_ns = record.time_ns - std::min(record.time_ns, record.loss.duration_ns);
      lossy_stretches_.Add(record.cpu, from_ns, record.time_ns);
    }
  };
  for (size_t first = 0; first < borders.size(); first += group_size) {
    const size_t count = std::min(group_size, borders.size() - first);
    const uint64_t end_ns = borders[first + count - 1];
    blocks_.DecodeUntil(end_ns, damaged, taken);
    ParallelFor(threads_, count, [&](size_t i, int worker) {
      const uint64_t from_ns = first + i == 0 ? 0 : borders[first + i - 1];
      windows_[first + i] = sorters[static_cast<size_t>(worker)].Sort(
          blocks_.RunsBetween(from_ns, borders[first + i]), timeline_.memory_);
    });
    blocks_.DropUntil(end_ns);
    OrderNewest(timeline_.block_records_, end_ns, final_requests_);
    OrderNewest(packets_, end_ns, final_packets_);
    OrderNewest(timeline_.packet_wakes_, end_ns, final_packet_wakes_);
    const std::span fresh = std::span(windows_).subspan(first, count);
    for (const Window& window : fresh) {
      for (const ThreadSlice& slice : window.slices) mentioned_.push_back(slice.tid);
    }
    std::sort(mentioned_.begin(), mentioned_.end());
    mentioned_.erase(std::unique(mentioned_.begin(), mentioned_.end()), mentioned_.end());
    if (progress_) {
      progress_(kShareOfReading * static_cast<double>(first + count) /
                static_cast<double>(borders.size()));
    }
  }
  for (const BlockSource::Damage& damage : damaged) {
    session_.CountCorruptBlock(damage.block.bytes);
    unreadable_ += damage.block.events;
    lossy_stretches_.Add(damage.stream->cpu(),
                         timeline_.pauses_.RecordedTime(damage.block.first_time_ns),
                         timeline_.pauses_.RecordedTime(damage.block.last_time_ns));
  }
  lossy_stretches_.Finish();
  hidden_switches_.Finish();
}

// Blocks that are decoded later begin at final_until_ns or behind it.
template <typename Record>
void TimelineLoader::OrderNewest(Column<Record>& column, uint64_t final_until_ns,
                                 size_t& final_count) {
  Record* const first = column.begin() + final_count;
  std::stable_sort(first, column.end(), kByTime);
  const Record* const end = std::lower_bound(
      first, column.end(), final_until_ns,
      [](const Record& record, uint64_t time_ns) { return record.time_ns < time_ns; });
  final_count = static_cast<size_t>(end - column.begin());
}

// A flow is told again with the origin of its packets, and in any order.
void TimelineLoader::TakeFlow(const FlowRecord& flow) {
  FlowRecord& known = timeline_.flows_[flow.flow_id];
  const uint32_t origin = flow.origin_flow_id != 0 ? flow.origin_flow_id : known.origin_flow_id;
  known = flow;
  known.origin_flow_id = origin;
}

// `thread` holds the tid until all lives are known.
void TimelineLoader::TakeStackSamples(DecodedBlock& block) {
  constexpr uint64_t kMostNs = (uint64_t{1} << 56) - 1;
  samples_without_wait_ += block.samples_without_event;
  for (WaitObjectRecord& object : block.wait_objects)
    timeline_.wait_objects_[object.object_id] = std::move(object);
  for (const StackRecordOfThread& sample : block.stack_samples) {
    const uint64_t time_ns = std::max(sample.time_ns, timeline_.start_ns_);
    timeline_.stack_samples_.push_back(
        {.since_start_ns = std::min(time_ns - timeline_.start_ns_, kMostNs),
         .weight_log2 = sample.weight_log2,
         .moment_value = static_cast<uint64_t>(sample.moment),
         .stack_id = sample.stack_id,
         .thread = static_cast<EntityId>(sample.tid),
         .object_id = sample.object_id});
  }
}

void TimelineLoader::MakeEntities() {
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [](const TimedTask& a, const TimedTask& b) { return a.time_ns < b.time_ns; });
  // Imports know no states, and a flight recorder repeats those it once heard of.
  const bool states_are_true = timeline_.session_.backend() != "import" && !identity_gave_way_;
  lives_.Build(tasks_, std::move(mentioned_), timeline_.start_ns_, timeline_.pauses_,
               states_are_true);
  timeline_.entities_ = ThreadEntities(lives_);
  NameWorkers(works_, lives_, timeline_.entities_);
  timeline_.programs_.Build(tasks_, lives_, timeline_.start_ns_);
  for (EntityId thread = 0; thread < timeline_.entities_.size(); ++thread) {
    if (timeline_.programs_.Of(thread).empty()) continue;
    const Program& last = timeline_.programs_.Of(thread).back();
    timeline_.entities_[thread].command = last.command;
    timeline_.entities_[thread].directory = last.directory;
  }
  NameContainers();
  std::vector<pb::Target> targets(timeline_.session_.targets().begin(),
                                  timeline_.session_.targets().end());
  targets.insert(targets.end(), options_.targets.begin(), options_.targets.end());
  MarkTargets(WithGroupsBelow(std::move(targets), timeline_.session_), timeline_.entities_, lives_);
  MarkRecordersHelpers(timeline_.entities_, lives_);
  for (const BlockRecord& record : timeline_.block_records_) pseudo_threads_.AddDisk(record.device);
  for (const PacketRecord& record : packets_) {
    pseudo_threads_.AddNic(record.interface);
  }
  pseudo_threads_.AppendTo(timeline_.entities_, timeline_.session_);
  for (size_t id = lives_.lives().size(); id < timeline_.entities_.size(); ++id) {
    timeline_.entities_[id].begin_ns = timeline_.start_ns_;
    timeline_.entities_[id].end_ns = timeline_.end_ns_;
  }
  for (const Life& life : lives_.lives()) {
    const int32_t creator_tid = life.born ? life.identity.parent_tid : 0;
    timeline_.creators_.push_back(lives_.Find(creator_tid, life.begin_ns));
    timeline_.exits_.push_back(life.exit_ns);
  }
}

void TimelineLoader::NameContainers() {
  absl::flat_hash_map<uint64_t, std::string> container_of;
  for (const pb::Cgroup& cgroup : timeline_.session_.cgroups()) {
    std::string container = ContainerOf(cgroup.path());
    if (!container.empty()) container_of.emplace(cgroup.id(), std::move(container));
  }
  if (container_of.empty()) return;
  for (Entity& entity : timeline_.entities_) {
    const auto found = container_of.find(entity.cgroup_id);
    if (found != container_of.end()) entity.container = found->second;
  }
}

// A slice of a window is its tid's; where the tid had several lives, it is cut at their borders.
void TimelineLoader::ShareOutWindow(const Window& window) {
  std::vector<Share>& shares = shares_.emplace_back();
  shares.reserve(window.slices.size());
  for (const ThreadSlice& slice : window.slices) {
    std::span<ThreadSegment> rest = window.slots.subspan(slice.first, slice.count);
    const EntityId first_life = lives_.FirstLifeOf(slice.tid);
    const std::span<const Life> lives = lives_.LivesOf(slice.tid);
    for (size_t i = 0; i < lives.size() && !rest.empty(); ++i) {
      size_t count = rest.size();
      if (i + 1 < lives.size()) {
        const auto end = std::lower_bound(rest.begin(), rest.end(), lives[i + 1].begin_ns,
                                          [](const ThreadSegment& slot, uint64_t time_ns) {
                                            return RecordIn(slot).time_ns < time_ns;
                                          });
        count = static_cast<size_t>(end - rest.begin());
      }
      if (count > 0) shares.push_back({static_cast<EntityId>(first_life + i), rest.first(count)});
      rest = rest.subspan(count);
    }
  }
}

// Gives each thread a row: a free slot, then the pieces that hold its records.
void TimelineLoader::ShareOutPieces() {
  shares_.reserve(windows_.size());
  for (Window& window : windows_) {
    ShareOutWindow(window);
    window = {};
  }
  const size_t threads = lives_.lives().size();
  std::vector<uint32_t>& first_piece = timeline_.first_piece_;
  first_piece.assign(threads + 1, 0);
  for (size_t thread = 0; thread < threads; ++thread) first_piece[thread + 1] = 1;
  for (const std::vector<Share>& shares : shares_) {
    for (const Share& share : shares) ++first_piece[share.thread + 1];
  }
  for (size_t thread = 0; thread < threads; ++thread)
    first_piece[thread + 1] += first_piece[thread];

  timeline_.pieces_.resize(first_piece.back());
  const std::span<ThreadSegment> first_slots = timeline_.memory_.Make<ThreadSegment>(threads);
  std::vector<uint32_t> next(first_piece.begin(), first_piece.end() - 1);
  for (size_t thread = 0; thread < threads; ++thread)
    timeline_.pieces_[next[thread]++] = first_slots.subspan(thread, 1);
  for (const std::vector<Share>& shares : shares_) {
    for (const Share& share : shares) timeline_.pieces_[next[share.thread]++] = share.piece;
  }
}

// Calls work(thread, pieces) for the threads of each few windows, with the number of their pieces
// there: threads in parallel, windows in order.
template <typename Work>
void TimelineLoader::ForEachRound(Work work) {
  std::vector<uint32_t> due(lives_.lives().size(), 0);
  std::vector<EntityId> threads;
  for (size_t first = 0; first < shares_.size(); first += kWindowsPerRound) {
    threads.clear();
    for (size_t i = first; i < std::min(first + kWindowsPerRound, shares_.size()); ++i) {
      for (const Share& share : shares_[i]) {
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
  const size_t threads = lives_.lives().size();
  timeline_.piece_count_.assign(threads, 0);
  timeline_.ended_.assign(threads, 0);
  timeline_.contradictions_.assign(threads, 0);
  std::stable_sort(locks_.begin(), locks_.end(), kByTime);
  const LockHolders holders(std::move(locks_));
  const HistoryContext context{.lives = lives_,
                               .pseudo_threads = pseudo_threads_,
                               .lock_holders = holders,
                               .lossy_stretches = lossy_stretches_,
                               .hidden_switches = hidden_switches_.stretches(),
                               .pauses = timeline_.pauses_,
                               .start_ns = timeline_.start_ns_,
                               .end_ns = timeline_.end_ns_};
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

// As Timeline::SumUp does, for all threads together, in order of time.
void TimelineLoader::SumUpThreads() {
  struct Sum {
    uint32_t piece = 0;  // the first that is not summed up
    ThreadSegment open;  // the last segment so far: it lasts until the next begins
  };
  std::vector<Sum> sums(lives_.lives().size());
  const auto end_open = [&](EntityId thread, uint64_t end_ns) {
    const ThreadSegment& open = sums[thread].open;
    TimeOf(timeline_.entities_[thread], open.kind) += end_ns - open.start_ns;
  };
  const auto take = [&](EntityId thread, uint32_t pieces) {
    Sum& sum = sums[thread];
    const uint32_t end = std::min(sum.piece + pieces, timeline_.piece_count_[thread]);
    for (; sum.piece < end; ++sum.piece) {
      for (const ThreadSegment& segment :
           timeline_.pieces_[timeline_.first_piece_[thread] + sum.piece]) {
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
    record.thread = lives_.Find(static_cast<int32_t>(record.thread), record.time_ns);
  }
  for (PacketRecord& record : packets_) {
    record.thread = lives_.Find(static_cast<int32_t>(record.thread), record.time_ns);
  }
  for (PacketWake& wake : timeline_.packet_wakes_) {
    wake.thread = lives_.Find(static_cast<int32_t>(wake.thread), wake.time_ns);
  }
  timeline_.packet_rows_.front() = std::move(packets_);
}

// A thread that dies was still there when its last wait began or ended.
void TimelineLoader::NameThreadsOfSamples() {
  constexpr size_t kChunk = 4096;
  Column<StackSample>& samples = timeline_.stack_samples_;
  ParallelFor(threads_, (samples.size() + kChunk - 1) / kChunk, [&](size_t chunk, int) {
    const size_t end = std::min(samples.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      samples[i].thread = lives_.Find(static_cast<int32_t>(samples[i].thread),
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
  timeline_.lost_ = std::max(timeline_.lost_, told) + unreadable_;
  Count("waits_without_wake", counts_.waits_without_wake);
  Count("contradicting_switches", Contradictions());
  Count("lossy_runs", counts_.lossy_runs);
  Count("unmatched_probes", counts_.unmatched_probes);
  Count("spins_without_holder", counts_.spins_without_holder);
  Count("waits_for_itself", counts_.waits_for_itself);
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
