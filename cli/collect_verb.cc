// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/ask_daemons.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cluster/collect.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressInterval = std::chrono::milliseconds(250);

struct CollectArguments {
  CollectOptions options;
  DaemonChoice daemons;
  bool quiet = false;
};

uint64_t BytesPerSecond(uint64_t bytes, Clock::time_point begin) {
  const std::chrono::duration<double> passed = Clock::now() - begin;
  return static_cast<uint64_t>(static_cast<double>(bytes) / passed.count());
}

// Shows the progress on a terminal as long as it lives.
class ProgressLine {
 public:
  ProgressLine(const CollectProgress& progress, bool quiet) : progress_(progress) {
    if (!quiet && IsTerminal(STDERR_FILENO)) thread_ = std::thread(&ProgressLine::Run, this);
  }
  ~ProgressLine() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    if (!thread_.joinable()) return;
    thread_.join();
    std::cerr << kEraseLine;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void Run() {
    const auto begin = Clock::now();
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kProgressInterval, [this] { return ending_; })) {
      if (progress_.missing_bytes == 0) continue;
      std::cerr << kEraseLine << "collected " << FormatSize(progress_.fetched_bytes) << " of "
                << FormatSize(progress_.missing_bytes) << ", "
                << FormatSize(BytesPerSecond(progress_.fetched_bytes, begin)) << "/s" << std::flush;
    }
  }

  const CollectProgress& progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

absl::StatusOr<std::vector<absl::Status>> CollectAndShow(Cluster& cluster,
                                                         const CollectOptions& options, bool quiet,
                                                         CollectProgress& progress) {
  const ProgressLine line(progress, quiet);
  return CollectFromNodes(cluster, options, progress);
}

int Collect(const CLI::App& command, const CollectArguments& arguments) {
  if (!arguments.daemons.is_of_nodes()) {
    return FailUsage(command, "from where? give --nodes; this machine's sessions are here already");
  }
  absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.daemons);
  if (!cluster.ok()) return Fail(cluster.status());
  CollectOptions options = arguments.options;
  if (options.directory.empty()) options.directory = options.session;
  const auto begin = Clock::now();
  CollectProgress progress;
  const auto statuses = CollectAndShow(*cluster, options, arguments.quiet, progress);
  if (!statuses.ok()) return Fail(statuses.status());
  const int code = TellFailures(command, *cluster, *statuses);
  const auto is_ok = [](const absl::Status& status) { return status.ok(); };
  if (arguments.quiet) return code;
  std::cout << "collected " << options.session << " from "
            << std::count_if(statuses->begin(), statuses->end(), is_ok) << " of " << cluster->size()
            << " nodes into " << options.directory << ": " << FormatSize(progress.fetched_bytes)
            << ", " << FormatSize(BytesPerSecond(progress.fetched_bytes, begin)) << "/s\n";
  if (code != kExitSuccess) {
    std::cerr << "gordian: what came is kept; the same command goes on where it stopped\n";
  }
  return code;
}

}  // namespace

Verb AddCollectVerb(CLI::App& app) {
  const auto arguments = std::make_shared<CollectArguments>();
  CLI::App* command = AddCommand(app, "collect", "Bring a session's files from many nodes here",
                                 "gordian collect web --nodes all\n"
                                 "gordian collect web --nodes @frontends -o runs/web --rate 100M");
  AddSessionName(*command, "NAME", arguments->options.session, "The session")->required();
  command
      ->add_option("-o,--output", arguments->options.directory,
                   "Into DIR/NODE for each node (default NAME)")
      ->type_name("DIR");
  command
      ->add_option("--rate", arguments->options.bytes_per_second,
                   "At most this much a second, of all nodes together")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  AddQuietOption(*command, arguments->quiet, "Show errors only");
  AddNodeOptions(*command, arguments->daemons);
  return {command, [command, arguments] { return Collect(*command, *arguments); }};
}

}  // namespace gordian
