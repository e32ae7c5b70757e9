// SPDX-License-Identifier: Apache-2.0
#include "output/dot_graph.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/limits.h"
#include "report/vertex_names.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kEdgesShown = 200;
constexpr double kWidestPoints = 8;
constexpr double kNarrowestPoints = 0.6;

// Inside double quotes only these two mean something; names hold no line breaks any more.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') quoted += '\\';
    quoted += character;
  }
  return quoted + "\"";
}

std::string_view ShapeOf(std::string_view kind) {
  if (kind == "disk") return "cylinder";
  if (kind == "nic") return "hexagon";
  if (kind == "link" || kind == "held_back") return "cds";
  if (kind == "timer") return "circle";
  if (kind == "irq") return "diamond";
  if (kind == "remote") return "house";
  if (kind == "unknown") return "plaintext";
  if (kind == "group") return "box3d";
  return "box";
}

struct Marks {
  std::set<uint32_t> members;  // of the first finding
  std::set<uint32_t> outside;
  std::set<std::pair<uint32_t, uint32_t>> edges;
};

Marks MarksOf(const pb::Report& report) {
  Marks marks;
  const pb::Finding* first = FirstLimit(report);
  if (!first) return marks;
  marks.members.insert(first->members().begin(), first->members().end());
  marks.outside.insert(first->outside().begin(), first->outside().end());
  for (const pb::EdgeRef& edge : first->edges()) marks.edges.emplace(edge.from(), edge.to());
  if (first->has_edge()) marks.edges.emplace(first->edge().from(), first->edge().to());
  return marks;
}

// The knot's own edges first, then by weight.
std::vector<const pb::ReportEdge*> EdgesToDraw(const pb::Report& report, const Marks& marks) {
  std::vector<const pb::ReportEdge*> edges;
  for (const pb::ReportEdge& edge : report.edges()) edges.push_back(&edge);
  const auto order = [&marks](const pb::ReportEdge* a, const pb::ReportEdge* b) {
    const bool a_marked = marks.edges.count({a->from(), a->to()}) > 0;
    const bool b_marked = marks.edges.count({b->from(), b->to()}) > 0;
    if (a_marked != b_marked) return a_marked;
    if (a->weight_s() != b->weight_s()) return a->weight_s() > b->weight_s();
    return std::pair(a->from(), a->to()) < std::pair(b->from(), b->to());
  };
  std::sort(edges.begin(), edges.end(), order);
  if (edges.size() > kEdgesShown) edges.resize(kEdgesShown);
  return edges;
}

std::string VertexLine(uint32_t id, const VertexNames& names, const Marks& marks) {
  const pb::ReportVertex* vertex = names.Find(id);
  const std::string_view kind = vertex ? std::string_view(vertex->kind()) : "unknown";
  std::string style = "rounded";
  std::string colours;
  if (ShapeOf(kind) != "box") style = "solid";
  if (marks.members.count(id) > 0) {
    style += ",filled";
    colours = ", fillcolor=\"#f6c9a8\", color=\"#b3460b\"";
  }
  if (marks.outside.count(id) > 0) style += ",dashed";
  return absl::StrCat("  v", id, " [label=", Quoted(names.Name(id)),
                      ", shape=", std::string(ShapeOf(kind)), ", style=\"", style, "\"", colours,
                      "];\n");
}

}  // namespace

std::string DotGraph(const pb::Report& report) {
  const VertexNames names(report);
  const Marks marks = MarksOf(report);
  const std::vector<const pb::ReportEdge*> edges = EdgesToDraw(report, marks);
  double heaviest_s = 0;
  std::set<uint32_t> vertices = marks.members;
  for (const pb::ReportEdge* edge : edges) {
    heaviest_s = std::max(heaviest_s, edge->weight_s());
    vertices.insert({edge->from(), edge->to()});
  }

  std::string text =
      "// Who waits for whom; an edge points at the one that ends the wait.\ndigraph waits {\n";
  text +=
      "  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", "
      "fontsize=10];\n";
  for (const uint32_t id : vertices) text += VertexLine(id, names, marks);
  for (const pb::ReportEdge* edge : edges) {
    const double part =
        heaviest_s > 0 ? std::sqrt(std::max(0.0, edge->weight_s()) / heaviest_s) : 0;
    const bool marked = marks.edges.count({edge->from(), edge->to()}) > 0;
    absl::StrAppendFormat(&text, "  v%d -> v%d [label=%s, penwidth=%.2f, color=\"%s\"];\n",
                          edge->from(), edge->to(), Quoted(SecondsText(edge->weight_s())),
                          std::max(kNarrowestPoints, part * kWidestPoints),
                          marked ? "#b3460b" : "#7a7f87");
  }
  if (static_cast<size_t>(report.edges_size()) > edges.size())
    absl::StrAppend(&text, "  // ", report.edges_size() - edges.size(),
                    " lighter edges are left out\n");
  return text + "}\n";
}

}  // namespace gordian
