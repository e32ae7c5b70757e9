// SPDX-License-Identifier: Apache-2.0
// The command line of a question about traffic, in one process or in many.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/recorded_traffic.h"

namespace gordian {

struct TrafficArguments {
  TrafficRequest request;
  std::string level = "process";
  std::string nodes_file;
  size_t most_pairs = 20;
  bool json = false;
};

// `arguments` must outlive the parse.
void AddTrafficOptions(CLI::App& command, TrafficArguments& arguments);

// With the racks, which are read now.
absl::StatusOr<TrafficRequest> TrafficRequestOf(const TrafficArguments& arguments);
// Text, or JSON.
std::string TrafficAnswer(const TrafficArguments& arguments, const Traffic& traffic);

}  // namespace gordian
