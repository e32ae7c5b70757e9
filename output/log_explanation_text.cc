// SPDX-License-Identifier: Apache-2.0
#include "output/log_explanation_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "output/text_table.h"
#include "words/moment_text.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr size_t kExplanationWidth = 80;
constexpr size_t kEdgeWidth = 52;
constexpr size_t kPlaceWidth = 24;
constexpr size_t kWriterWidth = 24;
constexpr size_t kLogTextWidth = 60;
constexpr size_t kMostIndent = 12;

void Paragraph(std::string_view text, std::string& page) {
  for (const std::string& line : WrapText(text, kExplanationWidth))
    absl::StrAppend(&page, line, "\n");
}

// Folders are in --json.
std::string PlaceOfLine(const pb::ExplainedLine& line) {
  const std::string& file = line.file();
  const size_t slash = file.rfind('/');
  return absl::StrCat(slash == std::string::npos ? file : file.substr(slash + 1), ":", line.line());
}

std::string MoreRows(size_t all, size_t shown) {
  return shown < all ? absl::StrCat(FormatCount(all - shown), " more: --top, or --json\n") : "";
}

size_t ShownOf(int rows, size_t most) {
  const auto all = static_cast<size_t>(rows);
  return all <= most + 1 ? all : most;
}

std::string WriterSentence(const pb::LogExplanation& told) {
  std::string text;
  if (told.writers().empty()) return text;
  const pb::LineWriterGuess& writer = told.writers(0);
  absl::StrAppend(&text, "Who wrote it: ", writer.thread(), " (", writer.words(), ": ",
                  absl::StrJoin(writer.signs(), "; "), ").");
  if (told.writers_size() > 1 && writer.how_sure() < 0.9) {
    std::vector<std::string> others;
    for (int i = 1; i < told.writers_size(); ++i) others.push_back(told.writers(i).thread());
    absl::StrAppend(&text, " Or: ", absl::StrJoin(others, ", "), ".");
  }
  return text;
}

std::string EdgesTable(const pb::LogExplanation& told, size_t most) {
  using Align = TextTable::Align;
  TextTable table({{PadRight("WAITED FOR", kEdgeWidth)},
                   {"LOST", Align::kRight},
                   {"TIMES", Align::kRight},
                   {"LONGEST FROM", Align::kRight}});
  // Those with the most time, in the order of the tree. A parent has no less than its children.
  std::vector<int> by_time(static_cast<size_t>(told.edges_size()));
  for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = static_cast<int>(i);
  std::stable_sort(by_time.begin(), by_time.end(), [&told](int a, int b) {
    return told.edges(a).all_ns() > told.edges(b).all_ns();
  });
  const size_t shown = ShownOf(told.edges_size(), most);
  std::vector<uint8_t> is_shown(by_time.size());
  for (size_t i = 0; i < shown; ++i) is_shown[static_cast<size_t>(by_time[i])] = 1;
  std::vector<size_t> depths;
  for (int i = 0; i < told.edges_size(); ++i) {
    const pb::LostEdge& edge = told.edges(i);
    depths.push_back(edge.parent() < 0 ? 0 : depths[static_cast<size_t>(edge.parent())] + 1);
    if (is_shown[static_cast<size_t>(i)] == 0) continue;
    const std::string indent(2 * std::min(depths.back(), kMostIndent), ' ');
    table.AddRow(
        {Shorten(absl::StrCat(indent, edge.waited_for(), edge.in_vain() ? ", in vain" : ""),
                 kEdgeWidth),
         FormatDuration(edge.all_ns()), FormatCount(edge.count()), MomentText(edge.from_ns())});
  }
  std::string text = table.empty() ? "" : table.ToString();
  return absl::StrCat(text, MoreRows(by_time.size(), shown));
}

