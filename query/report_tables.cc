// SPDX-License-Identifier: Apache-2.0
// What the analysis found: vertices, findings, counters, resources, phases, and the graph.
#include "absl/hash/hash.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analyzer/graph/graph.h"
#include "analyzer/graph/wait_for_graph.h"
#include "query/tables.h"

namespace gordian {
namespace {

void TellNameOrNull(const std::string& text, SqlValue& value) {
  text.empty() ? value.Null() : value.StaticText(text);
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenVertices(QueriedRecording& queried,
                                                      const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const auto& graph = recording.merged_graph();
  return RowsByNumber(graph.vertices.size(), [&graph, labels = LabelsOf(graph)](
                                                 size_t row, size_t column, SqlValue& value) {
    const Vertex& vertex = graph.vertices[row];
    switch (column) {
      case 0:
        return value.Integer(row);
      case 1:
        return value.Text(labels.label(row));
      case 2:
        return value.StaticText(VertexKindName(vertex.kind));
      case 3:
        return TellNameOrNull(vertex.process, value);
      case 4:
        return TellNameOrNull(vertex.node, value);
      case 5:
        return value.Integer(vertex.threads);
      case 6:
        return value.Integer(vertex.target ? 1 : 0);
      case 7:
        return value.Integer(vertex.run_ns);
      case 8:
        return value.Integer(vertex.runnable_ns);
      case 9:
        return value.Integer(vertex.wait_ns);
      case 10:
        return value.Integer(vertex.spin_ns);
      default:
        return value.Integer(vertex.busy_ns);
    }
  });
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenFindings(QueriedRecording& queried,
                                                      const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const auto& findings = recording.report().findings();
  return RowsByNumber(findings.size(), [&findings](size_t row, size_t column, SqlValue& value) {
    const pb::Finding& finding = findings[static_cast<int>(row)];
    switch (column) {
      case 0:
        return value.Integer(finding.rank());
      case 1:
        return value.StaticText(finding.kind());
      case 2:
        return value.StaticText(finding.title());
      case 3:
        return value.Real(finding.share());
      case 4:
        return value.Real(finding.upper_bound_gain());
      case 5:
        return value.StaticText(finding.sure());
      default:
        return value.Integer(finding.apart() ? 1 : 0);
    }
  });
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenCounters(QueriedRecording& queried,
                                                      const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const auto& counters = recording.report().counters();
  return RowsByNumber(counters.size(), [&counters](size_t row, size_t column, SqlValue& value) {
    const pb::ReportCounter& counter = counters[static_cast<int>(row)];
    switch (column) {
      case 0:
        return value.StaticText(counter.name());
      case 1:
        return value.Integer(counter.value());
      case 2:
        return value.StaticText(counter.severity());
      default:
        return value.StaticText(counter.advice());
    }
  });
}

absl::StatusOr<std::unique_ptr<SqlRows>> OpenResources(QueriedRecording& queried,
                                                       const RowLimits& /*limits*/) {
  const Analysis& recording = queried.analysis();
  const auto& machine = recording.report().machine();
  return RowsByNumber(machine.size(), [&machine](size_t row, size_t column, SqlValue& value) {
    const pb::MachineResource& resource = machine[static_cast<int>(row)];
    switch (column) {
      case 0:
        return TellNameOrNull(resource.node(), value);
      case 1:
        return value.StaticText(resource.what());
      case 2:
        return value.StaticText(resource.name());
      case 3:
        return value.StaticText(resource.unit());
      case 4:
        return value.Real(resource.mean());
      case 5:
        return value.Real(resource.most());
      default:
        return resource.capacity() == 0 ? value.Null() : value.Real(resource.capacity());
    }
  });
}

// Nanoseconds, or all there are; of text that is none: nothing.
std::optional<uint64_t> TimeOfParameter(const std::optional<std::string>& text,
                                        uint64_t otherwise) {
  if (!text) return otherwise;
  uint64_t time_ns = 0;
  if (!absl::SimpleAtoi(*text, &time_ns)) return std::nullopt;
  return time_ns;
}

struct LabelledGraph {
  MergedGraph graph;
  VertexLabels labels;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenWaitGraph(QueriedRecording& queried,
                                                       const RowLimits& limits) {
  const Analysis& recording = queried.analysis();
  const Timeline& timeline = recording.timeline();
  const uint64_t length_ns = timeline.end_ns() - timeline.start_ns();
  const auto from_ns = TimeOfParameter(limits.parameters[0], 0);
  const auto to_ns = TimeOfParameter(limits.parameters[1], length_ns);
  if (!from_ns || !to_ns)
    return absl::InvalidArgumentError(
        "wait_graph takes two whole numbers: nanoseconds since the recording's start");
  if (*from_ns > *to_ns)
    return absl::InvalidArgumentError("wait_graph: the time ends before it begins");
  const WaitForGraph part = BuildWaitForGraph(
      recording.waits(), {.from_ns = timeline.start_ns() + std::min(*from_ns, length_ns),
                          .to_ns = timeline.start_ns() + std::min(*to_ns, length_ns)});
  auto made = std::make_shared<LabelledGraph>();
  made->graph = BuildGraphLike(recording.merged_graph(), part);
  made->labels = LabelsOf(recording.merged_graph());
  const size_t count = made->graph.edges.size();
  const auto tell = [made](size_t row, size_t column, SqlValue& value) {
    const Edge& edge = made->graph.edges[row];
    switch (column) {
      case 0:
        return value.Integer(edge.from);
      case 1:
        return value.Integer(edge.to);
      case 2:
        return value.Text(made->labels.label(edge.from));
      case 3:
        return value.Text(made->labels.label(edge.to));
      case 4:
        return value.Integer(edge.weight_ns);
      case 5:
        return value.Integer(edge.own_ns);
      case 6:
        return value.Integer(edge.count);
      case 7:
        return value.Integer(edge.longest_ns);
      default:
        return value.Null();
    }
  };
  // The rows of other times have other numbers.
  const uint64_t range = absl::HashOf(*from_ns, *to_ns) >> 32 << 31;
  return RowsByNumber(0, count, tell, [range](size_t row) { return range + row; });
}

}  // namespace

SqlTable VertexTable() {
  return {.name = "vertex",
          .about = "The graph's vertices: threads, similar ones as one, and devices",
          .example = "SELECT label, wait_ns FROM vertex WHERE target ORDER BY wait_ns DESC",
          .columns = {{"id", SqlType::kInteger, "thread.vertex"},
                      {"label", SqlType::kText, "as in all reports; no two are alike"},
                      {"kind", SqlType::kText,
                       "thread, group, disk, nic, timer, irq, remote, unknown, link, held_back"},
                      {"process", SqlType::kText, "where all its threads are of one"},
                      {"node", SqlType::kText, "likewise, of a recording of many nodes"},
                      {"threads", SqlType::kInteger, "how many"},
                      {"target", SqlType::kInteger, "1 if the report is about it"},
                      {"run_ns", SqlType::kInteger, "time on a CPU, of all its threads together"},
                      {"runnable_ns", SqlType::kInteger, "time waiting for a CPU"},
                      {"wait_ns", SqlType::kInteger, "time waiting for anything else"},
                      {"spin_ns", SqlType::kInteger, "time on a CPU, waiting for a lock"},
                      {"busy_ns", SqlType::kInteger, "of devices: with something in flight"}},
          .order = {0},
          .open = OpenVertices};
}

SqlTable FindingTable() {
  return {.name = "finding",
          .about = "What limits the target, as gordian analyze says it",
          .example = "SELECT rank, title FROM finding WHERE NOT apart",
          .columns = {{"rank", SqlType::kInteger, "1 is the first"},
                      {"kind", SqlType::kText, "knot, sink, starvation, device, …"},
                      {"title", SqlType::kText, "one sentence"},
                      {"share", SqlType::kReal, "of the recording"},
                      {"most_gain", SqlType::kReal, "throughput afterwards / before, at most"},
                      {"sure", SqlType::kText, "sure, likely, possible, a guess"},
                      {"apart", SqlType::kInteger, "1 if it has nothing to do with the target"}},
          .open = OpenFindings};
}

SqlTable CounterTable() {
  return {.name = "counter",
          .about = "What the recording lacks, or does not tell for sure",
          .example = "SELECT name, value FROM counter WHERE severity <> 'info'",
          .columns = {{"name", SqlType::kText, "as in reports"},
                      {"value", SqlType::kInteger, "how many"},
                      {"severity", SqlType::kText, "info, data_loss, error"},
                      {"advice", SqlType::kText, "what helps"}},
          .open = OpenCounters};
}

SqlTable ResourceTable() {
  return {.name = "resource",
          .about = "How much of each resource of the machine was used, as far as it was sampled",
          .example = "SELECT name, mean, capacity FROM resource",
          .columns = {{"node", SqlType::kText, "of a recording of many nodes"},
                      {"kind", SqlType::kText, "what it is"},
                      {"name", SqlType::kText, "vda, eth0, a cgroup, …"},
                      {"unit", SqlType::kText, "cores, B/s, B, …"},
                      {"mean", SqlType::kReal, "over all intervals"},
                      {"most", SqlType::kReal, "in one interval"},
                      {"capacity", SqlType::kReal, "if it is known"}},
          .open = OpenResources};
}

SqlTable WaitGraphFunction() {
  return {
      .name = "wait_graph",
      .about = "The wait-for graph of a part of the recording: wait_graph(from_ns, to_ns), or all",
      .example =
          "SELECT from_label, to_label, own_ns FROM wait_graph(0, 1000000000) ORDER BY "
          "own_ns DESC",
      .columns = {{"from_vertex", SqlType::kInteger, "vertex.id of who waits"},
                  {"to_vertex", SqlType::kInteger, "… of what it waits for"},
                  {"from_label", SqlType::kText, "vertex.label of who waits"},
                  {"to_label", SqlType::kText, "… of what it waits for"},
                  {"weight_ns", SqlType::kInteger, "with the waits of those behind"},
                  {"own_ns", SqlType::kInteger, "the waits themselves"},
                  {"count", SqlType::kInteger, "how many waits"},
                  {"longest_ns", SqlType::kInteger, "the longest one"},
                  {"from_ns", SqlType::kInteger, "given: since the recording's start"},
                  {"to_ns", SqlType::kInteger, "given: likewise"}},
      .order = {0, 1},
      .parameters = 2,
      .open = OpenWaitGraph};
}

}  // namespace gordian
