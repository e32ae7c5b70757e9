// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/descriptor_limit.h"
#include "cli/ask_daemons.h"
#include "cli/ending_signals.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cluster/session_mirror.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;
using Phase = MirrorState::Phase;
constexpr auto kShowEvery = std::chrono::milliseconds(250);

struct FollowArguments {
  MirrorOptions options;
  DaemonChoice daemons;
  bool quiet = false;
};

// What one node does, and what was told of it.
struct FollowedNode {
  std::unique_ptr<SessionMirror> mirror;  // none: it could not begin
  MirrorState state;
  Phase told = Phase::kFollowing;
};

class Following {
 public:
  Following(const Cluster& cluster, const FollowArguments& arguments)
      : cluster_(cluster),
        arguments_(arguments),
        shows_(!arguments.quiet && IsTerminal(STDERR_FILENO)) {}
  ~Following() { Clear(); }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

  void Add(absl::StatusOr<std::unique_ptr<SessionMirror>> mirror) {
    FollowedNode& node = nodes_.emplace_back();
    if (mirror.ok()) {
      node.mirror = *std::move(mirror);
    } else {
      node.state = {.phase = Phase::kFailed, .error = mirror.status()};
    }
  }

  // Tells what has changed; false once all of them are over.
  bool Look() {
    bool goes_on = false;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      FollowedNode& node = nodes_[i];
      if (node.mirror) node.state = node.mirror->state();
      goes_on |= !node.state.is_over();
      const bool is_news = node.state.phase != node.told && !node.state.error.ok();
      if (is_news) Tell(i);
      node.told = node.state.phase;
    }
    if (shows_) Draw();
    return goes_on;
  }

  void Stop() {
    for (FollowedNode& node : nodes_)
      if (node.mirror) node.mirror->Stop();
  }

  // The result in one line; the exit code.
  int Finish() {
    Clear();
    const size_t failed = static_cast<size_t>(
        std::count_if(nodes_.begin(), nodes_.end(),
                      [](const FollowedNode& node) { return node.state.phase == Phase::kFailed; }));
    const bool nothing_came = Sum().blocks == 0 && failed == nodes_.size();
    if (!arguments_.quiet && !nothing_came) {
      std::cout << "followed " << arguments_.options.session << Progress() << " -> "
                << arguments_.options.directory << EndText() << "\n";
    }
    return failed == 0 ? kExitSuccess : kExitFailure;
  }

 private:
  MirrorCounts Sum() const {
    MirrorCounts sum;
    for (const FollowedNode& node : nodes_) {
      const MirrorCounts& counts = node.state.counts;
      sum.blocks += counts.blocks;
      sum.events += counts.events;
      sum.bytes += counts.bytes;
      sum.skipped_events += counts.skipped_events;
      sum.skipped_bytes += counts.skipped_bytes;
      sum.skipped_blocks += counts.skipped_blocks;
      sum.bytes_on_disk += counts.bytes_on_disk;
    }
    return sum;
  }

  std::string Progress() const {
    const MirrorCounts sum = Sum();
    std::string text;
    if (!cluster_.is_this_machine()) {
      const auto followed = std::count_if(nodes_.begin(), nodes_.end(), [](const auto& node) {
        return node.state.phase != Phase::kConnecting && node.state.phase != Phase::kFailed;
      });
      absl::StrAppend(&text, " on ", followed, " of ", nodes_.size(), " nodes");
    }
    absl::StrAppend(&text, " for ",
                    FormatDuration(std::chrono::nanoseconds(Clock::now() - begin_).count()), ": ",
                    FormatCount(sum.events), " events, ", FormatSize(sum.bytes), " (",
                    FormatSize(sum.bytes_on_disk), " kept), ");
    if (sum.skipped_blocks == 0) return absl::StrCat(text, "none passed over");
    return absl::StrCat(text, FormatCount(sum.skipped_events), " PASSED OVER (",
                        FormatSize(sum.skipped_bytes),
                        "; this machine or the way to it is too slow)");
  }

  // If it ended everywhere alike.
  std::string EndText() const {
    const std::string& reason = nodes_.front().state.end_reason;
    const bool is_of_all = std::all_of(nodes_.begin(), nodes_.end(), [&](const FollowedNode& node) {
      return node.state.phase == Phase::kEnded && node.state.end_reason == reason;
    });
    return is_of_all ? absl::StrCat("; it ended (", CleanText(reason), ")") : "";
  }

  void Tell(size_t index) {
    Clear();
    const MirrorState& state = nodes_[index].state;
    absl::Status error = state.error;
    if (state.phase == Phase::kConnecting)
      error = absl::Status(error.code(), absl::StrCat(error.message(), "; trying again"));
    TellFailure(cluster_, index, error);
  }

  void Draw() {
    const std::string line =
        absl::StrCat("following ", arguments_.options.session, Progress(), "  (Ctrl-C ends it)");
    std::cerr << kEraseLine << FitToTerminal(line, STDERR_FILENO) << std::flush;
    is_drawn_ = true;
  }
  void Clear() {
    if (is_drawn_) std::cerr << kEraseLine << std::flush;
    is_drawn_ = false;
  }

  const Cluster& cluster_;
  const FollowArguments& arguments_;
  const bool shows_;
  const Clock::time_point begin_ = Clock::now();
  bool is_drawn_ = false;
  std::vector<FollowedNode> nodes_;
};

int Follow(const FollowArguments& given) {
  FollowArguments arguments = given;
  if (arguments.options.directory.empty()) arguments.options.directory = arguments.options.session;
  RaiseDescriptorLimit();
  EndingSignals signals;  // before there are threads
  absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.daemons);
  if (!cluster.ok()) return Fail(cluster.status());
  Following following(*cluster, arguments);
  for (auto& mirror : MirrorNodes(*cluster, arguments.options)) following.Add(std::move(mirror));
  while (following.Look() && signals.urgency() == Urgency::kNone) signals.Wait(kShowEvery, -1);
  following.Stop();
  following.Look();
  return following.Finish();
}

}  // namespace

Verb AddFollowVerb(CLI::App& app) {
  const auto arguments = std::make_shared<FollowArguments>();
  MirrorOptions& options = arguments->options;
  CLI::App* command =
      AddCommand(app, "follow", "Keep the newest part of a running session in a folder here",
                 "gordian follow web -o now\n"
                 "gordian follow web -o now --keep 1m --keep-size 100M\n"
                 "gordian follow web -o now --nodes all");
  AddSessionName(*command, "NAME", options.session, "The session")->required();
  command
      ->add_option("-o,--output", options.directory,
                   "The folder, DIR/NODE for each of many nodes (default NAME)")
      ->type_name("DIR");
  command->add_option("--keep", options.limits.keep_ns, "Keep the newest this long")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      ->add_option("--keep-size", options.limits.bytes,
                   "Keep the newest this much, of each node (default 256M)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  AddQuietOption(*command, arguments->quiet, "Show errors only");
  AddDaemonOptions(*command, arguments->daemons);
  return {command, [arguments] { return Follow(*arguments); }};
}

}  // namespace gordian
