// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_run.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cli/child_command.h"
#include "cli/ending_signals.h"
#include "cli/recording_arguments.h"
#include "cli/recording_line.h"
#include "cli/verb.h"
#include "recorder/recording/asked_options.h"
#include "recorder/recording/recording.h"
#include "recorder/sources/rights.h"
#include "trace/session_reader.h"
#include "words/clean_text.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr uint32_t kDefaultBudgetPpm = 20'000;
constexpr auto kLookInterval = std::chrono::milliseconds(200);
constexpr auto kShortLookInterval = std::chrono::milliseconds(20);
// Of a COMMAND's own end, before it is killed.
constexpr auto kPatience = std::chrono::seconds(5);
constexpr int kNoFile = -1;

// gordian-20261121-083000: sorts by time, tells its origin.
std::string DefaultDirectory() {
  const time_t now = time(nullptr);
  tm local{};
  localtime_r(&now, &local);
  char name[64];
  strftime(name, sizeof(name), "gordian-%Y%m%d-%H%M%S", &local);
  return name;
}

// The default of `gordian record`. A flight recorder goes on for days, and its contents must have
// no gaps.
void SetDefaults(pb::StartRequest& request) {
  const bool is_flight_recorder = request.ring_bytes() > 0;
  if (request.stacks().empty()) request.set_stacks(is_flight_recorder ? "off" : "sampled");
  if (!request.has_budget_ppm()) {
    request.set_budget_ppm(is_flight_recorder ? 0 : kDefaultBudgetPpm);
  }
}

absl::StatusOr<RecordingOptions> ToOptions(const RecordArguments& arguments) {
  pb::StartRequest request = arguments.request;
  SetDefaults(request);
  absl::StatusOr<RecordingOptions> options = OptionsAskedFor(request);
  if (!options.ok()) return options.status();
  options->directory = arguments.directory;
  options->command = arguments.command;
  return options;
}

// A folder of that name with a number that is free: run1-2.
std::string FreeName(const std::string& directory) {
  std::string stem = directory;
  while (stem.ends_with('/')) stem.pop_back();
  if (stem.empty()) return "";
  constexpr int kMostTries = 1000;
  for (int number = 2; number < kMostTries; ++number) {
    std::string name = absl::StrCat(stem, "-", number);
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, error))) return name;
  }
  return "";
}

// Nothing there is ever removed by us: it may be all that is left of a bad night.
std::string FolderIsTaken(const std::string& directory) {
  std::error_code error;
  const bool is_recording = std::filesystem::exists(directory + "/" + kSessionFileName, error);
  const char* what = is_recording ? " holds a recording already"
                     : std::filesystem::is_directory(directory, error) ? " is not empty"
                                                                       : " is no folder";
  const std::string free_name = FreeName(directory);
  return absl::StrCat(directory, what, "; give another folder",
                      free_name.empty() ? "" : absl::StrCat(", for instance -o ", free_name));
}

// Until a signal, the command's end, or the recording's own.
EndReason WaitForEnd(EndingSignals& signals, Recording& recording, ChildCommand* child,
                     RecordingLine& progress) {
  for (;;) {
    signals.Wait(kLookInterval, kNoFile);
    if (signals.urgency() != Urgency::kNone) return EndReason::kAsked;
    if (child && child->Poll()) return EndReason::kCommandEnded;
    const RecordingStatus status = recording.Status();
    if (status.ended) return status.end_reason;
    progress.Show(status);
  }
}

// The folder stays as it is, as after a kill: everything is there that was written.
[[noreturn]] void QuitAtOnce(ChildCommand* child, RecordingLine& progress,
                             const std::string& directory) {
  progress.Clear();
  if (child) child->AskToEnd(true);
  std::fprintf(stderr, "gordian: quit at once; what was written until now is in %s\n",
               CleanText(directory).c_str());
  _exit(kExitInterrupted);
}

