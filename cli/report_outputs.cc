#include "cli/report_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "cli/verb.h"
#include "output/dot_graph.h"
#include "output/folded_waits.h"
#include "output/html_report.h"
#include "output/message_json.h"
#include "output/perfetto_timeline.h"
#include "output/pprof.h"
#include "output/speedscope.h"
#include "output/text_report.h"

namespace gordian {

void AddOutputOptions(CLI::App& command, OutputArguments& arguments) {
  const auto add = [&command](const char* name, std::string& path, const char* what) {
    command.add_option(name, path, what)->type_name("FILE");
  };
  add("--json", arguments.json, "Write everything as JSON; - is standard output, here and below");
  add("--html", arguments.html, "Write one page with the graph to click through, readable offline");
  add("--dot", arguments.dot, "Write the graph for Graphviz");
  add("--perfetto", arguments.perfetto, "Write a trace for ui.perfetto.dev");
  add("--folded", arguments.folded, "Write the waits as folded stacks, for flame graphs");
  add("--speedscope", arguments.speedscope, "Write waiting and running code for speedscope.app");
  add("--pprof", arguments.pprof, "Write waiting and running code as a profile for pprof");
}

std::string OutputConflict(const OutputArguments& arguments) {
  const auto paths = {&arguments.json,     &arguments.html,   &arguments.dot,
                      &arguments.perfetto, &arguments.folded, &arguments.speedscope,
                      &arguments.pprof};
  for (const auto* first = paths.begin(); first != paths.end(); ++first) {
    if ((*first)->empty()) continue;
    for (const auto* second = first + 1; second != paths.end(); ++second) {
      if (**first != **second) continue;
      return **first == "-" ? "only one output can be standard output (-)"
                            : "two outputs cannot be one file: " + **first;
    }
  }
  return "";
}

absl::StatusOr<ReportOutputs> ReportOutputs::Open(const OutputArguments& arguments) {
  ReportOutputs outputs;
  bool to_stdout = false;
  for (const auto& [kind, path] : std::initializer_list<std::pair<Kind, const std::string*>>{
           {Kind::kJson, &arguments.json},
           {Kind::kHtml, &arguments.html},
           {Kind::kDot, &arguments.dot},
           {Kind::kPerfetto, &arguments.perfetto},
           {Kind::kFolded, &arguments.folded},
           {Kind::kSpeedscope, &arguments.speedscope},
           {Kind::kPprof, &arguments.pprof}}) {
    if (path->empty()) continue;
    auto file = OutputFile::Open(*path);
    if (!file.ok()) return file.status();
    outputs.kinds_.push_back(kind);
    outputs.files_.push_back(*std::move(file));
    to_stdout |= *path == "-";
  }
  if (!to_stdout) {
    auto file = OutputFile::Open("-");
    if (!file.ok()) return file.status();
    outputs.kinds_.push_back(Kind::kText);
    outputs.files_.push_back(*std::move(file));
  }
  return outputs;
}

void ReportOutputs::WriteOne(Kind kind, const Analysis& analysis, OutputFile& file) {
  switch (kind) {
    case Kind::kText:
      file.Write(TextReport(analysis.report(), {.colour = WantsColour()}));
      return;
    case Kind::kJson:
      file.Write(MessageJson(analysis.report(), JsonShape::kPretty));
      return;
    case Kind::kHtml:
      file.Write(HtmlReport(analysis.Page()));
      return;
    case Kind::kDot:
      file.Write(DotGraph(analysis.report()));
      return;
    case Kind::kPerfetto:
      return WritePerfettoTimeline(analysis.timeline(), analysis.report(), analysis.range(),
                                   [&file](std::string_view bytes) { file.Write(bytes); });
    case Kind::kFolded:
      file.Write(FoldedWaits(analysis.Stacks(), analysis.code()));
      return;
    case Kind::kSpeedscope:
      file.Write(
          SpeedscopeJson(analysis.Stacks(), analysis.code(), analysis.report().recording().name()));
      return;
    case Kind::kPprof:
      file.Write(PprofProfile(analysis.Stacks(), analysis.code(),
                              analysis.report().recording().seconds()));
      return;
  }
}

absl::Status ReportOutputs::Write(const Analysis& analysis) {
  for (size_t i = 0; i < files_.size(); ++i) WriteOne(kinds_[i], analysis, files_[i]);
  return PlaceTogether(files_);
}

int PrintOrFail(const absl::StatusOr<std::string>& text) {
  if (!text.ok()) return Fail(text.status());
  Output output(STDOUT_FILENO);
  output.Write(*text);
  const absl::Status written = output.Finish();
  return written.ok() ? kExitSuccess : Fail(written);
}

bool WantsColour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !refused && !dumb;
}

}  // namespace gordian
