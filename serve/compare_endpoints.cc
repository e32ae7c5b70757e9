// SPDX-License-Identifier: Apache-2.0
// Two recordings side by side: compare?with=R2 (views/comparison.h).
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "output/json_writer.h"
#include "output/message_json.h"
#include "serve/all_endpoints.h"
#include "views/comparison.h"

namespace gordian {
namespace {

void WriteUse(const std::string& side, const ComparedUse& use, JsonWriter& json) {
  json.Key(side)
      .BeginObject()
      .Number("threads", use.threads)
      .Real("run", use.run)
      .Real("runnable", use.runnable)
      .Real("wait", use.wait)
      .EndObject();
}

std::string UsesJson(const ComparedReports& compared) {
  JsonWriter json;
  json.BeginArray();
  for (const ComparedName& name : compared.uses) {
    json.BeginObject()
        .String("name", name.name)
        .String("kind", name.kind)
        .Bool("in_scope", name.in_scope);
    WriteUse("before", name.before, json);
    WriteUse("after", name.after, json);
    json.EndObject();
  }
  json.EndArray();
  return std::string(json.text());
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerCompare(const ViewRequest& request) {
  const std::array<std::string_view, 1> names = {"with"};
  if (const auto status = CheckNames(request.parameters, names); !status.ok()) return status;
  if (!HasParameter(request.parameters, "with"))
    return absl::InvalidArgumentError("with: the number of the other recording");
  const auto number = GetUnsigned(request.parameters, "with", 0);
  if (!number.ok()) return number.status();
  const auto other = request.recordings.AnalysisOf(*number);
  if (!other.ok()) return other.status();
  const ComparedReports compared =
      CompareReports(request.analysis().report(), (*other)->analysis().report());
  return ViewAnswer{.body =
                        absl::StrCat("{\"diff\":", MessageJson(compared.diff, JsonShape::kCompact),
                                     ",\"edges_left_out\":", compared.edges_left_out,
                                     ",\"uses\":", UsesJson(compared),
                                     ",\"uses_left_out\":", compared.uses_left_out, "}")};
}

}  // namespace gordian
