// SPDX-License-Identifier: Apache-2.0
// A reader of the format gives the events, the sorter puts them in order, the translator makes a
// session of them.
#include <utility>

#include "fmt/format.h"
#include "import/foreign_input.h"
#include "import/import.h"
#include "import/kernel/file_window.h"
#include "import/kernel/ftrace_text.h"
#include "import/kernel/kernel_event_sorter.h"
#include "import/kernel/kernel_translator.h"
#include "import/kernel/perf_data.h"
#include "import/kernel/perfetto_trace.h"
#include "import/kernel/stack_code.h"
#include "import/kernel/trace_dat.h"
#include "import/line_reader.h"
#include "trace/counters.h"
#include "trace/own_folder.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

// What a reader of any format is given and tells.
struct KernelImport {
  const ImportOptions& options;
  const ForeignFile& input;
  KernelEventSorter& sorter;
  KernelNames& names;
  KernelCode& code;
  KernelTranslator& translator;
  ImportResult result;
};

absl::Status ReadFtraceText(KernelImport& import) {
  FtraceText text(
      import.names, [&](const KernelEvent& event) { return import.sorter.Add(event); },
      [&](uint32_t number, std::string_view name) { import.translator.NameIrq(number, name); });
  LineReader reader(import.input.fd(), LongLines::kCut);
  const auto take = [&](std::string_view line) { return text.TakeLine(line); };
  absl::Status status = TakeLines(import.options, import.input, reader, LineJoining::kNone, take);
  if (!status.ok()) return status;
  import.result.lines = reader.line_number();
  pb::Session& session = import.result.session;
  if (text.unknown_lines() > 0) AddCounter(session, "import_lines_unknown", text.unknown_lines());
  if (text.unknown_events() > 0)
    AddCounter(session, "import_events_unknown", text.unknown_events());
  return text.Finish();
}

// A window over the file, which must be one that can be read at any place.
absl::StatusOr<FileWindow> WindowOf(const KernelImport& import) {
  const uint64_t file_bytes = import.input.size_bytes();
  if (file_bytes == 0)
    return absl::InvalidArgumentError("is empty, or no file: this format is read at many places");
  return FileWindow(import.input.fd(), file_bytes);
}

absl::Status TellProgress(const KernelImport& import, uint64_t bytes) {
  if (!import.options.progress) return absl::OkStatus();
  return import.options.progress({.bytes_read = bytes, .file_bytes = import.input.size_bytes()});
}

absl::Status ReadPerfData(KernelImport& import) {
  auto window = WindowOf(import);
  if (!window.ok()) return window.status();
  PerfData perf(
      *window, import.names, import.code,
      [&](const KernelEvent& event) { return import.sorter.Add(event); },
      [&](uint32_t number, std::string_view name) { import.translator.NameIrq(number, name); });
  return perf.Read([&](uint64_t bytes) { return TellProgress(import, bytes); },
                   import.result.session);
}

absl::Status ReadPerfetto(KernelImport& import) {
  auto window = WindowOf(import);
  if (!window.ok()) return window.status();
  PerfettoPackets trace(
      *window, import.names, [&](const KernelEvent& event) { return import.sorter.Add(event); },
      [&](uint32_t number, std::string_view name) { import.translator.NameIrq(number, name); });
  return trace.Read([&](uint64_t bytes) { return TellProgress(import, bytes); },
                    import.result.session);
}

absl::Status ReadTraceDat(KernelImport& import) {
  auto window = WindowOf(import);
  if (!window.ok()) return window.status();
  TraceDat trace(
      *window, import.names, [&](const KernelEvent& event) { return import.sorter.Add(event); },
      [&](uint32_t number, std::string_view name) { import.translator.NameIrq(number, name); });
  return trace.Read([&](uint64_t bytes) { return TellProgress(import, bytes); },
                    import.result.session);
}

absl::Status ReadKernelTrace(KernelTraceFormat format, KernelImport& import) {
  switch (format) {
    case KernelTraceFormat::kFtraceText:
      return ReadFtraceText(import);
    case KernelTraceFormat::kPerfData:
      return ReadPerfData(import);
    case KernelTraceFormat::kPerfetto:
      return ReadPerfetto(import);
    case KernelTraceFormat::kTraceDat:
      return ReadTraceDat(import);
  }
  return absl::InternalError("no such format");
}

absl::Status InKernelTrace(const ImportOptions& options, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", ShownFile(options), std::string(status.message())));
}

}  // namespace

absl::StatusOr<ImportResult> ImportKernelTrace(const ImportOptions& options,
                                               KernelTraceFormat format) {
  const auto workshop = Workshop::MakeBeside(options.directory);
  if (!workshop.ok()) return workshop.status();
  const auto unpacking = [&](uint64_t bytes) {
    return options.progress ? options.progress({.bytes_read = bytes}) : absl::OkStatus();
  };
  const auto input = ForeignFile::OpenUnpacked(options.file, (*workshop)->scratch(), unpacking);
  if (!input.ok()) return InKernelTrace(options, input.status());
  auto writer = SessionWriter::Create((*workshop)->growing(), SessionWriterOptions{});
  if (!writer.ok()) return writer.status();
  const BlockSink sink{
      .events = [&](EventBlock& block) { return (*writer)->AppendEvents(block); },
      .tasks = [&](EventBlock& block) { return (*writer)->AppendTasks(block); },
  };
  KernelNames names;
  KernelCode code;
  KernelTranslator translator(sink, names, code.stacks);
  KernelEventSorter sorter((*workshop)->scratch().string());
  KernelImport import{.options = options,
                      .input = **input,
                      .sorter = sorter,
                      .names = names,
                      .code = code,
                      .translator = translator,
                      .result = {}};
  if (absl::Status status = ReadKernelTrace(format, import); !status.ok())
    return format == KernelTraceFormat::kFtraceText ? status : InKernelTrace(options, status);
  const auto take = [&](const KernelEvent& event) { return translator.Take(event); };
  // An event that cannot be has no place in the file any more once it is sorted.
  if (absl::Status status = sorter.Drain(take); !status.ok()) return InKernelTrace(options, status);

  ImportResult result = std::move(import.result);
  DescribeImport(options, (*workshop)->directory(), result.session);
  if (absl::Status status = translator.Finish(result.session); !status.ok())
    return InKernelTrace(options, status);
  if (absl::Status status = (*writer)->WriteSession(result.session); !status.ok()) return status;
  if (code.stacks.size() > 0) {
    const pb::Symbols symbols = NameStacks(code, SymbolPaths{.cache = CacheFolder()});
    if (absl::Status status = (*writer)->WriteSymbols(symbols); !status.ok()) return status;
  }
  result.events = translator.events();
  result.bytes_on_disk = (*writer)->bytes_on_disk();
  writer->reset();
  if (absl::Status status = (*workshop)->MoveIntoPlace(); !status.ok()) return status;
  return result;
}

}  // namespace gordian
