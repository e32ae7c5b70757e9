// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"

#include <memory>
#include <utility>

#include "fmt/format.h"
#include "import/csv_translator.h"
#include "import/foreign_input.h"
#include "import/line_reader.h"
#include "trace/session_writer.h"

namespace gordian {
absl::StatusOr<ImportResult> ImportCsv(const ImportOptions& options) {
  const auto workshop = Workshop::MakeBeside(options.directory);
  if (!workshop.ok()) return workshop.status();
  const auto input = ForeignFile::Open(options.file);
  if (!input.ok()) return input.status();
  auto writer = SessionWriter::Create((*workshop)->growing(), SessionWriterOptions{});
  if (!writer.ok()) return writer.status();

  CsvTranslator translator(BlockSink{
      .events = [&](EventBlock& block) { return (*writer)->AppendEvents(block); },
      .tasks = [&](EventBlock& block) { return (*writer)->AppendTasks(block); },
  });
  LineReader reader((*input)->fd());
  const auto take = [&](std::string_view line) { return translator.TakeLine(line); };
  if (absl::Status status = TakeLines(options, **input, reader, LineJoining::kNone, take);
      !status.ok()) {
    return status;
  }

  ImportResult result;
  DescribeImport(options, (*workshop)->directory(), result.session);
  if (absl::Status status = translator.Finish(result.session); !status.ok()) {
    if (!absl::IsInvalidArgument(status)) return status;
    return absl::InvalidArgumentError(
        fmt::format("{}: {}", options.file, std::string(status.message())));
  }
  if (absl::Status status = (*writer)->WriteSession(result.session); !status.ok()) return status;
  result.lines = reader.line_number();
  result.events = translator.events();
  result.bytes_on_disk = (*writer)->bytes_on_disk();
  writer->reset();
  if (absl::Status status = (*workshop)->MoveIntoPlace(); !status.ok()) return status;
  return result;
}

}  // namespace gordian
