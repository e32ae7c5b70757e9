// SPDX-License-Identifier: Apache-2.0
#include "causes/slice_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gordian {
namespace {

constexpr uint32_t kNoLabel = 0xffffffff;

void SetTimes(const uint64_t (&by_kind_ns)[5], pb::SliceTimes& times) {
  const auto of = [&](SegmentKind kind) { return by_kind_ns[static_cast<size_t>(kind)]; };
  times.set_run_ns(of(SegmentKind::kRun));
  times.set_ready_ns(of(SegmentKind::kRunnable));
  times.set_wait_ns(of(SegmentKind::kWait) + of(SegmentKind::kSpin));
  times.set_unknown_ns(of(SegmentKind::kUnknown));
}

}  // namespace

SliceSums::SliceSums(const ExecutionGraph& graph, SliceBy by, const SliceNames& names)
    : graph_(graph),
      by_(by),
      names_(names),
      label_of_thread_(graph.timeline().thread_count(), kNoLabel) {
  if (by != SliceBy::kFunction) return;
  for (const StackSample& sample : graph.timeline().stack_samples()) {
    if (sample.moment() == StackMoment::kCpu && sample.thread < label_of_thread_.size())
      samples_.push_back(
          {sample.thread, graph.timeline().start_ns() + sample.since_start_ns, sample.stack_id});
  }
  std::stable_sort(samples_.begin(), samples_.end(),
                   [](const RunningSample& a, const RunningSample& b) {
                     return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
                   });
}

