// SPDX-License-Identifier: Apache-2.0
#include "output/slice_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "output/text_table.h"
#include "trace/counters.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr size_t kSliceNameWidth = 34;
constexpr size_t kTreeWidth = 46;
constexpr size_t kMostDotNodes = 300;
constexpr size_t kSlicePageWidth = 80;

uint64_t AllNs(const pb::SliceTimes& times) {
  return times.run_ns() + times.ready_ns() + times.wait_ns() + times.unknown_ns();
}

// "2 wakes, 1 message"
std::string EdgesText(const pb::Slice& slice) {
  std::string text;
  for (const pb::SliceCount& edge : slice.edges()) {
    const std::string_view thing =
        edge.name() == "create" ? "birth" : std::string_view(edge.name());
    absl::StrAppend(&text, text.empty() ? "" : ", ", FormatCount(edge.value(), thing));
  }
  return text;
}

std::string AnswerText(const pb::Slice& slice) {
  const pb::SliceTimes& times = slice.all().times();
  std::string text =
      absl::StrCat(AskedPhaseText(slice.phase()), "What ", slice.thread(),
                   slice.forward() ? " did from " : " did until ", FormatDuration(slice.at_ns()),
                   slice.forward() ? " on led to " : " came from ", FormatDuration(AllNs(times)),
                   " of ", FormatCount(slice.all().threads(), "thread"), ": ",
                   FormatDuration(times.run_ns()), " on a CPU, ", FormatDuration(times.ready_ns()),
                   " ready for one, ", FormatDuration(times.wait_ns()), " waiting");
  if (times.unknown_ns() > 0)
    absl::StrAppend(&text, ", ", FormatDuration(times.unknown_ns()), " is unknown");
  absl::StrAppend(&text, ". ");
  const std::string edges = EdgesText(slice);
  absl::StrAppend(&text, "Between ", FormatDuration(slice.from_ns()), " and ",
                  FormatDuration(slice.to_ns()), ", scope ", slice.scope());
  if (!edges.empty())
    absl::StrAppend(&text, "; ", edges, "; up to ", FormatCount(slice.hops(), "hop"), " away");
  return absl::StrCat(text, ".");
}

std::vector<std::string> TimeCells(const pb::SliceTimes& times) {
  return {FormatDuration(times.run_ns()), FormatDuration(times.ready_ns()),
          FormatDuration(times.wait_ns())};
}

