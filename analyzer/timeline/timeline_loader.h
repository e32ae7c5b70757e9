// SPDX-License-Identifier: Apache-2.0
// Loads a session into a timeline, in three steps, each of them parallel:
//
// 1. Windows. Blocks are decoded, all that begin before the end of the next few windows of time;
//    then each of these windows brings its records into order by thread.
// 2. Lives. Now all task records are known, and so each record's thread.
// 3. Histories. Each thread's records become its segments, in place; a few windows at a time,
//    threads in parallel. So memory is touched in order of time, and may be a file's
//    (column_memory.h).
//
// The cut into windows decides only where segments lie in memory, not their contents.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/block_source.h"
#include "analyzer/timeline/recording_facts.h"
#include "analyzer/timeline/thread_history.h"
#include "analyzer/timeline/thread_shares.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/window_reader.h"

namespace gordian {

class TimelineLoader {
 public:
  TimelineLoader(SessionReader& session, TimelineOptions options);

  // As Timeline::Load.
  absl::StatusOr<Timeline> Load(const Progress& progress);

  // The same in steps: windows end at these times, too; then windows are read.
  absl::Status Begin(const std::vector<uint64_t>& stops_ns);
  // As many as are best read at once, up to that time.
  void ReadSome(uint64_t until_ns);
  bool IsReadUntil(uint64_t time_ns) const {
    return IsWhole() || (!windows_.empty() && ReadUntil() >= time_ns);
  }
  bool IsWhole() const { return windows_.size() == timeline_.borders_.size(); }
  // Whether anything behind the recording's start was read.
  bool HasBegun() const { return !windows_.empty() && ReadUntil() > facts_.start_ns(); }
  double share() const {
    return static_cast<double>(windows_.size()) / static_cast<double>(timeline_.borders_.size());
  }
  // Of what was read, as if no more had been recorded.
  Timeline Finish();
  // What is kept for the next windows.
  void ReleaseMemory();

 private:
  uint64_t ReadUntil() const { return timeline_.borders_[windows_.size() - 1]; }
  void TakeNow(DecodedBlock& block);
  void Take(DecodedBlock& block);
  void EndAfterWindows();
  size_t TakeSamplesAgain(const DecodedBlock& block);
  void MakeEntities();
  void ShareOutPieces();
  void WriteHistories();
  void SumUpThreads();
  template <typename Work>
  void ForEachRound(Work work);
  template <typename Record>
  void OrderNewest(Column<Record>& column, uint64_t final_until_ns, size_t& final_count);
  void NameThreadsOfRequests();
  void NameThreadsOfSamples();
  uint64_t Contradictions() const;
  void Count(std::string_view name, uint64_t value);
  void CountAll();

  SessionReader& session_;
  const TimelineOptions options_;
  const int threads_;
  BlockSource blocks_;
  RecordingFacts facts_;
  std::optional<WindowReader> reader_;
  std::vector<BlockSource::Damage> damaged_;
  Column<PacketRecord> packets_;
  Column<LocalMessage> local_messages_;
  // How many records of these columns are in their final order.
  size_t final_requests_ = 0;
  size_t final_packets_ = 0;
  size_t final_packet_wakes_ = 0;
  size_t final_local_messages_ = 0;
  std::vector<Window> windows_;
  std::vector<std::vector<ThreadShare>> shares_;  // by window
  HistoryCounts counts_;
  uint64_t samples_without_wait_ = 0;
  Timeline timeline_;
};

}  // namespace gordian