SliceSums::OwnTimes SliceSums::TimesWithin(EntityId thread, uint64_t from_ns,
                                           uint64_t to_ns) const {
  OwnTimes times;
  for (SegmentCursor at = graph_.timeline().SegmentsFrom(thread, from_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    const uint64_t begin_ns = std::max(at.start_ns(), from_ns);
    const uint64_t end_ns = std::min(at.end_ns(), to_ns);
    if (begin_ns < end_ns)
      times.by_kind_ns[static_cast<size_t>(at.segment().kind)] += end_ns - begin_ns;
  }
  return times;
}

uint32_t SliceSums::LabelOf(const std::string& text) {
  const auto [place, is_new] = labels_.try_emplace(text, static_cast<uint32_t>(sums_.size()));
  if (is_new) sums_.emplace_back();
  return place->second;
}

uint32_t SliceSums::LabelOfThread(EntityId thread) {
  uint32_t& label = label_of_thread_[thread];
  if (label != kNoLabel) return label;
  switch (by_) {
    case SliceBy::kThread:
      return label = LabelOf(names_.thread(thread));
    case SliceBy::kProcess:
      return label = LabelOf(names_.process(thread));
    case SliceBy::kNode:
      return label = LabelOf(names_.node(thread));
    case SliceBy::kName:
    case SliceBy::kFunction:
    case SliceBy::kPhase:
      break;
  }
  return label = LabelOf(names_.name(thread));
}

void SliceSums::AddTo(uint32_t label, EntityId thread, const OwnTimes& times, uint64_t stretches) {
  Sum& sum = sums_[label];
  for (size_t kind = 0; kind < 5; ++kind) sum.by_kind_ns[kind] += times.by_kind_ns[kind];
  sum.stretches += stretches;
  sum.threads.insert(thread);
}

void SliceSums::AddPhases(const SliceStretch& stretch) {
  const auto phases = graph_.PhasesOfThread(stretch.thread);
  auto phase = std::partition_point(phases.begin(), phases.end(), [&](const ThreadPhase& told) {
    return told.to_ns <= stretch.from_ns;
  });
  const auto add = [&](uint32_t name, uint64_t from_ns, uint64_t to_ns) {
    if (from_ns >= to_ns) return;
    auto known = label_of_other_.find(name);
    if (known == label_of_other_.end())
      known = label_of_other_
                  .emplace(name, LabelOf(name == kNoPhase ? "[no phase]" : names_.phase(name)))
                  .first;
    AddTo(known->second, stretch.thread, TimesWithin(stretch.thread, from_ns, to_ns), 1);
  };
  uint64_t at_ns = stretch.from_ns;
  for (; phase != phases.end() && phase->from_ns < stretch.to_ns; ++phase) {
    const uint64_t begin_ns = std::max(phase->from_ns, stretch.from_ns);
    const uint64_t end_ns = std::min(phase->to_ns, stretch.to_ns);
    add(kNoPhase, at_ns, begin_ns);
    add(phase->name, begin_ns, end_ns);
    at_ns = end_ns;
  }
  add(kNoPhase, at_ns, stretch.to_ns);
}

// What is left when the running time is divided by the samples goes to the first of them.
void SliceSums::AddFunctions(const SliceStretch& stretch) {
  OwnTimes times = TimesWithin(stretch.thread, stretch.from_ns, stretch.to_ns);
  constexpr std::pair<SegmentKind, std::string_view> kOthers[] = {
      {SegmentKind::kRunnable, "[ready]"},
      {SegmentKind::kWait, "[waits]"},
      {SegmentKind::kSpin, "[waits]"},
      {SegmentKind::kUnknown, "[unknown]"}};
  for (const auto& [kind, name] : kOthers) {
    OwnTimes alone;
    std::swap(alone.by_kind_ns[static_cast<size_t>(kind)],
              times.by_kind_ns[static_cast<size_t>(kind)]);
    if (alone.by_kind_ns[static_cast<size_t>(kind)] > 0)
      AddTo(LabelOf(std::string(name)), stretch.thread, alone, 0);
  }
  uint64_t& run_ns = times.by_kind_ns[static_cast<size_t>(SegmentKind::kRun)];
  const auto first =
      std::partition_point(samples_.begin(), samples_.end(), [&](const RunningSample& sample) {
        return std::tie(sample.thread, sample.time_ns) < std::tie(stretch.thread, stretch.from_ns);
      });
  auto end = first;
  while (end != samples_.end() && end->thread == stretch.thread && end->time_ns < stretch.to_ns)
    ++end;
  if (first == end) {
    if (run_ns > 0) AddTo(LabelOf("[not sampled]"), stretch.thread, times, 0);
    return;
  }
  const auto samples = static_cast<uint64_t>(end - first);
  const uint64_t each_ns = run_ns / samples;
  const uint64_t rest_ns = run_ns % samples;
  for (auto sample = first; sample != end; ++sample) {
    auto known = label_of_other_.find(sample->stack_id);
    if (known == label_of_other_.end())
      known = label_of_other_
                  .emplace(sample->stack_id, LabelOf(names_.function_of_stack(sample->stack_id)))
                  .first;
    run_ns = each_ns + (sample == first ? rest_ns : 0);
    AddTo(known->second, stretch.thread, times, 1);
  }
}

void SliceSums::Add(const SliceStretch& stretch) {
  const OwnTimes times = TimesWithin(stretch.thread, stretch.from_ns, stretch.to_ns);
  for (size_t kind = 0; kind < 5; ++kind) all_.by_kind_ns[kind] += times.by_kind_ns[kind];
  ++all_.stretches;
  all_.threads.insert(stretch.thread);
  if (by_ == SliceBy::kPhase) {
    AddPhases(stretch);
  } else if (by_ == SliceBy::kFunction) {
    AddFunctions(stretch);
  } else {
    AddTo(LabelOfThread(stretch.thread), stretch.thread, times, 1);
  }
}

std::vector<pb::SliceRow> SliceSums::Rows() const {
  std::vector<pb::SliceRow> rows;
  for (const auto& [name, label] : labels_) {
    pb::SliceRow& row = rows.emplace_back();
    row.set_name(name);
    SetTimes(sums_[label].by_kind_ns, *row.mutable_times());
    row.set_stretches(sums_[label].stretches);
    row.set_threads(sums_[label].threads.size());
  }
  std::sort(rows.begin(), rows.end(), [](const pb::SliceRow& a, const pb::SliceRow& b) {
    const uint64_t a_ns = TimeOf(a.times());
    const uint64_t b_ns = TimeOf(b.times());
    return a_ns != b_ns ? a_ns > b_ns : a.name() < b.name();
  });
  return rows;
}

pb::SliceRow SliceSums::All() const {
  pb::SliceRow row;
  SetTimes(all_.by_kind_ns, *row.mutable_times());
  row.set_stretches(all_.stretches);
  row.set_threads(all_.threads.size());
  return row;
}

std::vector<pb::SliceDiffRow> DifferenceOf(const pb::Slice& first, const pb::Slice& second) {
  absl::flat_hash_map<std::string, size_t> places;
  std::vector<pb::SliceDiffRow> rows;
  const auto row_of = [&](const std::string& name) -> pb::SliceDiffRow& {
    const auto [place, is_new] = places.try_emplace(name, rows.size());
    if (is_new) rows.emplace_back().set_name(name);
    return rows[place->second];
  };
  for (const pb::SliceRow& row : first.rows()) *row_of(row.name()).mutable_first() = row;
  for (const pb::SliceRow& row : second.rows()) *row_of(row.name()).mutable_second() = row;
  const auto difference = [](const pb::SliceDiffRow& row) {
    const uint64_t first_ns = TimeOf(row.first().times());
    const uint64_t second_ns = TimeOf(row.second().times());
    return std::max(first_ns, second_ns) - std::min(first_ns, second_ns);
  };
  std::sort(rows.begin(), rows.end(), [&](const pb::SliceDiffRow& a, const pb::SliceDiffRow& b) {
    const uint64_t a_ns = difference(a);
    const uint64_t b_ns = difference(b);
    return a_ns != b_ns ? a_ns > b_ns : a.name() < b.name();
  });
  return rows;
}

}  // namespace gordian
