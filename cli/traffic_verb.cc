// SPDX-License-Identifier: Apache-2.0
// gordian traffic: how much each node or thread sends to which other, and when.
#include <memory>
#include <string>

#include "analysis/recorded_traffic.h"
#include "cli/report_outputs.h"
#include "cli/traffic_arguments.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

constexpr char kTrafficExamples[] =
    "gordian traffic run1                            (every process on every node)\n"
    "gordian traffic run1 --by host --per 1          (second by second)\n"
    "gordian traffic run1 --by rack --nodes-file nodes.yaml\n"
    "gordian traffic run1 --per Superstep            (phases that probes told of)\n"
    "gordian traffic run1 --json | jq '.total.payload_bytes'";

absl::StatusOr<std::string> TrafficOf(const TrafficArguments& arguments) {
  const auto request = TrafficRequestOf(arguments);
  if (!request.ok()) return request.status();
  const auto traffic = MeasureRecordedTraffic(*request);
  if (!traffic.ok()) return traffic.status();
  return TrafficAnswer(arguments, *traffic);
}

}  // namespace

Verb AddTrafficVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TrafficArguments>();
  CLI::App* command =
      AddCommand(app, "traffic", "Tell who sends how much to whom, and when", kTrafficExamples);
  AddTrafficOptions(*command, *arguments);
  return {command, [arguments, command] {
            const absl::StatusOr<std::string> text = TrafficOf(*arguments);
            if (absl::IsInvalidArgument(text.status()))
              return FailUsage(*command, std::string(text.status().message()));
            return PrintOrFail(text);
          }};
}

}  // namespace gordian
