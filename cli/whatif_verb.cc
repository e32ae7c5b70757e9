// gordian whatif: what a change would gain.
#include <memory>

#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "whatif/whatif.h"

namespace gordian {
namespace {

constexpr uint32_t kMostCpus = 4096;

constexpr char kWhatIfExamples[] =
    "gordian whatif trace --scale 'disk vda=0'        (the disk takes no time)\n"
    "gordian whatif trace --async 'SyncThread->disk vda' --progress 'syscall accept4'\n"
    "gordian whatif trace --skip 'postgres->disk vda'  (no sync at all)\n"
    "gordian whatif trace --lock 'worker-*->worker-*' --cpus 16\n"
    "gordian whatif trace --split 'worker-*->worker-*=8'  (eight locks instead of one)\n"
    "gordian whatif trace --add-thread 'worker-*=2' --progress 'probe done'\n"
    "gordian whatif trace --in-flight haproxy=8           (eight times its limit of requests)\n"
    "gordian whatif trace --function 'Compress=0.5' --json | jq '.low, .high'";

struct WhatIfArguments {
  std::string directory;
  AnalysisOptions options;
  WhatIfRequest request;
  bool json = false;
};

absl::StatusOr<std::string> WhatIf(const WhatIfArguments& arguments) {
  const auto analysis = AnalyzeShowing(arguments.directory, arguments.options);
  if (!analysis.ok()) return analysis.status();
  const auto answer = analysis->Ask(arguments.request);
  if (!answer.ok()) return answer.status();
  return arguments.json ? MessageJson(*answer, JsonShape::kPretty)
                        : WhatIfText(*answer, {.colour = WantsColour()});
}

bool ChangesNothing(const WhatIfRequest& request) {
  return request.scale.empty() && request.async.empty() && request.lock.empty() &&
         request.skip.empty() && request.split.empty() && request.batch.empty() &&
         request.no_false_wakeups.empty() && request.add_thread.empty() &&
         request.in_flight.empty() && request.clients.empty() && request.timer.empty() &&
         request.function.empty() && request.run.empty() && request.cpus == 0;
}

void AddChangeOptions(CLI::App& command, WhatIfRequest& request) {
  const auto add = [&command](const char* name, std::vector<std::string>& texts, const char* type,
                              const char* what) {
    command.add_option(name, texts, what)->allow_extra_args(false)->type_name(type);
  };
  add("--scale", request.scale, "DISK=FACTOR",
      "The disk's service takes so many times as long; 0: no time (repeatable, like all but "
      "--cpus, --in-flight and --clients)");
  add("--async", request.async, "WHO->WHOM",
      "WHO does not wait for WHOM any more, who goes on doing the work");
  add("--lock", request.lock, "WHO->WHOM", "WHO never finds a lock held by WHOM");
  add("--skip", request.skip, "WHO->WHOM",
      "WHO does not even ask for what it waits for: the calls go, too (no sync at all)");
  add("--split", request.split, "WHO->WHOM=WAYS",
      "The lock for which WHO waits for WHOM becomes so many, needed equally often");
  add("--batch", request.batch, "WHO->WHOM",
      "Of all who wait for that lock one does the work for all (group commit)");
  add("--no-false-wakeups", request.no_false_wakeups, "THREAD",
      "The thread is never woken just to sleep again");
  add("--add-thread", request.add_thread, "THREAD[=COUNT]",
      "One more thread of that kind, or so many, share its work");
  add("--in-flight", request.in_flight, "THREAD=TIMES",
      "So many times as many requests of that thread are under way at a time (a larger pool or "
      "limit, pipelining)");
  add("--clients", request.clients, "THREAD=TIMES",
      "So many times as many threads of that kind, each with work of its own");
  add("--timer", request.timer, "THREAD=FACTOR", "The thread's sleeps are so many times as long");
  add("--function", request.function, "NAME=FACTOR",
      "CPU time in that function and what it calls is so many times as long (needs stacks)");
  add("--run", request.run, "THREAD=FACTOR", "The thread's CPU time is so many times as long");
  command.add_option("--cpus", request.cpus, "So many CPUs")
      ->check(CLI::Range(1u, kMostCpus).description(""))
      ->type_name("N");
  command
      .add_option("--progress", request.progress,
                  "Throughput is the rate of this: 'wakes THREAD', 'io', 'io DISK', 'syscall NAME' "
                  "(if recorded with --count-call), 'probe NAME' or 'phase NAME' (default: the "
                  "cycles of the first finding's threads)")
      ->type_name("WHAT");
}

}  // namespace

Verb AddWhatIfVerb(CLI::App& app) {
  const auto arguments = std::make_shared<WhatIfArguments>();
  CLI::App* command =
      AddCommand(app, "whatif", "Predict what a change would gain", kWhatIfExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddChangeOptions(*command, arguments->request);
  command->add_flag("--json", arguments->json, "As JSON");
  AddTargetOptions(*command, arguments->options.target);
  AddFindingOptions(*command, arguments->options.finding);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments, command] {
            if (ChangesNothing(arguments->request))
              return FailUsage(*command,
                               "name a change: --scale, --async, --lock, --skip, --split, --batch, "
                               "--no-false-wakeups, --add-thread, --in-flight, --clients, "
                               "--timer, --function, --run or --cpus");
            const absl::StatusOr<std::string> answer = WhatIf(*arguments);
            if (absl::IsInvalidArgument(answer.status()))
              return FailUsage(*command, std::string(answer.status().message()));
            return PrintOrFail(answer);
          }};
}

}  // namespace gordian
