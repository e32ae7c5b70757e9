// SPDX-License-Identifier: Apache-2.0
// An analysis by many ranks: the same report as that of one process, to the last byte, for any
// number of ranks and whichever rank makes which unit.
//
//   settle (node)    any rank that sees the session: files to the node's timeline
//   match (node)     a rank that has it: who sent the packets that woke its threads
//   clocks           rank 0: of the shortest messages of each pair of nodes
//   move (node)      a rank that has it: its part of the joined timeline
//   join             rank 0: the parts behind each other
//   sweep (stretch)  any rank: what waits weigh within a stretch of time
//   the rest         rank 0, as in one process (docs/design-mpi.md)
//
// Small nodes that follow each other share a unit.
//
// Units lie in a work folder. Started again after any end, with any number of ranks, it goes on
// from what is there.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "analysis/options.h"
#include "mpi/crew.h"
#include "mpi/rank_work.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"

namespace gordian {

struct RankRequest {
  std::string program;    // its version: all ranks must be of one
  std::string directory;  // as `gordian analyze` takes it
  AnalysisOptions analysis;
  // Of each rank, while it makes units; 0: as many as the analysis has.
  int unit_threads = 0;
  // Where columns of timelines lie; the result does not depend on it.
  MemoryOptions unit_memory;
  // Small nodes that follow each other are one unit, until their recordings have so many bytes.
  // Nor on this. A unit of one small node costs more than what is in it: seven files, and a message
  // and back four times. With much more, few units are left for many ranks.
  uint64_t unit_recording_bytes = 512 << 10;
  CrewOptions crew;
  // A line for the user that is no failure; none: it is not told.
  std::function<void(const std::string& line)> note;
  // What is asked of the analysis reads sessions' events once more (pages with views, for one):
  // then rank 0 must see all sessions.
  bool needs_events = false;
  // … or asks for single messages between nodes: predictions, pages, participation, slices. Then
  // rank 0 holds all of them in memory.
  bool needs_flights = true;
};

// Of rank 0. The others are let go in any case. `use` gets the analysis; what it returns is
// returned. A folder that cannot be used fails it, on whichever rank it is.
absl::Status AnalyzeOnRanks(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                            const RankRequest& request,
                            const std::function<absl::Status(const Analysis& analysis)>& use);

// … of any other question (rank_work.h).
absl::Status AskOnRanks(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                        const RankRequest& request,
                        const std::function<absl::Status(const RankWork& work)>& ask);
// The analysis of the recording that the work settled.
absl::StatusOr<Analysis> AnalysisOf(const RankWork& work, LoadedRecording recording,
                                    AnalysisOptions options);

// Of every other rank, until rank 0 lets it go.
absl::Status ServeRankZero(Ranks& ranks, const absl::StatusOr<WorkFolder>& folder,
                           const RankRequest& request);

}  // namespace gordian
