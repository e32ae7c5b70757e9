// SPDX-License-Identifier: Apache-2.0
// Changes, and what they would gain.
//
//   questions?sel=edge:3>5     what may be asked: about what is selected (a wait, a vertex, a
//   thread
//                              or a device), of each finding, and of the machine
//     {"groups": [{"of": "selected", "title": "…", "finding": 0, "none_because": "",
//       "questions": [{"change": "--async 'B->disk vda'", "option": "async",
//                      "argument": "B->disk vda", "condition": "if …", "advice": "",
//                      "prediction": Prediction of schema/report.proto, or null}]}],
//      "changes": [{"option": "scale", "argument": "DISK=FACTOR", "help": "…"}]}
//   whatif?change=OPTION:ARGUMENT&change2=…&change3=…&change4=…&progress=…
//     {"answer": WhatIf of schema/whatif.proto, "lines": [{"label": "alone", "text": "…"}],
//      "command": "gordian whatif trace --async 'B->disk vda'"}
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/whatif_command.h"
#include "output/json_writer.h"
#include "output/message_json.h"
#include "output/whatif_text.h"
#include "serve/all_endpoints.h"
#include "views/questions.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// More at once no person has in mind.
constexpr std::array<std::string_view, 4> kChangeNames = {"change", "change2", "change3",
                                                          "change4"};

constexpr char kHowToSelect[] = "sel: write thread:12, device:7, vertex:3 or edge:3>5";

// "edge:3>5", "thread:12". What nothing can be asked about (a process) is told apart from what is
// misspelt.
absl::StatusOr<PickedThing> ParsePicked(const std::string& text) {
  PickedThing picked;
  if (text.empty()) return picked;
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::vector<uint64_t> ids;
  for (const auto& part : absl::StrSplit(colon == text.npos ? "" : text.substr(colon + 1), '>')) {
    uint64_t id = 0;
    if (part.find_first_not_of("0123456789") != part.npos || !absl::SimpleAtoi(part, &id))
      return absl::InvalidArgumentError(kHowToSelect);
    ids.push_back(id);
  }
  if (ids.size() != (kind == "edge" ? 2 : 1)) return absl::InvalidArgumentError(kHowToSelect);
  picked.id = ids.front();
  picked.whom = ids.back();
  if (kind == "edge") picked.kind = PickedThing::Kind::kWait;
  if (kind == "vertex") picked.kind = PickedThing::Kind::kVertex;
  if (kind == "thread" || kind == "device") picked.kind = PickedThing::Kind::kEntity;
  return picked;
}

const pb::Prediction* PredictionOf(const pb::Report& report, const std::string& change) {
  for (const pb::Finding& finding : report.findings())
    for (const pb::Prediction& prediction : finding.predictions())
      if (prediction.change() == change) return &prediction;
  return nullptr;
}

void WriteGroup(const pb::Report& report, const QuestionGroup& group, JsonWriter& json,
                std::string& text) {
  json.Reset();
  json.BeginObject()
      .String("of", group.of)
      .String("title", CleanText(group.title))
      .Number("finding", group.finding)
      .String("none_because", CleanText(group.found.none_because))
      .EndObject();
  text += json.text().substr(0, json.text().size() - 1);
  text += ",\"questions\":[";
  for (const FixQuestion& question : group.found.questions) {
    if (text.back() != '[') text += ',';
    json.Reset();
    json.BeginObject()
        .String("change", CleanText(question.change))
        .String("option", question.request.changes[0].option)
        .String("argument", CleanText(question.request.changes[0].text))
        .String("condition", CleanText(question.condition))
        .String("advice", CleanText(question.advice))
        .EndObject();
    text += json.text().substr(0, json.text().size() - 1);
    const pb::Prediction* prediction = PredictionOf(report, question.change);
    absl::StrAppend(&text, ",\"prediction\":",
                    prediction == nullptr ? "null" : MessageJson(*prediction, JsonShape::kCompact),
                    "}");
  }
  text += "]}";
}

