// SPDX-License-Identifier: Apache-2.0
// The report, and the few words of it that a list of recordings shows.
#include "output/json_writer.h"
#include "serve/all_endpoints.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// As the page's top says it (web/app/head.js).
std::string WordsOf(const pb::Report& report) {
  if (!report.verdict().empty()) return report.verdict();
  for (const pb::Finding& finding : report.findings())
    if (finding.kind() != "background" && !finding.apart()) return finding.title();
  return "Nothing was found that limits the program.";
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerPage(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  const auto page = request.recording.page(request.pin);
  if (!page.ok()) return page.status();
  return ViewAnswer{.body = **page};
}

absl::StatusOr<ViewAnswer> AnswerBrief(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  const Timeline& timeline = request.analysis().timeline();
  JsonWriter json;
  json.BeginObject().Number("length_ns", timeline.end_ns() - timeline.start_ns());
  json.Number("cpus", timeline.cpus()).Number("threads", timeline.thread_count());
  json.Number("events", timeline.events()).Number("lost", timeline.lost());
  json.String("words", CleanText(WordsOf(request.analysis().report()))).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

}  // namespace gordian