// Stops the recording while signals are heard: a second Ctrl-C leaves code without names, a third
// quits.
absl::StatusOr<RecordingStatus> StopHearing(EndingSignals& signals, Recording& recording,
                                            EndReason reason, ChildCommand* child,
                                            RecordingLine& progress) {
  const FileDescriptor done(eventfd(0, EFD_CLOEXEC));
  const std::string directory = recording.Status().directory;
  absl::StatusOr<RecordingStatus> result = absl::InternalError("it was not stopped");
  std::thread stopping([&] {
    result = recording.Stop(reason);
    eventfd_write(done.number(), 1);
  });
  bool leaves_names = false;
  progress.ShowEnding(leaves_names);
  pollfd ended = {done.number(), POLLIN, 0};
  while (poll(&ended, 1, 0) == 0) {
    signals.Wait(kLookInterval, done.number());
    if (signals.urgency() == Urgency::kAtOnce) QuitAtOnce(child, progress, directory);
    if (signals.urgency() == Urgency::kLeaveNames && !leaves_names) {
      leaves_names = true;
      recording.LeaveCodeUnnamed();
      progress.ShowEnding(leaves_names);
    }
  }
  stopping.join();
  progress.Clear();
  if (leaves_names)
    std::fprintf(stderr, "gordian: code may have no names; gordian symbolize %s adds them\n",
                 CleanText(directory).c_str());
  return result;
}

// A recording that failed does not take the COMMAND with it: that goes on until its own end, or a
// signal's.
void LetGoOn(EndingSignals& signals, ChildCommand& child) {
  while (!child.Poll() && signals.urgency() == Urgency::kNone) signals.Wait(kLookInterval, kNoFile);
}

// One that got the terminal's own Ctrl-C may be busy with its end, and gets no further signal until
// its time is over.
void EndCommand(EndingSignals& signals, ChildCommand& child, RecordingLine& progress,
                const std::string& directory) {
  if (child.Poll()) return;
  using Clock = std::chrono::steady_clock;
  if (!signals.from_terminal()) child.AskToEnd(false);
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (!child.Poll() && Clock::now() < deadline) {
    signals.Wait(kShortLookInterval, kNoFile);
    if (signals.urgency() == Urgency::kAtOnce) QuitAtOnce(&child, progress, directory);
  }
  child.End();
}

bool EndedEarly(const RecordingStatus& status) {
  return !status.error.ok() && status.end_reason != EndReason::kSizeLimit;
}

// `child_status`: of a COMMAND that ended by itself.
int Report(const RecordingStatus& status, std::optional<int> child_status, bool quiet) {
  if (!quiet) std::fprintf(stderr, "gordian: %s\n", SummaryLine(status).c_str());
  if (EndedEarly(status)) {
    std::fprintf(stderr,
                 "gordian: recording ended early: %s; what was written until then can be read\n",
                 MessageOf(status.error).c_str());
    return kExitFailure;
  }
  if (!status.names_error.ok())
    std::fprintf(stderr, "gordian: the code has no names: %s; then call gordian symbolize %s\n",
                 MessageOf(status.names_error).c_str(), CleanText(status.directory).c_str());
  if (status.end_reason == EndReason::kSizeLimit && !quiet)
    std::fprintf(stderr, "gordian: ended at the size asked for (--max-size)\n");
  if (!child_status) return kExitSuccess;
  if (const std::string failure = DescribeFailure(*child_status); !failure.empty() && !quiet)
    std::fprintf(stderr, "gordian: the command %s\n", failure.c_str());
  return ExitCodeOf(*child_status);
}

