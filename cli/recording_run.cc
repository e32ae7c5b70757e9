#include "cli/recording_run.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/child_command.h"
#include "cli/recording_arguments.h"
#include "cli/verb.h"
#include "recorder/recording/asked_options.h"
#include "recorder/recording/recording.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr uint32_t kDefaultBudgetPpm = 20'000;

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

// Ctrl-C and similar signals are taken by hand, in one place; every thread started meanwhile
// inherits the mask.
class EndingSignals {
 public:
  EndingSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals_, signal);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndingSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  const sigset_t& signals() const { return signals_; }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

std::string RecordedTime(const RecordingStatus& status) {
  std::string elapsed = FormatDuration(absl::ToInt64Nanoseconds(status.elapsed));
  if (status.pauses == 0) return elapsed;
  return absl::StrCat(FormatDuration(absl::ToInt64Nanoseconds(status.elapsed - status.paused)),
                      " of ", elapsed, " (", status.pauses,
                      status.pauses == 1 ? " pause keeps" : " pauses keep", " it to its --budget)");
}

class RecordingLine {
 public:
  // A line that a command's own output would tear apart is not shown.
  explicit RecordingLine(bool has_command)
      : on_terminal_(isatty(STDERR_FILENO)),
        shown_(on_terminal_ && !(has_command && isatty(STDOUT_FILENO))) {}
  ~RecordingLine() { Clear(); }

  void Show(const RecordingStatus& status) {
    if (!shown_) return;
    const std::string line =
        absl::StrCat("recording ", RecordedTime(status), ": ", FormatCount(status.events),
                     " events, ", FormatSize(status.bytes_on_disk), ", ", FormatCount(status.lost),
                     " lost  (Ctrl-C ends it)");
    Draw(line);
  }
  // The command is silent by now.
  void ShowEnding() {
    if (on_terminal_) Draw("writing what is left, and naming the code that was seen");
  }
  void Clear() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
  }

 private:
  void Draw(const std::string& line) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    drawn_ = true;
  }

  const bool on_terminal_;
  const bool shown_;
  bool drawn_ = false;
};

// Until a signal, the command's end, or the recording's own.
EndReason WaitForEnd(const sigset_t& signals, Recording& recording, ChildCommand* child,
                     RecordingLine& progress) {
  const timespec poll{.tv_sec = 0, .tv_nsec = 200'000'000};
  for (;;) {
    const int signal = sigtimedwait(&signals, nullptr, &poll);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) return EndReason::kAsked;
    if (child && child->Poll()) return EndReason::kCommandEnded;
    const RecordingStatus status = recording.Status();
    if (status.ended) return status.end_reason;
    progress.Show(status);
  }
}

std::string SummaryLine(const RecordingStatus& status) {
  const double seconds = absl::ToDoubleSeconds(status.elapsed - status.paused);
  const double per_second = seconds > 0 ? status.events / seconds : 0;
  const double bytes_per_event =
      status.events > 0 ? static_cast<double>(status.bytes_on_disk) / status.events : 0;
  std::string lost = "none lost";
  if (status.lost > 0)
    lost = absl::StrCat(FormatCount(status.lost),
                        " LOST (the kernel rings were full; try a larger --kernel-ring)");
  return absl::StrFormat(
      "recorded %s: %s events (%s/s), %s (%.1f B/event), %s -> %s", RecordedTime(status),
      FormatCount(status.events), FormatCount(static_cast<uint64_t>(per_second)),
      FormatSize(status.bytes_on_disk), bytes_per_event, lost, CleanText(status.directory));
}

int Report(const RecordingStatus& status, const ChildCommand* child,
           std::optional<int> child_status) {
  std::fprintf(stderr, "gordian: %s\n", SummaryLine(status).c_str());
  if (child && child_status) {
    if (const std::string failure = DescribeFailure(*child_status); !failure.empty())
      std::fprintf(stderr, "gordian: the command %s\n", failure.c_str());
  }
  if (status.end_reason == EndReason::kDiskFull || status.end_reason == EndReason::kError) {
    std::fprintf(stderr,
                 "gordian: recording ended early: %s; what was written until then can be read\n",
                 MessageOf(status.error).c_str());
    return kExitFailure;
  }
  if (status.end_reason == EndReason::kSizeLimit)
    std::fprintf(stderr, "gordian: ended at the size asked for (--max-size)\n");
  return kExitSuccess;
}

}  // namespace

void AddRecordOptions(CLI::App& command, RecordArguments& arguments) {
  command
      .add_option("-o,--output", arguments.directory,
                  "Folder of the recording, new or empty (default: gordian-DATE-TIME)")
      ->type_name("DIR");
  AddRecordingOptions(command, arguments.request);
  command.add_option("COMMAND", arguments.command,
                     "Run it, mark it as the target, and end when it ends (SIGTERM at --duration)");
  command.positionals_at_end();
}

int RunRecording(const CLI::App& command, RecordArguments& arguments) {
  if (arguments.directory.empty()) arguments.directory = DefaultDirectory();
  if (arguments.request.only() && !HasTarget(arguments.request) && arguments.command.empty())
    return FailUsage(command,
                     "--only needs a target: --pid, --comm, --unit, --container or a COMMAND");
  const EndingSignals ending;

  // The child exists before the recording's threads do, and waits for them.
  std::unique_ptr<ChildCommand> child;
  if (!arguments.command.empty()) {
    auto prepared = ChildCommand::Prepare(arguments.command, ending.mask_before());
    if (!prepared.ok()) return Fail(prepared.status());
    child = std::make_unique<ChildCommand>(*std::move(prepared));
  }
  absl::StatusOr<RecordingOptions> options = ToOptions(arguments);
  if (!options.ok()) return Fail(options.status());
  const std::string directory = options->directory;
  const bool existed = std::filesystem::exists(directory);
  auto recording = Recording::Start(*std::move(options));
  if (!recording.ok()) {
    const bool usage = absl::IsInvalidArgument(recording.status()) ||
                       absl::IsNotFound(recording.status()) ||
                       absl::IsAlreadyExists(recording.status());
    return usage ? FailUsage(command, recording.status().message().data())
                 : Fail(recording.status());
  }
  if (child) {
    absl::Status begun = (*recording)->AddTargetPid(child->pid());
    if (begun.ok()) begun = child->Go();
    if (!begun.ok()) {
      // No requested event was recorded.
      (*recording)->Stop(EndReason::kAsked).IgnoreError();
      std::error_code ignored;
      if (!existed) std::filesystem::remove_all(directory, ignored);
      return Fail(begun);
    }
  } else if (!isatty(STDERR_FILENO)) {
    std::fprintf(stderr, "gordian: recording into %s\n", CleanText(directory).c_str());
  }

  RecordingLine progress(child != nullptr);
  const EndReason reason = WaitForEnd(ending.signals(), **recording, child.get(), progress);
  progress.ShowEnding();
  const auto status = (*recording)->Stop(reason);
  progress.Clear();
  if (child) child->End();
  if (!status.ok()) return Fail(status.status());
  return Report(*status, child.get(), child ? child->Poll() : std::nullopt);
}

}  // namespace gordian
