// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "import/activity_csv.h"
#include "import/foreign_input.h"
#include "import/import.h"
#include "import/line_reader.h"
#include "trace/activities/activity_writer.h"

namespace gordian {
namespace {

absl::StatusOr<uint64_t> ReadActivityCsv(const ImportOptions& options, ActivityWriter& writer) {
  const auto input = ForeignFile::Open(options.file);
  if (!input.ok()) return input.status();
  ActivityCsv csv(writer);
  LineReader reader((*input)->fd());
  const absl::Status status =
      TakeLines(options, **input, reader, LineJoining::kOpenQuotes,
                [&](std::string_view record) { return csv.TakeRecord(record); });
  if (!status.ok()) return status;
  return reader.line_number();
}

}  // namespace

absl::StatusOr<ActivityImportResult> ImportActivities(const ImportOptions& options,
                                                      ActivityFormat format) {
  const auto workshop = Workshop::MakeBeside(options.directory);
  if (!workshop.ok()) return workshop.status();
  auto writer = ActivityWriter::Create((*workshop)->growing().string());
  if (!writer.ok()) return writer.status();
  ActivityImportResult result;
  result.graph.set_importer_version(options.recorder_version);
  absl::StatusOr<uint64_t> lines = 0;
  switch (format) {
    case ActivityFormat::kCsv:
      result.graph.set_imported_format("activities");
      lines = ReadActivityCsv(options, **writer);
      break;
  }
  if (!lines.ok()) return lines.status();
  result.lines = *lines;
  if (absl::Status status = (*writer)->Finish(result.graph); !status.ok()) return status;
  result.bytes_on_disk = (*writer)->bytes_on_disk();
  writer->reset();
  if (absl::Status status = (*workshop)->MoveIntoPlace(); !status.ok()) return status;
  return result;
}

}  // namespace gordian