std::string ChargesTable(const pb::LogExplanation& told, size_t most) {
  using Align = TextTable::Align;
  TextTable table({{PadRight("WHERE THE TIME WENT", kEdgeWidth)},
                   {"STATE"},
                   {"TIME", Align::kRight},
                   {"SHARE", Align::kRight}});
  const size_t shown = ShownOf(told.charges_size(), most);
  const double all_ns = static_cast<double>(std::max<uint64_t>(1, told.at_ns() - told.since_ns()));
  for (size_t i = 0; i < shown; ++i) {
    const pb::TimeCharge& charge = told.charges(static_cast<int>(i));
    table.AddRow({Shorten(charge.name(), kEdgeWidth), charge.state(),
                  FormatDuration(charge.time_ns()),
                  NarrowPercentText(static_cast<double>(charge.time_ns()) / all_ns)});
  }
  std::string text = table.empty() ? "" : table.ToString();
  return absl::StrCat(text, MoreRows(static_cast<size_t>(told.charges_size()), shown));
}

std::string LinesText(const pb::LogExplanation& told, size_t most) {
  if (told.lines().empty()) return "";
  std::string text = "Lines of others on the way to it:\n\n";
  TextTable table({{"AT", TextTable::Align::kRight}, {"LINE"}, {"WRITTEN BY"}, {"TEXT"}});
  const size_t shown = ShownOf(told.lines_size(), most);
  // The last ones are nearest to the line.
  for (size_t i = static_cast<size_t>(told.lines_size()) - shown;
       i < static_cast<size_t>(told.lines_size()); ++i) {
    const pb::ExplainedLine& line = told.lines(static_cast<int>(i));
    table.AddRow({MomentText(line.from_ns()), Shorten(PlaceOfLine(line), kPlaceWidth),
                  Shorten(line.thread(), kWriterWidth), Shorten(line.text(), kLogTextWidth)});
  }
  return absl::StrCat(
      text, table.ToString(),
      MoreRows(static_cast<size_t>(told.lines_size()) + told.lines_left_out(), shown));
}

std::string ElsewhereText(const pb::LogExplanation& told, size_t most) {
  if (told.elsewhere().empty()) return "";
  std::string text = "Lines elsewhere that have its rare words:\n\n";
  TextTable table({{"LINE"}, {"RARE WORDS"}, {"TEXT"}});
  const size_t shown = ShownOf(told.elsewhere_size(), most);
  for (size_t i = 0; i < shown; ++i) {
    const pb::ExplainedLine& line = told.elsewhere(static_cast<int>(i));
    table.AddRow({Shorten(PlaceOfLine(line), kPlaceWidth),
                  Shorten(absl::StrJoin(line.words(), " "), kWriterWidth),
                  Shorten(line.text(), kLogTextWidth)});
  }
  return absl::StrCat(
      text, table.ToString(),
      MoreRows(static_cast<size_t>(told.elsewhere_size()) + told.elsewhere_left_out(), shown));
}

}  // namespace

std::string LogExplanationText(const pb::LogExplanation& told, size_t most_rows) {
  std::string page;
  Paragraph(told.answer(), page);
  page += "\n";
  Paragraph(absl::StrCat(PlaceOfLine(told.line()), ": ", Shorten(told.line().text(), 300)), page);
  Paragraph(WriterSentence(told), page);
  Paragraph(absl::StrCat("Since ", MomentText(told.since_ns()), ": ", told.since_why(), "."), page);
  for (const std::string& part : {EdgesTable(told, most_rows), ChargesTable(told, most_rows),
                                  LinesText(told, most_rows), ElsewhereText(told, most_rows)}) {
    if (!part.empty()) absl::StrAppend(&page, "\n", part);
  }
  if (!told.notes().empty()) page += "\n";
  for (const std::string& note : told.notes()) Paragraph(note, page);
  if (!told.commands().empty()) page += "\nGo on with\n";
  for (const std::string& command : told.commands()) absl::StrAppend(&page, "    ", command, "\n");
  return page;
}

}  // namespace gordian
