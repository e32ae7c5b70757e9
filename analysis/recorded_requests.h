// SPDX-License-Identifier: Apache-2.0
// The requests of a recording's servers, asked of its folder.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "analysis/options.h"
#include "schema/requests.pb.h"

namespace gordian {

struct RequestsQuestion {
  std::vector<uint16_t> ports;  // of servers; empty: all
  std::string phase;            // instead of packets: requests are the phases of that name
  size_t most_slowest = 10;     // of each port
  size_t most_steps = std::numeric_limits<size_t>::max();  // of each of those; the rest is counted
  // Gets a line for each request, with a line of titles before: CSV. None: nothing is written.
  std::function<void(std::string_view line)> csv;
  // Asked now and then; once it is true, the answer is Cancelled.
  std::function<bool()> stop_asked = [] { return false; };
};

// `options`: the target whose threads answer, the range, and how vertices are made, as for an
// analysis. Without a target, that of the recording; without one, either, all servers. NotFound, in
// a line for the user, if there is no request. Several folders are nodes of one recording.
absl::StatusOr<pb::Requests> RequestsOfRecording(const std::vector<std::string>& directories,
                                                 const RequestsQuestion& question,
                                                 const AnalysisOptions& options,
                                                 const AnalysisProgress& progress = {});
// Of a recording that is analyzed already, with these options but for the range; reads the files of
// its packets and phases again.
absl::StatusOr<pb::Requests> RequestsOfAnalysis(const Analysis& analysis,
                                                const RequestsQuestion& question,
                                                const AnalysisOptions& options,
                                                const AnalysisProgress& progress = {});

}  // namespace gordian
