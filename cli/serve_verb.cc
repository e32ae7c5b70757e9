// SPDX-License-Identifier: Apache-2.0
// gordian serve: recordings in a browser.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analysis/this_program.h"
#include "analysis/whatif_command.h"
#include "base/time_units.h"
#include "cli/analysis_arguments.h"
#include "cli/ask_daemons.h"
#include "cli/asked_session.h"
#include "cli/ending_signals.h"
#include "cli/followed_session.h"
#include "cli/job_arguments.h"
#include "cli/mirrored_session.h"
#include "cli/only_session.h"
#include "cli/open_browser.h"
#include "cli/own_store.h"
#include "cli/verbs.h"
#include "http/http_server.h"
#include "http/listen_address.h"
#include "loglines/explain_log.h"
#include "serve/site.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kServeExamples[] =
    "gordian serve trace                # prints an address, opens it on a desktop\n"
    "gordian serve before after         # several, to compare\n"
    "gordian serve web --nodes all      # a session of gordiand while it runs: live\n"
    "gordian serve web --nodes all --in-place   # asks the nodes, and copies nothing\n"
    "gordian serve trace --listen 9000 --no-browser\n"
    "ssh -L 9000:127.0.0.1:9000 host    # … and from elsewhere, by a tunnel";

// Side by side in one list, and all in memory.
constexpr size_t kMostRecordings = 64;
constexpr auto kServeTurn = std::chrono::milliseconds(500);
// Ctrl-C is heeded within a second.
constexpr auto kLongestEnd = std::chrono::milliseconds(400);
constexpr auto kNoTime = std::chrono::milliseconds(0);
// A node that hangs holds up one answer for a minute.
constexpr int kAnswersAtOnceOfNodes = 16;

// What a mirror of a session keeps, to scroll back.
constexpr uint64_t kKeptOfSessionNs = 5 * 60 * kNsPerSecond;

struct ServeArguments {
  std::vector<std::string> directories;  // or a session's name alone
  DaemonChoice daemons;
  bool is_session = false;
  bool in_place = false;         // of a session: its nodes are asked, and nothing is copied
  std::string needs_recordings;  // an option that nodes are not asked with; empty: none
  uint64_t window_ns = 10 * kNsPerSecond;
  AnalysisOptions options;
  JobRequest job;
  bool no_predictions = false;
  std::string listen;
  std::string racks;
  std::vector<std::string> logs;
  bool no_browser = false;
};

absl::StatusOr<ListenAddress> AddressOf(const ServeArguments& arguments) {
  if (arguments.listen.empty()) return ListenAddress{};
  auto address = ParseListenAddress(arguments.listen);
  if (address.ok() && !address->is_loopback())
    return absl::InvalidArgumentError(
        absl::StrCat("--listen ", address->Text(),
                     ": recordings are served to this machine alone, as nothing "
                     "is encrypted; reach it from elsewhere by ssh -L PORT:127.0.0.1:PORT HOST"));
  return address;
}

// Lines of "rack node"; # begins a comment.
absl::StatusOr<std::map<std::string, std::string>> ReadRacks(const std::string& path) {
  std::map<std::string, std::string> rack_of_node;
  if (path.empty()) return rack_of_node;
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string rack, node, rest;
    words >> rack;
    if (rack.empty()) continue;
    if (!(words >> node) || words >> rest)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": write a rack and a node, as in 'r1 db-7'"));
    rack_of_node[node] = rack;
  }
  return rack_of_node;
}

void TellAddress(const HttpServer& server, const ServeAccess& access) {
  const std::string port = absl::StrCat(server.address().port);
  std::cout << "http://" << server.address().Text() << access.EntryTarget() << "\n"
            << "From another machine: ssh -L " << port << ":" << server.address().Text()
            << " HOST, then the same address there. Ctrl-C ends it.\n"
            << std::flush;
}

class ServeRun {
 public:
  explicit ServeRun(const ServeArguments& arguments) : arguments_(arguments) {}

