// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "import/activity_csv.h"
#include "import/foreign_input.h"
#include "import/import.h"
#include "import/line_reader.h"
#include "import/otel_activities.h"
#include "import/spark_activities.h"
#include "trace/activities/activity_writer.h"
#include "trace/logs/log_bytes.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

// What a read found wrong, behind the file's name; other errors as they are.
absl::Status InFile(const ImportOptions& options, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InvalidArgumentError(
      fmt::format("{}:{}", ShownFile(options), std::string(status.message())));
}

// Bytes of a log that tell how many have been read.
class CountedBytes : public LogBytes {
 public:
  static absl::StatusOr<std::unique_ptr<CountedBytes>> Open(const ImportOptions& options) {
    auto bytes = OpenLog(options.file);
    if (!bytes.ok()) return bytes.status();
    return std::unique_ptr<CountedBytes>(new CountedBytes(options, *std::move(bytes)));
  }

  absl::StatusOr<size_t> Read(std::span<char> out) override {
    if (options_.progress) {
      if (absl::Status status = options_.progress(progress_); !status.ok()) return status;
    }
    auto read = bytes_->Read(out);
    if (read.ok()) progress_.bytes_read += *read;
    return read;
  }
  bool cut_short() const override { return bytes_->cut_short(); }

 private:
  CountedBytes(const ImportOptions& options, std::unique_ptr<LogBytes> bytes)
      : options_(options), bytes_(std::move(bytes)) {}

  const ImportOptions& options_;
  std::unique_ptr<LogBytes> bytes_;
  ImportProgress progress_;
};

absl::Status CheckWhole(const ImportOptions& options, const LogBytes& bytes) {
  if (!bytes.cut_short()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: the compressed file breaks off or is damaged", ShownFile(options)));
}

absl::Status ReadActivityCsv(const ImportOptions& options, ActivityWriter& writer,
                             ActivityImportResult& result) {
  const auto input = ForeignFile::Open(options.file);
  if (!input.ok()) return input.status();
  ActivityCsv csv(writer);
  LineReader reader((*input)->fd());
  absl::Status status = TakeLines(options, **input, reader, LineJoining::kOpenQuotes,
                                  [&](std::string_view record) { return csv.TakeRecord(record); });
  result.lines = reader.line_number();
  return status;
}

absl::Status ReadOtel(const ImportOptions& options, ActivityWriter& writer,
                      ActivityImportResult& result) {
  const auto bytes = CountedBytes::Open(options);
  if (!bytes.ok()) return bytes.status();
  OtelActivities spans;
  absl::Status status = InFile(options, ReadOtelSpans(**bytes, spans));
  if (status.ok()) status = CheckWhole(options, **bytes);
  return status.ok() ? spans.Finish(writer, result.graph) : status;
}

absl::Status ReadSparkEvents(const ImportOptions& options, ActivityWriter& writer,
                             ActivityImportResult& result) {
  const auto bytes = CountedBytes::Open(options);
  if (!bytes.ok()) return bytes.status();
  SparkActivities events;
  LogLines lines(**bytes);
  uint64_t last_line = 0;
  for (std::string_view line; lines.Next(line); last_line = lines.line_number()) {
    // A line that is none is only wrong if another follows.
    absl::Status status = events.TakeLine(line);
    if (absl::IsInvalidArgument(status))
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", ShownFile(options), last_line, std::string(status.message())));
    if (!status.ok()) return status;
  }
  if (!lines.status().ok()) return lines.status();
  if (absl::Status status = CheckWhole(options, **bytes); !status.ok()) return status;
  result.lines = lines.line_number();
  events.CountTooLong(lines.too_long());
  const absl::Status status = events.Finish(writer, result.graph);
  return absl::IsInvalidArgument(status)
             ? absl::InvalidArgumentError(
                   fmt::format("{}: {}", ShownFile(options), std::string(status.message())))
             : status;
}

struct FormatDefinition {
  const char* name;
  absl::Status (*read)(const ImportOptions& options, ActivityWriter& writer,
                       ActivityImportResult& result);
};

// By ActivityFormat.
constexpr FormatDefinition kFormats[] = {
    {"activities", ReadActivityCsv}, {"otel", ReadOtel}, {"spark-events", ReadSparkEvents}};

}  // namespace

absl::StatusOr<ActivityImportResult> ImportActivities(const ImportOptions& options,
                                                      ActivityFormat format) {
  const FormatDefinition& definition = kFormats[static_cast<size_t>(format)];
  const auto workshop = Workshop::MakeBeside(options.directory);
  if (!workshop.ok()) return workshop.status();
  auto writer = ActivityWriter::Create((*workshop)->growing().string());
  if (!writer.ok()) return writer.status();
  ActivityImportResult result;
  result.graph.set_importer_version(options.recorder_version);
  result.graph.set_imported_format(definition.name);
  absl::Status status = definition.read(options, **writer, result);
  if (status.ok()) status = (*writer)->Finish(result.graph);
  if (!status.ok()) return status;
  result.bytes_on_disk = (*writer)->bytes_on_disk();
  writer->reset();
  if (absl::Status moved = (*workshop)->MoveIntoPlace(); !moved.ok()) return moved;
  return result;
}

}  // namespace gordian
