// SPDX-License-Identifier: Apache-2.0
// gordian top: what limits a running system now.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/analysis_arguments.h"
#include "cli/ask_daemons.h"
#include "cli/ending_signals.h"
#include "cli/followed_session.h"
#include "cli/frame_texts.h"
#include "cli/live_services.h"
#include "cli/mirrored_session.h"
#include "cli/only_session.h"
#include "cli/terminal.h"
#include "cli/top/save_minute.h"
#include "cli/top/terminal_screen.h"
#include "cli/top/top_screen.h"
#include "cli/verbs.h"
#include "live/live_session.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

using std::chrono::steady_clock;

constexpr char kTopExamples[] =
    "gordian top trace              # a recording that is being written\n"
    "gordian top                    # the session of gordiand that runs, if it is the only one\n"
    "gordian top web                # … of that name\n"
    "gordian top web --nodes all    # … on many nodes\n"
    "gordian top trace --window 30s --comm postgres\n"
    "gordian top trace --once       # one page of text, for a mail\n"
    "gordian top trace --once --json | jq '.findings[0]'\n"
    "gordian top trace --json | jq -r .verdict\n"
    "gordian top trace --metrics 9464 --rules shop.rules --keep /var/tmp/kept";

constexpr auto kTurn = std::chrono::milliseconds(100);

// What a mirror keeps beyond the window: the minute that can be saved.
constexpr uint64_t kKeptBesideNs = 90'000'000'000;

struct TopArguments {
  std::string directory;  // or a session's name
  DaemonChoice daemons;
  bool is_session = false;
  LiveOptions live;
  LiveServiceOptions services;
  uint64_t wait_ns = 0;
  bool once = false;
  bool json = false;
};

// Follows the recording until it ends, or somebody wants an end, and hands each frame on.
class TopRun {
 public:
  explicit TopRun(const TopArguments& arguments) : arguments_(arguments) {}

  int Run() {
    if (const auto status = StartMirror(); !status.ok()) return Fail(status);
    if (const auto status = OpenConsumers(); !status.ok()) return Fail(status);
    const auto status = Follow();
    FinishServices();
    // The terminal is as before from here on.
    screen_ = nullptr;
    services_ = nullptr;
    consumers_.clear();
    if (absl::IsCancelled(status) || absl::IsOutOfRange(status)) return kExitSuccess;
    return status.ok() ? kExitSuccess : Fail(status);
  }

 private:
  absl::Status StartMirror() {
    if (!arguments_.is_session) return absl::OkStatus();
    auto mirror = MirroredSession::Start(arguments_.daemons, arguments_.directory,
                                         arguments_.live.window_ns + kKeptBesideNs);
    if (!mirror.ok()) return mirror.status();
    mirror_ = *std::move(mirror);
    return absl::OkStatus();
  }

  absl::Status OpenConsumers() {
    if (auto status = OpenViews(); !status.ok()) return status;
    if (!arguments_.services.is_any()) return absl::OkStatus();
    auto services = LiveServices::Start(arguments_.services, screen_ != nullptr,
                                        [this](const std::string& line) { TellLine(line); });
    if (!services.ok()) return services.status();
    services_ = services->get();
    services_->SetWindow(arguments_.live.window_ns);
    consumers_.push_back(*std::move(services));
    return absl::OkStatus();
  }

  absl::Status OpenViews() {
    if (arguments_.json) {
      consumers_.push_back(std::make_unique<JsonFrames>());
    } else if (arguments_.once) {
      consumers_.push_back(std::make_unique<PageOfText>());
    } else if (IsTerminal(STDOUT_FILENO) && isatty(STDIN_FILENO) == 1) {
      return OpenScreen();
    } else if (!arguments_.services.is_any()) {  // a service says what happens, not each second
      consumers_.push_back(std::make_unique<LinesOfText>());
    }
    return absl::OkStatus();
  }