  int Run() {
    const auto address = AddressOf(arguments_);
    if (!address.ok()) return Fail(address.status());
    if (const auto status = AddRecordings(); !status.ok()) return Fail(status);
    auto token = RandomToken();
    if (!token.ok()) return Fail(token.status());
    HttpLimits limits;
    if (asked_ != nullptr) limits.workers = kAnswersAtOnceOfNodes;
    auto server = HttpServer::Listen(*address, limits);
    if (!server.ok()) return Fail(server.status());
    const ServeAccess access(*std::move(token), (*server)->address().port);
    const Site site(access, recordings_);
    recordings_.Start();
    (*server)->Start([&site](const HttpRequestHead& head, const std::function<bool()>& stop_asked) {
      return site.Answer(head, stop_asked);
    });
    TellAddress(**server, access);
    OpenBrowser(**server, access);
    while (signals_.urgency() == Urgency::kNone) signals_.Wait(kServeTurn, -1);
    browser_ = nullptr;
    // What is still being computed is of no use, and nobody waits for it.
    const bool is_loading = !recordings_.EndWithin(kLongestEnd);
    const bool is_answering = !(*server)->StopWithin(is_loading ? kNoTime : kLongestEnd);
    if (is_loading || is_answering) {
      mirror_ = nullptr;  // removes its folder
      std::cout << std::flush;
      std::_Exit(kExitSuccess);
    }
    return kExitSuccess;
  }

 private:
  absl::Status AddRecordings() {
    auto racks = ReadRacks(arguments_.racks);
    if (!racks.ok()) return racks.status();
    ServedOptions options{.analysis = arguments_.options,
                          .program = ThisProgram(),
                          .rack_of_node = *std::move(racks)};
    auto logs = LogInputsOf(arguments_.logs);
    if (!logs.ok()) return logs.status();
    options.logs = *std::move(logs);
    options.analysis.store = OpenOwnStore(false);
    if (!arguments_.job.inputs.logs.empty() || !arguments_.job.jobs.empty())
      options.job = arguments_.job;
    if (arguments_.is_session) return AddSession(options);
    for (const std::string& directory : arguments_.directories) {
      std::error_code error;
      if (!std::filesystem::exists(directory, error))
        return absl::NotFoundError(
            absl::StrCat(directory, " does not exist: give a recording's folder"));
      if (IsStillWritten(directory)) {
        AddLive({.name = directory,
                 .directory = directory,
                 .folders = [directory] { return FoldersToFollow(directory); }},
                options);
        continue;
      }
      // As gordian analyze asks, so that each finds what the other kept.
      if (!arguments_.no_predictions)
        options.analysis.predictions =
            FixOptions{.command = WhatIfCommand(directory, arguments_.options)};
      recordings_.Add(std::make_unique<StoredRecording>(directory, options));
    }
    return absl::OkStatus();
  }

  // One that is recorded no more has nothing to follow.
  absl::Status AddSession(const ServedOptions& options) {
    const std::string& session = arguments_.directories.front();
    auto asked = AskedSession::Open(arguments_.daemons, session);
    if (!asked.ok()) return asked.status();
    const auto has_ended = (*asked)->HasEnded();
    if (arguments_.in_place && !has_ended.ok()) return has_ended.status();
    if (arguments_.in_place || (has_ended.ok() && *has_ended)) {
      if (!arguments_.needs_recordings.empty())
        return absl::InvalidArgumentError(
            absl::StrCat(arguments_.needs_recordings,
                         " needs the recordings here: gordian collect ", session, " brings them"));
      asked_ = *std::move(asked);
      asked_->AddTo(recordings_);
      return absl::OkStatus();
    }
    auto mirror = MirroredSession::Start(arguments_.daemons, session,
                                         arguments_.window_ns + kKeptOfSessionNs);
    if (!mirror.ok()) return mirror.status();
    mirror_ = *std::move(mirror);
    AddLive({.name = session,
             .directory = session,
             .folders = [this] { return mirror_->Folders(); },
             .take_ended = [this] { return TakeEnded(); },
             .longest_wait = kLongestWaitForSession},
            options);
    return absl::OkStatus();
  }

  std::vector<std::pair<std::string, std::string>> TakeEnded() {
    std::vector<std::pair<std::string, std::string>> ended;
    for (const MirroredSession::Ended& one : mirror_->TakeEnded())
      ended.emplace_back(one.node, one.because);
    return ended;
  }

  void AddLive(LiveSource source, const ServedOptions& options) {
    LiveOptions live;
    live.window_ns = arguments_.window_ns;
    live.target = arguments_.options.target;
    live.graph = arguments_.options.graph;
    live.finding = arguments_.options.finding;
    live.observer = ThisProcess();
    recordings_.Add(std::make_unique<LiveRecording>(std::move(source), live, options));
  }

