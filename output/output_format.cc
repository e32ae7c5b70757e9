// SPDX-License-Identifier: Apache-2.0
#include "output/output_format.h"

#include "output/attribution_csv.h"
#include "output/dot_graph.h"
#include "output/folded_waits.h"
#include "output/html_report.h"
#include "output/message_json.h"
#include "output/perfetto_job.h"
#include "output/perfetto_timeline.h"
#include "output/pprof.h"
#include "output/speedscope.h"

namespace gordian {

std::span<const OutputFormat> OutputFormats() {
  static const std::vector<OutputFormat> kFormats = {
      {.name = "json",
       .help = "Write everything as JSON; - is standard output, here and below",
       .of_phases = true,
       .write =
           [](const OutputInput& in, const OutputSink& sink) {
             if (in.job == nullptr) return WriteMessageJson(in.report, JsonShape::kPretty, sink);
             pb::Report report = in.report;
             AddTimeslices(*in.job, report);
             WriteMessageJson(report, JsonShape::kPretty, sink);
           }},
      {.name = "html",
       .help = "Write one page to click through, readable offline",
       .need = OutputNeed::kPage,
       .of_phases = true,
       .write = [](const OutputInput& in,
                   const OutputSink& sink) { sink(HtmlReport(in.page, in.answers)); }},
      {.name = "attribution",
       .help = "Write use and demand by phase, resource and timeslice as CSV",
       .of_phases = true,
       .of_recordings = false,
       .write =
           [](const OutputInput& in, const OutputSink& sink) {
             const JobAnalysis none;
             WriteAttributionCsv(in.job ? *in.job : none, sink);
           }},
      {.name = "dot",
       .help = "Write the graph for Graphviz",
       .write = [](const OutputInput& in, const OutputSink& sink) { sink(DotGraph(in.report)); }},
      {.name = "perfetto",
       .help = "Write a trace for ui.perfetto.dev",
       .need = OutputNeed::kTimeline,
       .is_binary = true,
       .of_phases = true,
       .write =
           [](const OutputInput& in, const OutputSink& sink) {
             PerfettoTrace trace(sink);
             if (in.timeline) WritePerfettoTimeline(*in.timeline, in.report, in.range, trace);
             if (in.job) WritePerfettoJob(*in.job, in.timeline, trace);
           }},
      {.name = "folded",
       .help = "Write the waits as folded stacks, for flame graphs",
       .need = OutputNeed::kStacks,
       .write = [](const OutputInput& in,
                   const OutputSink& sink) { sink(FoldedWaits(in.stacks, in.code)); }},
      {.name = "speedscope",
       .help = "Write waiting and running code for speedscope.app",
       .need = OutputNeed::kStacks,
       .write =
           [](const OutputInput& in, const OutputSink& sink) {
             sink(SpeedscopeJson(in.stacks, in.code, in.report.recording().name()));
           }},
      {.name = "pprof",
       .help = "Write waiting and running code as a profile for pprof",
       .need = OutputNeed::kStacks,
       .is_binary = true,
       .write =
           [](const OutputInput& in, const OutputSink& sink) {
             sink(PprofProfile(in.stacks, in.code, in.report.recording().seconds()));
           }},
  };
  return kFormats;
}

}  // namespace gordian
