// SPDX-License-Identifier: Apache-2.0
#include "trace/activities/activity_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/activities/activity_files.h"

namespace gordian {

void AddGraphCounter(pb::ActivityGraph& graph, std::string_view name, uint64_t value) {
  if (value == 0) return;
  pb::Counter& counter = *graph.add_counters();
  counter.set_name(std::string(name));
  counter.set_value(value);
}

absl::StatusOr<std::unique_ptr<ActivityWriter>> ActivityWriter::Create(const std::string& directory,
                                                                       size_t run_edges) {
  if (absl::Status status = MakeEmptyDirectory(directory); !status.ok()) return status;
  std::unique_ptr<ActivityWriter> writer(new ActivityWriter(directory, run_edges));
  if (absl::Status status = writer->BeginFile(); !status.ok()) return status;
  return writer;
}

std::string ActivityWriter::Path() const {
  return absl::StrCat(directory_, "/", std::string(kActivityTraceName));
}

absl::Status ActivityWriter::BeginFile() {
  auto file = CreateFile(Path());
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  sequence_ = bytes_on_disk_ = 0;
  return absl::OkStatus();
}

absl::Status ActivityWriter::Add(const ToldActivity& activity) {
  if (activity.src_ns > kMaxActivityNs || activity.dst_ns > kMaxActivityNs)
    return absl::InvalidArgumentError(absl::StrCat("a time is beyond ", kMaxActivityNs));
  for (const std::string_view name :
       {activity.src_worker, activity.dst_worker, activity.type, activity.label}) {
    if (name.size() > kMaxActivityNameBytes)
      return absl::InvalidArgumentError("a name is longer than 64 KiB");
  }
  if (activity.dst_ns < activity.src_ns) {
    ++back_in_time_;
    return absl::OkStatus();
  }
  const auto src_worker = names_.Number(activity.src_worker);
  const auto dst_worker =
      activity.dst_worker == activity.src_worker ? src_worker : names_.Number(activity.dst_worker);
  const auto type = names_.Number(activity.type);
  const auto label = names_.Number(activity.label);
  for (const auto* number : {&src_worker, &dst_worker, &type, &label})
    if (!number->ok()) return number->status();
  held_.push_back({.src_ns = activity.src_ns,
                   .dst_ns = activity.dst_ns,
                   .src_worker = *src_worker,
                   .dst_worker = *dst_worker,
                   .type = *type,
                   .label = *label,
                   .traversable = activity.traversable});
  ++edges_;
  return held_.size() < run_edges_ ? absl::OkStatus() : WriteRun();
}

// Edges of one beginning keep their order.
absl::Status ActivityWriter::WriteRun() {
  if (held_.empty()) return absl::OkStatus();
  const auto earlier = [](const ActivityEdge& a, const ActivityEdge& b) {
    return a.src_ns < b.src_ns;
  };
  if (!std::is_sorted(held_.begin(), held_.end(), earlier))
    std::stable_sort(held_.begin(), held_.end(), earlier);
  Run& run = runs_.emplace_back();
  run.first_ns = held_.front().src_ns;
  run.last_ns = held_.back().src_ns;
  absl::Status status = WriteBlocks(held_, run);
  held_.clear();
  return status;
}

absl::Status ActivityWriter::WriteBlocks(std::span<const ActivityEdge> edges, Run& run) {
  while (!edges.empty()) {
    const auto block = encoder_.Encode(edges, sequence_);
    if (!block.ok()) return block.status();
    if (absl::Status status = WriteAll(file_, block->bytes, Path()); !status.ok()) return status;
    run.blocks.push_back({block->header, bytes_on_disk_});
    bytes_on_disk_ += block->bytes.size();
    ++sequence_;
    edges = edges.subspan(block->header.events);
  }
  return absl::OkStatus();
}

bool ActivityWriter::RunsAreInOrder() const {
  for (size_t i = 1; i < runs_.size(); ++i) {
    if (runs_[i].first_ns < runs_[i - 1].last_ns) return false;
  }
  return true;
}

// The runs' next edges stand in a heap, by time and then by run: so edges of one beginning keep
// their order. One block of each run is in memory.
absl::Status ActivityWriter::MergeRuns() {
  const std::string unsorted = UnsortedPath();
  if (std::rename(Path().c_str(), unsorted.c_str()) != 0)
    return SystemError(errno, "cannot rename", Path());
  file_.Close();
  const auto from = OpenFile(unsorted);
  if (!from.ok()) return from.status();
  if (absl::Status status = BeginFile(); !status.ok()) return status;

  struct Cursor {
    size_t block = 0;
    size_t edge = 0;
    std::vector<ActivityEdge> edges;
  };
  std::vector<Cursor> cursors(runs_.size());
  ActivityBlockDecoder decoder;
  const auto load = [&](size_t run) {
    Cursor& cursor = cursors[run];
    cursor.edge = 0;
    return decoder.Read(from->handle, unsorted, runs_[run].blocks[cursor.block], names_,
                        cursor.edges);
  };
  using Next = std::pair<uint64_t, size_t>;  // time and run
  std::priority_queue<Next, std::vector<Next>, std::greater<>> heap;
  for (size_t run = 0; run < runs_.size(); ++run) {
    if (absl::Status status = load(run); !status.ok()) return status;
    heap.emplace(runs_[run].first_ns, run);
  }
  Run merged;
  while (!heap.empty()) {
    const size_t run = heap.top().second;
    heap.pop();
    Cursor& cursor = cursors[run];
    held_.push_back(cursor.edges[cursor.edge++]);
    if (cursor.edge == cursor.edges.size() && ++cursor.block < runs_[run].blocks.size()) {
      if (absl::Status status = load(run); !status.ok()) return status;
    }
    if (cursor.edge < cursor.edges.size()) heap.emplace(cursor.edges[cursor.edge].src_ns, run);
    if (held_.size() < kActivityBlockEdges && !heap.empty()) continue;
    if (absl::Status status = WriteBlocks(held_, merged); !status.ok()) return status;
    held_.clear();
  }
  if (::unlink(unsorted.c_str()) != 0) return SystemError(errno, "cannot remove", unsorted);
  return absl::OkStatus();
}

absl::Status ActivityWriter::Finish(pb::ActivityGraph& header) {
  if (absl::Status status = WriteRun(); !status.ok()) return status;
  if (!RunsAreInOrder()) {
    if (absl::Status status = MergeRuns(); !status.ok()) return status;
  }
  file_.Close();
  header.set_format_version(kActivityFormatVersion);
  header.set_edges(edges_);
  AddGraphCounter(header, "activities_back_in_time", back_in_time_);
  const std::string bytes = header.SerializeAsString();
  bytes_on_disk_ += bytes.size();
  return ReplaceFile(absl::StrCat(directory_, "/", std::string(kActivityHeaderName)), bytes);
}

}  // namespace gordian