// One that was made for a recording that never began.
void RemoveFolder(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

RecordingResult Failed(int exit_code) { return {.recorded = false, .exit_code = exit_code}; }

int FailToRun(const absl::Status& status) {
  Fail(status);
  if (absl::IsNotFound(status)) return kExitNoProgram;
  return absl::IsPermissionDenied(status) ? kExitCannotRun : kExitFailure;
}

int FailToStart(const CLI::App& command, const std::string& directory, const absl::Status& status) {
  if (absl::IsAlreadyExists(status)) return FailUsage(command, FolderIsTaken(directory));
  const bool is_usage = absl::IsInvalidArgument(status) || absl::IsNotFound(status);
  return is_usage ? FailUsage(command, std::string(status.message())) : Fail(status);
}

void TellBeginning(const std::string& directory, bool has_command) {
  if (const std::string missing = TextOfMissing(MissingRights(ReadRights(SystemPaths{})));
      !missing.empty())
    std::fprintf(stderr, "gordian: %s\n", missing.c_str());
  if (!has_command && isatty(STDERR_FILENO) == 0)
    std::fprintf(stderr, "gordian: recording into %s\n", CleanText(directory).c_str());
}

}  // namespace

void AddRecordOptions(CLI::App& command, RecordArguments& arguments) {
  command
      .add_option("-o,--output", arguments.directory,
                  "Folder of the recording, new or empty (default: gordian-DATE-TIME)")
      ->check(NotEmpty("the folder's name"))
      ->type_name("DIR");
  AddRecordingOptions(command, arguments.request);
  AddQuietOption(command, arguments.quiet, "Show errors only");
  command.add_option("COMMAND", arguments.command,
                     "Run it, mark it as the target, and end when it ends (SIGTERM at --duration). "
                     "Its exit code is gordian's");
  command.positionals_at_end();
}

RecordingResult RunRecording(const CLI::App& command, RecordArguments& arguments) {
  if (arguments.directory.empty()) arguments.directory = DefaultDirectory();
  if (arguments.request.only() && !HasTarget(arguments.request) && arguments.command.empty())
    return Failed(FailUsage(
        command, "--only needs a target: --pid, --comm, --unit, --container or a COMMAND"));
  if (!arguments.command.empty() && arguments.command.front().empty())
    return Failed(FailUsage(command, "the COMMAND is empty"));
  EndingSignals signals;

  // The child exists before the recording's threads do, and waits for them.
  std::unique_ptr<ChildCommand> child;
  if (!arguments.command.empty()) {
    auto prepared = ChildCommand::Prepare(arguments.command, signals.mask_before());
    if (!prepared.ok()) return Failed(Fail(prepared.status()));
    child = std::make_unique<ChildCommand>(*std::move(prepared));
  }
  absl::StatusOr<RecordingOptions> options = ToOptions(arguments);
  if (!options.ok()) return Failed(Fail(options.status()));
  const std::string directory = options->directory;
  std::error_code ignored;
  const bool existed = std::filesystem::exists(std::filesystem::symlink_status(directory, ignored));
  auto recording = Recording::Start(*std::move(options));
  if (!recording.ok()) {
    if (!existed) RemoveFolder(directory);
    return Failed(FailToStart(command, directory, recording.status()));
  }
  if (child) {
    absl::Status begun = (*recording)->AddTargetPid(child->pid());
    if (begun.ok()) begun = child->Go();
    if (!begun.ok()) {
      // No requested event was recorded.
      (*recording)->LeaveCodeUnnamed();
      (*recording)->Stop(EndReason::kAsked).IgnoreError();
      if (!existed) RemoveFolder(directory);
      return Failed(FailToRun(begun));
    }
  }
  if (!arguments.quiet) TellBeginning(directory, child != nullptr);

  RecordingLine progress(child != nullptr, arguments.quiet);
  const EndReason reason = WaitForEnd(signals, **recording, child.get(), progress);
  const auto status = StopHearing(signals, **recording, reason, child.get(), progress);
  if (!status.ok()) return Failed(Fail(status.status()));
  const bool ended_by_command = child && reason == EndReason::kCommandEnded;
  const RecordingResult result = {
      .recorded = !EndedEarly(*status),
      .exit_code =
          Report(*status, ended_by_command ? child->Poll() : std::nullopt, arguments.quiet)};
  if (child && EndedEarly(*status)) LetGoOn(signals, *child);
  if (child) EndCommand(signals, *child, progress, directory);
  return result;
}

}  // namespace gordian
