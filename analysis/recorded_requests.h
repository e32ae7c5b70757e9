// SPDX-License-Identifier: Apache-2.0
// The requests of a recording's servers, asked of its folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "schema/requests.pb.h"

namespace gordian {

struct RequestsQuestion {
  std::vector<uint16_t> ports;  // of servers; empty: all
  std::string phase;            // instead of packets: requests are the phases of that name
  size_t most_slowest = 10;     // of each port
  // Gets a line for each request, with a line of titles before: CSV. None: nothing is written.
  std::function<void(std::string_view line)> csv;
};

// `options`: the target whose threads answer, the range, and how vertices are made, as for an
// analysis. Without a target, that of the recording; without one, either, all servers. NotFound, in
// a line for the user, if there is no request. Several folders are nodes of one recording.
absl::StatusOr<pb::Requests> RequestsOfRecording(const std::vector<std::string>& directories,
                                                 const RequestsQuestion& question,
                                                 const AnalysisOptions& options,
                                                 const AnalysisProgress& progress = {});

}  // namespace gordian
