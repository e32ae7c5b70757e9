// SPDX-License-Identifier: Apache-2.0
// gordian import: a session, or an activity graph, out of a foreign trace.
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/slow_progress.h"
#include "cli/verbs.h"
#include "fmt/format.h"
#include "import/import.h"
#include "trace/counters.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

// A signal's handler writes it and may do nothing else.
volatile std::sig_atomic_t interrupted = 0;

void NoteInterrupt(int /*signal*/) { interrupted = 1; }

constexpr char kImportExamples[] =
    "gordian import --format csv schedule.csv -o trace\n"
    "simulate | gordian import --format csv - -o trace\n"
    "gordian import --format ftrace trace.txt -o trace       (trace-cmd report, Android systrace)\n"
    "gordian import --format perf perf.data -o trace         (perf sched record)\n"
    "gordian import --format perfetto trace.pftrace -o trace (tracebox, Android)\n"
    "gordian import --format trace-cmd trace.dat -o trace\n"
    "gordian import --format activities graph.csv -o graph   (for gordian participation)\n"
    "gordian import --format otel spans.jsonl -o graph       (OpenTelemetry, OTLP as JSON)\n"
    "gordian import --format spark-events app-1.zstd -o graph";

struct ImportArguments {
  std::string format = "csv";
  std::string file;
  std::string directory;
  bool quiet = false;
};

// Without SA_RESTART: waiting for a pipe ends, too.
void CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = NoteInterrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

// Lines that contradict each other. The user can only know of them.
void TellCounters(const google::protobuf::RepeatedPtrField<pb::Counter>& counters) {
  for (const pb::Counter& counter : counters) {
    const CounterDefinition* definition = FindCounter(counter.name());
    if (definition == nullptr || counter.value() == 0) continue;
    std::cerr << fmt::format("gordian: {} ({}): {}\n", definition->name,
                             FormatCount(counter.value()), definition->meaning);
  }
}

// Documents of JSON have lines that mean nothing: their number is not told.
std::string LinesText(uint64_t lines) {
  return lines == 0 ? "" : fmt::format(" from {} lines", FormatCount(lines));
}

struct Imported {
  std::string what;  // 3 events from 4 lines
  uint64_t bytes_on_disk = 0;
  google::protobuf::RepeatedPtrField<pb::Counter> counters;
};

std::optional<KernelTraceFormat> KernelFormat(std::string_view format) {
  if (format == "ftrace") return KernelTraceFormat::kFtraceText;
  if (format == "perf") return KernelTraceFormat::kPerfData;
  if (format == "perfetto") return KernelTraceFormat::kPerfetto;
  if (format == "trace-cmd") return KernelTraceFormat::kTraceDat;
  return std::nullopt;
}

absl::StatusOr<Imported> ImportAs(const std::string& format, const ImportOptions& options) {
  const std::optional<KernelTraceFormat> kernel = KernelFormat(format);
  if (kernel || format == "csv") {
    const auto result = kernel ? ImportKernelTrace(options, *kernel) : ImportCsv(options);
    if (!result.ok()) return result.status();
    return Imported{FormatCount(result->events) + " events" + LinesText(result->lines),
                    result->bytes_on_disk, result->session.counters()};
  }
  const auto result =
      ImportActivities(options, format == "otel"           ? ActivityFormat::kOtelSpans
                                : format == "spark-events" ? ActivityFormat::kSparkEvents
                                                           : ActivityFormat::kCsv);
  if (!result.ok()) return result.status();
  return Imported{FormatCount(result->graph.edges()) + " activities" + LinesText(result->lines),
                  result->bytes_on_disk, result->graph.counters()};
}

int Import(const ImportArguments& arguments) {
  CatchInterrupts();
  absl::StatusOr<Imported> result;
  {
    SlowProgress progress("importing", arguments.quiet);
    const auto show = [&](const ImportProgress& done) {
      if (interrupted != 0) return absl::CancelledError("interrupted; nothing was imported");
      progress.Show(done.bytes_read, done.file_bytes);
      return absl::OkStatus();
    };
    result = ImportAs(arguments.format, {.file = arguments.file,
                                         .directory = arguments.directory,
                                         .recorder_version = GORDIAN_VERSION,
                                         .progress = show});
  }
  if (!result.ok()) {
    const int code = Fail(result.status());
    return absl::IsInvalidArgument(result.status()) ? kExitUsage : code;
  }
  if (arguments.quiet) return kExitSuccess;
  std::cout << fmt::format("imported {} into {}: {}\n", result->what,
                           CleanText(arguments.directory), FormatSize(result->bytes_on_disk));
  TellCounters(result->counters);
  return kExitSuccess;
}

}  // namespace

Verb AddImportVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command =
      AddCommand(app, "import", "Make a session out of a foreign trace", kImportExamples);
  command->add_option("FILE", arguments->file, "The trace; - reads standard input")->required();
  command->add_option("--format", arguments->format, "How the trace is written")
      ->check(CLI::IsMember({"csv", "ftrace", "perf", "perfetto", "trace-cmd", "activities", "otel",
                             "spark-events"})
                  .description(""))
      ->type_name("csv|ftrace|perf|perfetto|trace-cmd|activities|otel|spark-events")
      ->capture_default_str();
  command
      ->add_option("-o,--output", arguments->directory,
                   "The new folder; it may be there if it is empty")
      ->required()
      ->check(NotEmpty("the folder's name"))
      ->type_name("DIR");
  AddQuietOption(*command, arguments->quiet, "Show errors only");
  return Verb{command, [arguments] { return Import(*arguments); }};
}

}  // namespace gordian
