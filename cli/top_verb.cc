// SPDX-License-Identifier: Apache-2.0
// gordian top: what limits a running system now.
#include <iostream>
#include <memory>
#include <thread>

#include "cli/analysis_arguments.h"
#include "cli/ending_signals.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "live/live_session.h"
#include "output/message_json.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kTopExamples[] =
    "gordian top trace              # a recording that is being written\n"
    "gordian top trace --once --json\n"
    "gordian top trace --json | jq -r .verdict";

struct TopArguments {
  std::string directory;
  LiveOptions live;
  bool once = false;
  bool json = false;
};

int Top(const TopArguments& arguments) {
  auto live = LiveSession::Open({{.directory = arguments.directory}}, arguments.live);
  if (!live.ok()) return Fail(live.status());
  EndingSignals signals;
  while (!(*live)->ended()) {
    const auto moment = (*live)->Next();
    if (!moment.ok()) return Fail(moment.status());
    if (*moment != nullptr) {
      std::cout << MessageJson((*moment)->frame, JsonShape::kCompact) << std::endl;
      if (arguments.once) return kExitSuccess;
    }
    signals.Wait(std::chrono::milliseconds(100), -1);
    if (signals.urgency() != Urgency::kNone) return kExitSuccess;
  }
  return kExitSuccess;
}

}  // namespace

Verb AddTopVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TopArguments>();
  CLI::App* command = AddCommand(app, "top", "Tell what limits a running system now", kTopExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddTargetOptions(*command, arguments->live.target);
  command->add_flag("--once", arguments->once, "One frame, then end");
  command->add_flag("--json", arguments->json, "A line of JSON a second");
  return {command, [arguments] { return Top(*arguments); }};
}

}  // namespace gordian