  absl::Status OpenScreen() {
    // What is wrong with the folder is told without a screen.
    if (arguments_.wait_ns == 0 && mirror_ == nullptr)
      if (const auto live = Open(); !live.ok()) return live.status();
    auto terminal = TerminalScreen::Open(WantsColour(ColourChoice::kAuto, STDOUT_FILENO));
    if (!terminal.ok()) {
      std::cerr << "gordian: " << MessageOf(terminal.status()) << "; lines of text instead\n";
      consumers_.push_back(std::make_unique<LinesOfText>());
      return absl::OkStatus();
    }
    auto screen = std::make_unique<TopScreen>(
        *std::move(terminal), arguments_.live.window_ns,
        TopScreenActions{.set_window =
                             [this](uint64_t window_ns) {
                               live_->SetWindow(window_ns);
                               if (services_ != nullptr) services_->SetWindow(window_ns);
                             },
                         .save = [](const LiveMoment& moment) { return SaveMinute(moment, "."); }});
    screen_ = screen.get();
    consumers_.push_back(std::move(screen));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<LiveSession>> Open() {
    auto folders = mirror_ != nullptr ? mirror_->Folders() : FoldersToFollow(arguments_.directory);
    if (!folders.ok()) return folders.status();
    LiveOptions options = arguments_.live;
    options.observer = ThisProcess();
    options.should_stop = [this] { return MustEnd(std::chrono::milliseconds(0)); };
    return LiveSession::Open(*folders, options);
  }

  // Cancelled: somebody wanted an end.
  absl::Status Follow() {
    const auto begin = steady_clock::now();
    while (live_ == nullptr) {
      auto live = Open();
      if (live.ok()) {
        live_ = *std::move(live);
      } else if (!absl::IsNotFound(live.status()) || steady_clock::now() - begin > LongestWait()) {
        return live.status();
      } else if (MustEnd(kTurn)) {
        return absl::CancelledError();
      }
    }
    heard_ = steady_clock::now();
    while (true) {
      if (auto status = TakeNext(); !status.ok()) return status;
      // The last frame stays on a screen until it was read.
      if (live_->ended() && screen_ == nullptr) return failure_;
      if (MustEnd(kTurn)) return live_->ended() ? failure_ : absl::CancelledError();
    }
  }

  std::chrono::nanoseconds LongestWait() const {
    return mirror_ != nullptr ? kLongestWaitForSession
                              : std::chrono::nanoseconds(arguments_.wait_ns);
  }

  // Those of which nothing comes any more.
  void EndNodes() {
    if (mirror_ == nullptr) return;
    for (const MirroredSession::Ended& ended : mirror_->TakeEnded()) {
      live_->EndHere(ended.node, ended.because);
      if (!ended.node.empty())
        TellLine(absl::StrCat(ended.node, " is followed no more: ", ended.because));
    }
  }

  void TellLine(const std::string& line) {
    if (screen_ != nullptr)
      screen_->Tell(line);
    else
      std::cerr << "gordian: " << InOneLine(line) << "\n";
  }

  absl::Status TakeNext() {
    EndNodes();
    const auto moment = live_->Next();
    if (absl::IsCancelled(moment.status())) return moment.status();
    if (!moment.ok()) return TakeFailure(moment.status());
    if (*moment == nullptr) {
      if (screen_ != nullptr && !live_->ended())
        screen_->TellSilence(static_cast<uint64_t>(
            std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - heard_)
                .count()));
      return absl::OkStatus();
    }
    heard_ = steady_clock::now();
    told_.clear();
    for (const auto& consumer : consumers_)
      if (auto status = consumer->Take(**moment); !status.ok()) return status;
    return arguments_.once ? absl::CancelledError() : absl::OkStatus();
  }

  // A window without a frame is no end: a target may come later.
  absl::Status TakeFailure(absl::Status status) {
    std::error_code error;
    if (mirror_ == nullptr && live_->ended() &&
        !std::filesystem::exists(arguments_.directory, error))
      status = absl::NotFoundError(absl::StrCat(
          arguments_.directory, " has gone: it was removed or renamed while it was followed"));
    if (live_->ended()) failure_ = status;
    if (screen_ == nullptr && (live_->ended() || arguments_.once)) return status;
    const std::string message = MessageOf(status);
    if (screen_ != nullptr)
      screen_->Tell(message);
    else if (message != told_)
      std::cerr << "gordian: " << message << "\n";
    told_ = message;
    return absl::OkStatus();
  }

  // What rules have begun is done, unless somebody wants an end.
  void FinishServices() {
    if (services_ == nullptr) return;
    while (services_->is_busy() && !MustEnd(kTurn)) services_->TellOutcomes();
    services_->TellOutcomes();
  }

  // After so long, or earlier if a key was pressed.
  bool MustEnd(std::chrono::milliseconds wait) {
    signals_.Wait(wait, screen_ == nullptr ? -1 : STDIN_FILENO);
    if (signals_.urgency() != Urgency::kNone) return true;
    return screen_ != nullptr && !screen_->Work();
  }

  const TopArguments& arguments_;
  EndingSignals signals_;  // before there are threads
  std::unique_ptr<MirroredSession> mirror_;
  std::unique_ptr<LiveSession> live_;
  std::vector<std::unique_ptr<MomentConsumer>> consumers_;
  TopScreen* screen_ = nullptr;       // among the consumers
  LiveServices* services_ = nullptr;  // likewise
  steady_clock::time_point heard_;
  std::string told_;      // the last message, so that it is told once
  absl::Status failure_;  // after which nothing more comes
};

}  // namespace

Verb AddTopVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TopArguments>();
  CLI::App* command = AddCommand(app, "top", "Tell what limits a running system now", kTopExamples);
  command->add_option("DIR", arguments->directory,
                      "A recording's folder, or that of many nodes; or a session of gordiand. "
                      "Without it, the only session that runs");
  AddDaemonOptions(*command, arguments->daemons);
  AddTargetOptions(*command, arguments->live.target);
  AddLiveServiceOptions(*command, arguments->services);
  command
      ->add_option("--window", arguments->live.window_ns,
                   "Judge the last seconds, so many (default 10s)")
      ->transform(WindowInNs())
      ->type_name("TIME");
  command->add_option("--wait", arguments->wait_ns, "Wait so long for DIR to be there")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command->add_flag("--once", arguments->once, "One frame as a page of text, then end");
  command->add_flag("--json", arguments->json, "A line of JSON for each frame");
  return {command, [command, arguments] {
            if (!arguments->services.checked_rule_file.empty())
              return CheckRules(arguments->services.checked_rule_file);
            const bool names_daemon =
                command->count("--socket") > 0 || arguments->daemons.is_of_nodes();
            arguments->is_session =
                arguments->directory.empty() ||
                ((names_daemon || arguments->wait_ns == 0) &&
                 MeansSession(arguments->directory, arguments->daemons, names_daemon));
            if (arguments->directory.empty()) {
              auto only = FindOnlySession(arguments->daemons);
              if (!only.ok()) return Fail(only.status());
              arguments->directory = *std::move(only);
            }
            return TopRun(*arguments).Run();
          }};
}

}  // namespace gordian
