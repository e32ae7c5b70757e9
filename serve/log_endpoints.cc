// SPDX-License-Identifier: Apache-2.0
// The lines of logs as marks on the timeline.
#include <array>
#include <string>

#include "loglines/log_marks.h"
#include "output/json_writer.h"
#include "serve/all_endpoints.h"
#include "serve/timeline_stage.h"

namespace gordian {
namespace {

// As many as a picture has pixels.
constexpr uint64_t kMostLogColumns = 2'000;

}  // namespace

absl::StatusOr<ViewAnswer> AnswerLogMarks(const ViewRequest& request) {
  constexpr std::array<std::string_view, 3> kNames = {"from", "to", "columns"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto columns = GetUnsigned(request.parameters, "columns", 500, kMostLogColumns);
  if (!columns.ok()) return columns.status();
  const auto marks = request.served->kept().Get<LogMarks>("", [&] {
    return MarksOfLogs(request.analysis().recording(), request.recording.logs(), "");
  });
  if (!marks.ok()) return marks.status();
  JsonWriter json;
  json.BeginObject().Key("marks").BeginArray();
  for (const LogColumn& column :
       MarkColumns(**marks, range->from_ns, range->to_ns, static_cast<size_t>(*columns))) {
    json.BeginObject().Number("from_ns", column.first->from_ns);
    json.Number("to_ns", column.first->to_ns).Number("lines", column.lines);
    json.String("file", (*marks)->files[column.first->file]).Number("line", column.first->line);
    json.String("text", column.first->text).EndObject();
  }
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : (*marks)->notes) json.String(note);
  json.EndArray().Number("all", (*marks)->marks.size()).Number("outside", (*marks)->outside);
  json.Number("left_out", (*marks)->left_out).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

}  // namespace gordian
