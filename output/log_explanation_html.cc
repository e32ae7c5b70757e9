// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "output/log_explanation_text.h"
#include "words/moment_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr std::string_view kPageHead =
    R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Gordian: a line of a log</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.35rem; font-weight: 600 } h2 { font-size: 1.05rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600 }
th, td { padding: .2rem .6rem .2rem 0; vertical-align: top; border-bottom: 1px solid #8884 }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
code, pre, td.t { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere }
pre { white-space: pre-wrap; border-left: 3px solid #8888; padding-left: .8rem }
.bar { display: block; height: .5rem; background: #3b7dd8; min-width: 1px }
.vain { color: #c0392b } .quiet { opacity: .7 }
</style>
</head>
<body>
)";

// All text of logs and names passes here: no character is left that means anything to a page, in
// an element or in an attribute.
std::string Escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string HtmlRow(std::initializer_list<std::string> cells) {
  return absl::StrCat("<tr>", absl::StrJoin(cells, ""), "</tr>\n");
}
std::string HtmlText(std::string_view text) { return absl::StrCat("<td>", Escaped(text), "</td>"); }
std::string HtmlCode(std::string_view text) {
  return absl::StrCat("<td class=\"t\">", Escaped(text), "</td>");
}
std::string HtmlNumber(std::string_view text) {
  return absl::StrCat("<td class=\"n\">", Escaped(text), "</td>");
}

std::string HtmlTable(std::string_view title, std::initializer_list<std::string_view> heads,
                      const std::string& rows) {
  if (rows.empty()) return "";
  std::string table = absl::StrCat("<h2>", Escaped(title), "</h2>\n<table>\n<tr>");
  for (const std::string_view head : heads) absl::StrAppend(&table, "<th>", Escaped(head), "</th>");
  return absl::StrCat(table, "</tr>\n", rows, "</table>\n");
}

std::string LineName(const pb::ExplainedLine& line) {
  return absl::StrCat(line.file(), ":", line.line());
}

// A bar of the share of all time.
std::string HtmlBar(uint64_t part_ns, uint64_t all_ns) {
  const uint64_t permille =
      all_ns == 0 ? 0
                  : static_cast<uint64_t>(1000.0 * static_cast<double>(std::min(part_ns, all_ns)) /
                                          static_cast<double>(all_ns));
  return absl::StrCat("<td style=\"width:20%\"><span class=\"bar\" style=\"width:", permille / 10,
                      ".", permille % 10, "%\"></span></td>");
}

std::string HtmlEdges(const pb::LogExplanation& told, uint64_t all_ns) {
  std::string rows;
  std::vector<size_t> depths;
  for (const pb::LostEdge& edge : told.edges()) {
    depths.push_back(edge.parent() < 0 ? 0 : depths[static_cast<size_t>(edge.parent())] + 1);
    const size_t indent_em = 2 * std::min<size_t>(depths.back(), 12);
    rows += HtmlRow(
        {absl::StrCat("<td style=\"padding-left:", indent_em, "em\">", Escaped(edge.waited_for()),
                      edge.in_vain() ? " <span class=\"vain\">in vain</span>" : "",
                      " <span class=\"quiet\">by ", Escaped(edge.waiter()), "</span></td>"),
         HtmlNumber(FormatDuration(edge.all_ns())), HtmlBar(edge.all_ns(), all_ns),
         HtmlNumber(FormatCount(edge.count())), HtmlNumber(MomentText(edge.from_ns()))});
  }
  return HtmlTable("Where it waited", {"Waited for", "Lost", "", "Times", "Longest from"}, rows);
}

std::string HtmlCharges(const pb::LogExplanation& told, uint64_t all_ns) {
  std::string rows;
  for (const pb::TimeCharge& charge : told.charges())
    rows +=
        HtmlRow({HtmlText(charge.name()), HtmlText(charge.state()),
                 HtmlNumber(FormatDuration(charge.time_ns())), HtmlBar(charge.time_ns(), all_ns)});
  return HtmlTable("Where the time went", {"What", "State", "Time", ""}, rows);
}

std::string HtmlLines(const pb::LogExplanation& told) {
  std::string rows;
  for (const pb::ExplainedLine& line : told.lines())
    rows += HtmlRow({HtmlNumber(MomentText(line.from_ns())), HtmlText(LineName(line)),
                     HtmlText(line.thread()), HtmlCode(line.text())});
  return HtmlTable("Lines of others on the way to it", {"At", "Line", "Written by", "Text"}, rows);
}

std::string HtmlElsewhere(const pb::LogExplanation& told) {
  std::string rows;
  for (const pb::ExplainedLine& line : told.elsewhere())
    rows += HtmlRow({HtmlText(LineName(line)), HtmlCode(absl::StrJoin(line.words(), " ")),
                     HtmlCode(line.text())});
  return HtmlTable("Lines elsewhere that have its rare words", {"Line", "Rare words", "Text"},
                   rows);
}

std::string HtmlWriters(const pb::LogExplanation& told) {
  std::string rows;
  for (const pb::LineWriterGuess& writer : told.writers())
    rows += HtmlRow({HtmlText(writer.thread()), HtmlText(writer.words()),
                     HtmlText(absl::StrJoin(writer.signs(), "; "))});
  return HtmlTable("Who wrote it", {"Thread", "How sure", "Why"}, rows);
}

}  // namespace

std::string LogExplanationHtml(const pb::LogExplanation& told) {
  const uint64_t all_ns = told.at_ns() - std::min(told.at_ns(), told.since_ns());
  std::string page(kPageHead);
  absl::StrAppend(&page, "<p class=\"quiet\">", Escaped(LineName(told.line())), "</p>\n<h1>",
                  Escaped(told.answer()), "</h1>\n<pre>", Escaped(told.line().text()), "</pre>\n");
  absl::StrAppend(&page, "<p>Since ", MomentText(told.since_ns()), ": ", Escaped(told.since_why()),
                  ".</p>\n");
  for (const std::string& part : {HtmlEdges(told, all_ns), HtmlCharges(told, all_ns),
                                  HtmlLines(told), HtmlElsewhere(told), HtmlWriters(told)})
    page += part;
  for (const std::string& note : told.notes())
    absl::StrAppend(&page, "<p class=\"quiet\">", Escaped(note), "</p>\n");
  if (!told.commands().empty()) page += "<h2>Go on with</h2>\n";
  for (const std::string& command : told.commands())
    absl::StrAppend(&page, "<pre>", Escaped(command), "</pre>\n");
  return absl::StrCat(page, "</body>\n</html>\n");
}

}  // namespace gordian