  void OpenBrowser(const HttpServer& server, const ServeAccess& access) {
    if (arguments_.no_browser || !HasDesktop()) return;
    auto opened =
        OpenedBrowser::Open(absl::StrCat("http://", server.address().Text(), access.EntryTarget()));
    if (opened.ok())
      browser_ = *std::move(opened);
    else
      std::cerr << "gordian: no browser was opened: " << MessageOf(opened.status()) << "\n";
  }

  const ServeArguments& arguments_;
  EndingSignals signals_;  // before there are threads
  std::unique_ptr<MirroredSession> mirror_;
  std::unique_ptr<AskedSession> asked_;
  ServedRecordings recordings_;  // reads what the mirror writes, or asks
  std::unique_ptr<OpenedBrowser> browser_;
};

absl::Status ChooseSession(const CLI::App& command, ServeArguments& arguments) {
  const bool names_daemon = command.count("--socket") > 0 || arguments.daemons.is_of_nodes();
  if (arguments.directories.empty()) {
    auto only = FindOnlySession(arguments.daemons);
    if (!only.ok()) return only.status();
    arguments.directories = {*std::move(only)};
    arguments.is_session = true;
  } else if (arguments.directories.size() == 1) {
    arguments.is_session =
        MeansSession(arguments.directories.front(), arguments.daemons, names_daemon);
  } else if (names_daemon) {
    return absl::InvalidArgumentError("a session is served alone: name one");
  }
  return absl::OkStatus();
}

// Nodes answer about their recordings as they are.
std::string OptionThatNeedsRecordings(const CLI::App& command) {
  constexpr std::string_view kOfNodes[] = {"DIR",     "--listen",     "--no-browser", "--in-place",
                                           "--nodes", "--nodes-file", "--socket",     "--help"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool is_known =
        std::find(std::begin(kOfNodes), std::end(kOfNodes), name) != std::end(kOfNodes);
    if (option->count() > 0 && !is_known) return option->get_name();
  }
  return "";
}

}  // namespace

Verb AddServeVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command = AddCommand(app, "serve", "Show recordings in a browser", kServeExamples);
  command
      ->add_option("DIR", arguments->directories,
                   "Recordings: a node's folder, or one with those of many; or a session of "
                   "gordiand. Without any, the only session that runs")
      ->check(NotEmpty("the folder's name"));
  command
      ->add_option("--listen", arguments->listen,
                   "Serve there: a port of 127.0.0.1, or [::1]:PORT (default: a free one)")
      ->type_name("ADDRESS");
  command->add_flag("--no-browser", arguments->no_browser, "Only print the address");
  command
      ->add_option("--racks", arguments->racks, "Which node is in which rack: lines of 'RACK NODE'")
      ->type_name("FILE");
  command
      ->add_option(
          "--logs", arguments->logs,
          "Logs, or folders of logs, whose lines are marks on the timeline; NODE=FILE tells "
          "the node (repeatable)")
      ->type_name("FILE")
      ->expected(1);
  AddDaemonOptions(*command, arguments->daemons);
  command->add_flag("--in-place", arguments->in_place,
                    "Of a session: ask its nodes for each page, and copy nothing");
  command
      ->add_option("--window", arguments->window_ns,
                   "How many seconds are judged of a recording that is still written (default 10s)")
      ->transform(WindowInNs())
      ->type_name("TIME");
  AddJobOptions(*command, arguments->job);
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddFindingOptions(*command, arguments->options.finding);
  AddPredictionOption(*command, arguments->no_predictions);
  AddGraphOptions(*command, arguments->options);
  return {command, [command, arguments] {
            if (arguments->directories.size() > kMostRecordings)
              return FailUsage(*command, absl::StrCat("up to ", kMostRecordings, " recordings"));
            if (const auto status = ChooseSession(*command, *arguments); !status.ok())
              return Fail(status);
            if (arguments->in_place && !arguments->is_session)
              return FailUsage(*command, "--in-place is about a session of gordiand, not a folder");
            arguments->needs_recordings = OptionThatNeedsRecordings(*command);
            return ServeRun(*arguments).Run();
          }};
}

}  // namespace gordian