std::string RowsText(const pb::Slice& slice, size_t most_rows) {
  using Align = TextTable::Align;
  std::string title = slice.by();
  std::transform(title.begin(), title.end(), title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  TextTable table({{PadRight(title, kSliceNameWidth)},
                   {"RUNS", Align::kRight},
                   {"READY", Align::kRight},
                   {"WAITS", Align::kRight},
                   {"THREADS", Align::kRight},
                   {"TIMES", Align::kRight}});
  const auto rows = static_cast<size_t>(slice.rows_size());
  const size_t shown = rows <= most_rows + 1 ? rows : most_rows;
  for (size_t i = 0; i < shown; ++i) {
    const pb::SliceRow& row = slice.rows(static_cast<int>(i));
    std::vector<std::string> cells = TimeCells(row.times());
    cells.insert(cells.begin(), Shorten(row.name(), kSliceNameWidth));
    cells.push_back(FormatCount(row.threads()));
    cells.push_back(FormatCount(row.stretches()));
    table.AddRow(std::move(cells));
  }
  std::string text = table.empty() ? "" : table.ToString();
  if (shown < rows) absl::StrAppend(&text, FormatCount(rows - shown), " more: --top, or --json\n");
  return text;
}

std::string TreeText(const pb::Slice& slice, size_t most_nodes) {
  using Align = TextTable::Align;
  TextTable table({{PadRight(slice.forward() ? "LED TO" : "CAME FROM", kTreeWidth)},
                   {"TIMES", Align::kRight},
                   {"RUNS", Align::kRight},
                   {"READY", Align::kRight},
                   {"WAITS", Align::kRight}});
  std::vector<size_t> depths;
  const auto nodes = static_cast<size_t>(slice.tree_size());
  const size_t shown = nodes <= most_nodes + 1 ? nodes : most_nodes;
  for (size_t i = 0; i < shown; ++i) {
    const pb::SliceNode& node = slice.tree(static_cast<int>(i));
    depths.push_back(i == 0 ? 0 : depths[node.parent()] + 1);
    const std::string edge = node.edge().empty() ? "" : absl::StrCat(node.edge(), " ");
    std::vector<std::string> cells = TimeCells(node.times());
    cells.insert(cells.begin(), FormatCount(node.stretches()));
    cells.insert(cells.begin(),
                 Shorten(absl::StrCat(std::string(2 * std::min<size_t>(depths[i], 16), ' '), edge,
                                      node.name()),
                         kTreeWidth));
    table.AddRow(std::move(cells));
  }
  std::string text = table.empty() ? "" : table.ToString();
  if (shown < nodes)
    absl::StrAppend(&text, FormatCount(nodes - shown), " more in the tree: --json, or --dot\n");
  return text;
}

std::string NotesText(const pb::Slice& slice) {
  std::string text;
  for (const pb::SliceCount& counter : slice.counters()) {
    const CounterDefinition* definition = FindCounter(counter.name());
    if (definition == nullptr) continue;
    const std::string note =
        absl::StrCat(FormatCount(counter.value()), ": ", std::string(definition->meaning), " ",
                     std::string(definition->advice));
    for (const std::string& line : WrapText(note, kSlicePageWidth))
      absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string ShareOfSecond(uint64_t first_ns, uint64_t second_ns) {
  if (first_ns == 0) return "only in the second";
  if (second_ns == 0) return "only in the first";
  return second_ns >= first_ns ? absl::StrCat("+", FormatDuration(second_ns - first_ns))
                               : absl::StrCat("-", FormatDuration(first_ns - second_ns));
}

uint64_t NodeDifferenceNs(const pb::SliceNodeDiff& node) {
  const uint64_t first_ns = AllNs(node.first().times());
  const uint64_t second_ns = AllNs(node.second().times());
  return std::max(first_ns, second_ns) - std::min(first_ns, second_ns);
}

// The nodes that differ most, with all nodes above them.
std::vector<bool> NodesToShow(const pb::SliceDiff& diff, size_t most_nodes) {
  std::vector<int> order;
  for (int i = 0; i < diff.tree_size(); ++i) {
    if (NodeDifferenceNs(diff.tree(i)) > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&diff](int a, int b) {
    return NodeDifferenceNs(diff.tree(a)) > NodeDifferenceNs(diff.tree(b));
  });
  std::vector<bool> is_shown(static_cast<size_t>(diff.tree_size()));
  size_t shown = 0;
  for (const int node : order) {
    if (shown >= most_nodes) break;
    for (auto at = static_cast<uint32_t>(node); !is_shown[at];
         at = diff.tree(static_cast<int>(at)).parent()) {
      is_shown[at] = true;
      ++shown;
    }
  }
  return is_shown;
}

std::string TreeDiffText(const pb::SliceDiff& diff, size_t most_nodes) {
  using Align = TextTable::Align;
  const std::vector<bool> is_shown = NodesToShow(diff, most_nodes);
  TextTable table({{PadRight(diff.first().forward() ? "LED TO" : "CAME FROM", kTreeWidth)},
                   {"FIRST", Align::kRight},
                   {"SECOND", Align::kRight},
                   {"DIFFERENCE", Align::kRight}});
  std::vector<size_t> depths;
  size_t left_out = 0;
  for (int i = 0; i < diff.tree_size(); ++i) {
    const pb::SliceNodeDiff& node = diff.tree(i);
    depths.push_back(i == 0 ? 0 : depths[node.parent()] + 1);
    if (!is_shown[static_cast<size_t>(i)]) {
      left_out += NodeDifferenceNs(node) > 0 ? 1 : 0;
      continue;
    }
    const std::string& kind = node.has_second() ? node.second().edge() : node.first().edge();
    const std::string name = absl::StrCat(std::string(2 * std::min<size_t>(depths.back(), 16), ' '),
                                          kind, kind.empty() ? "" : " ", node.name());
    const uint64_t first_ns = AllNs(node.first().times());
    const uint64_t second_ns = AllNs(node.second().times());
    table.AddRow({Shorten(name, kTreeWidth), FormatDuration(first_ns), FormatDuration(second_ns),
                  first_ns == second_ns ? "" : ShareOfSecond(first_ns, second_ns)});
  }
  std::string text = table.empty() ? "" : absl::StrCat("\n", table.ToString());
  if (left_out > 0) absl::StrAppend(&text, FormatCount(left_out), " more in the tree: --json\n");
  return text;
}

// Inside double quotes only these two mean something; names hold no line breaks any more.
std::string DotQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace

std::string AskedPhaseText(const pb::AskedPhase& phase) {
  if (phase.count() == 0) return "";
  return absl::StrCat("Phase ", phase.name(), " of ", phase.thread(), ", number ", phase.number(),
                      " of ", phase.count(), ". ");
}

std::string SliceText(const pb::Slice& slice, const SliceTextOptions& options) {
  std::string text;
  for (const std::string& line : WrapText(AnswerText(slice), kSlicePageWidth))
    absl::StrAppend(&text, line, "\n");
  absl::StrAppend(&text, "\n", RowsText(slice, options.most_rows));
  if (slice.tree_size() > 1) absl::StrAppend(&text, "\n", TreeText(slice, options.most_nodes));
  if (const std::string notes = NotesText(slice); !notes.empty())
    absl::StrAppend(&text, "\n", notes);
  return text;
}

std::string SliceDiffText(const pb::SliceDiff& diff, const SliceTextOptions& options) {
  using Align = TextTable::Align;
  const uint64_t first_ns = AllNs(diff.first().all().times());
  const uint64_t second_ns = AllNs(diff.second().all().times());
  size_t only_first = 0;
  size_t only_second = 0;
  for (const pb::SliceDiffRow& row : diff.rows()) {
    only_first += row.has_second() ? 0 : 1;
    only_second += row.has_first() ? 0 : 1;
  }
  std::string text = absl::StrCat("The second slice holds ", FormatDuration(second_ns),
                                  ", the first ", FormatDuration(first_ns), "; ",
                                  FormatCount(only_second), " of its rows are not in the first, ",
                                  FormatCount(only_first), " of the first not in it.\n\n");
  TextTable table({{PadRight("NAME", kSliceNameWidth)},
                   {"FIRST", Align::kRight},
                   {"SECOND", Align::kRight},
                   {"DIFFERENCE", Align::kRight}});
  const auto rows = static_cast<size_t>(diff.rows_size());
  const size_t shown = rows <= options.most_rows + 1 ? rows : options.most_rows;
  for (size_t i = 0; i < shown; ++i) {
    const pb::SliceDiffRow& row = diff.rows(static_cast<int>(i));
    const uint64_t in_first_ns = AllNs(row.first().times());
    const uint64_t in_second_ns = AllNs(row.second().times());
    table.AddRow({Shorten(row.name(), kSliceNameWidth), FormatDuration(in_first_ns),
                  FormatDuration(in_second_ns), ShareOfSecond(in_first_ns, in_second_ns)});
  }
  if (!table.empty()) text += table.ToString();
  if (shown < rows) absl::StrAppend(&text, FormatCount(rows - shown), " more: --top, or --json\n");
  return text + TreeDiffText(diff, options.most_nodes);
}

std::string SliceDot(const pb::Slice& slice) {
  std::string text = "digraph slice {\n  rankdir=LR;\n  node [shape=box];\n";
  const auto nodes = std::min(static_cast<size_t>(slice.tree_size()), kMostDotNodes);
  for (size_t i = 0; i < nodes; ++i) {
    const pb::SliceNode& node = slice.tree(static_cast<int>(i));
    absl::StrAppend(&text, "  n", i, " [label=", DotQuoted(node.name()), "\\n",
                    FormatCount(node.stretches()), " times\\nruns ",
                    FormatDuration(node.times().run_ns()), ", waits ",
                    FormatDuration(node.times().wait_ns()), "\"];\n");
    if (i == 0) continue;
    const std::string from = absl::StrCat("n", slice.forward() ? node.parent() : i);
    const std::string to = absl::StrCat("n", slice.forward() ? i : node.parent());
    absl::StrAppend(&text, "  ", from, " -> ", to, " [label=", DotQuoted(node.edge()), "\"];\n");
  }
  if (nodes < static_cast<size_t>(slice.tree_size()))
    absl::StrAppend(&text, "  label=\"", slice.tree_size() - static_cast<int>(nodes),
                    " more are not shown\";\n");
  return absl::StrCat(text, "}\n");
}

}  // namespace gordian