std::string ChangesJson() {
  JsonWriter json;
  json.BeginArray();
  for (const ChangeOption& change : ChangeOptions()) {
    json.BeginObject()
        .String("option", change.name)
        .String("argument", change.argument)
        .String("help", change.help)
        .EndObject();
  }
  json.EndArray();
  return std::string(json.text());
}

absl::StatusOr<WhatIfRequest> ParseChanges(const ViewParameters& parameters) {
  WhatIfRequest asked;
  for (const std::string_view name : kChangeNames) {
    const auto text = GetText(parameters, std::string(name));
    if (!text.ok()) return text.status();
    if (text->empty()) continue;
    const size_t colon = text->find(':');
    const std::string option = text->substr(0, colon);
    bool is_known = false;
    for (const ChangeOption& change : ChangeOptions()) is_known |= option == change.name;
    if (colon == text->npos || !is_known)
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(name), ": write OPTION:ARGUMENT, as in scale:disk vda=0.5; ", NameAChange()));
    asked.changes.push_back({option, text->substr(colon + 1)});
  }
  if (asked.changes.empty()) return absl::InvalidArgumentError(NameAChange());
  auto progress = GetText(parameters, "progress");
  if (!progress.ok()) return progress.status();
  asked.progress = *std::move(progress);
  return asked;
}

std::string CommandOf(const ServedRecording& recording, const WhatIfRequest& asked) {
  std::string command = WhatIfCommand(recording.directory(), recording.options());
  for (const WhatIfRequest::Change& change : asked.changes)
    absl::StrAppend(&command, " --", change.option, " ", ShellQuoted(change.text));
  if (!asked.progress.empty())
    absl::StrAppend(&command, " --progress ", ShellQuoted(asked.progress));
  return command;
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerQuestions(const ViewRequest& request) {
  const std::array<std::string_view, 1> names = {"sel"};
  if (const auto status = CheckNames(request.parameters, names); !status.ok()) return status;
  const auto sel = GetText(request.parameters, "sel");
  if (!sel.ok()) return sel.status();
  const pb::Report& report = request.analysis().report();
  const auto picked = ParsePicked(*sel);
  if (!picked.ok()) return picked.status();
  JsonWriter json;
  std::string text = "{\"groups\":[";
  for (const QuestionGroup& group : QuestionsOn(request.analysis(), *picked)) {
    if (text.back() != '[') text += ',';
    WriteGroup(report, group, json, text);
  }
  absl::StrAppend(&text, "],\"changes\":", ChangesJson(), "}");
  return ViewAnswer{.body = std::move(text)};
}

absl::StatusOr<ViewAnswer> AnswerWhatIf(const ViewRequest& request) {
  std::vector<std::string_view> names(kChangeNames.begin(), kChangeNames.end());
  names.push_back("progress");
  if (const auto status = CheckNames(request.parameters, names); !status.ok()) return status;
  const auto asked = ParseChanges(request.parameters);
  if (!asked.ok()) return asked.status();
  const auto answer = request.analysis().Ask(*asked, [&request] { return !request.stop_asked(); });
  // Names that the recording does not hold are a fault of the question.
  if (absl::IsNotFound(answer.status()))
    return absl::InvalidArgumentError(answer.status().message());
  if (!answer.ok()) return answer.status();
  JsonWriter json;
  json.BeginArray();
  for (const WhatIfLine& line : WhatIfLines(*answer))
    json.BeginObject().String("label", line.label).String("text", line.text).EndObject();
  json.EndArray();
  const std::string lines(json.text());
  json.Reset();
  json.BeginObject().String("command", CommandOf(request.recording, *asked)).EndObject();
  std::string text(json.text().substr(0, json.text().size() - 1));
  absl::StrAppend(&text, ",\"answer\":", MessageJson(*answer, JsonShape::kCompact),
                  ",\"lines\":", lines, "}");
  return ViewAnswer{.body = std::move(text)};
}

}  // namespace gordian
