// SPDX-License-Identifier: Apache-2.0
// The command line of a question about participation, in one process or in many.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/options.h"
#include "output/participation_text.h"
#include "participation/participation_request.h"
#include "schema/participation.pb.h"

namespace gordian {

struct ParticipationArguments {
  std::string directory;
  ParticipationRequest request;
  RangeOptions range;
  std::vector<uint64_t> between;  // nothing, or two
  std::string by;                 // empty: the four summaries
  ParticipationTextOptions text;
  bool critical_path = false;
  std::string json;         // a file, or -
  std::string flame;        // likewise
  AnalysisOptions options;  // of recordings
};

// `arguments` must outlive the parse.
void AddParticipationOptions(CLI::App& command, ParticipationArguments& arguments);
// InvalidArgument, in one line, for what makes no sense although every option by itself does.
absl::Status CheckParticipationArguments(const CLI::App& command,
                                         const ParticipationArguments& arguments);

ParticipationRequest ParticipationRequestOf(const ParticipationArguments& arguments);
// Text, or JSON.
std::string ParticipationAnswer(const ParticipationArguments& arguments,
                                const std::vector<pb::Participation>& answers);

}  // namespace gordian
