// SPDX-License-Identifier: Apache-2.0
#include "output/requests_text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "output/text_table.h"
#include "trace/counters.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr size_t kRequestsPageWidth = 80;
constexpr size_t kWhatWidth = 36;
constexpr size_t kClientWidth = 22;
constexpr size_t kMostlyWidth = 40;
// Less is noise to a reader; it stays in JSON.
constexpr double kLeastShare = 0.01;
constexpr double kLeastCauseShare = 0.05;
// With fewer requests, the 99th percentile is the slowest one.
constexpr uint64_t kFewestForP99 = 100;

struct KindWords {
  std::string_view kind;
  std::string_view words;  // a name follows behind a space
};
constexpr KindWords kRequestKindWords[] = {
    {"run", "runs: "},
    {"runnable", "ready for a CPU: "},
    {"behind", "behind others at "},
    {"disk", "waits for the disk "},
    {"lock", "waits for a lock of "},
    {"thread", "waits for "},
    {"peer", "waits for the peer "},
    {"network", "waits for a packet on its way"},
    {"timer", "sleeps until a time"},
    {"interrupt", "waits for an interrupt"},
    {"unknown", "not known"},
};

// "waits for a lock of compaction"
std::string WhatOf(const pb::RequestTime& time) {
  for (const KindWords& words : kRequestKindWords) {
    if (words.kind != time.kind()) continue;
    const std::string who = time.who().empty() ? "somebody" : time.who();
    return absl::StrCat(std::string(words.words), words.words.ends_with(" ") ? who : "");
  }
  return time.kind();
}

// What was done meanwhile: "compaction waits for a disk"; by the one that `row` names: "it runs".
std::string CauseOf(const pb::RequestTime& cause, const pb::RequestTime& row) {
  const bool is_it = cause.who().empty() || cause.who() == row.who();
  const std::string who = is_it ? "it" : cause.who();
  const std::string& kind = cause.kind();
  if (kind == "run") return who + " runs";
  if (kind == "runnable") return who + " is ready for a CPU";
  if (kind == "behind") return who + " is busy with others";
  if (kind == "disk") return row.kind() == "behind" ? "its disk" : who + " waits for a disk";
  if (kind == "lock") return row.kind() == "lock" ? "others held it before" : "a lock of " + who;
  if (kind == "thread") return "waits for " + who;
  if (kind == "peer") return cause.who().empty() ? "not recorded there" : "waits for " + who;
  if (kind == "network") return "packets on their way";
  if (kind == "timer") return is_it ? "sleeps until a time" : who + " sleeps until a time";
  if (kind == "interrupt") return "waits for an interrupt";
  return "not known";
}

std::string QuantileName(double quantile) {
  if (quantile >= 1) return "max";
  return absl::StrCat("p", quantile * 100);
}

std::string OrdinalOf(double quantile) {
  if (quantile >= 1) return "The slowest";
  if (quantile == 0.5) return "The median";
  return absl::StrCat("The ", quantile * 100, "th percentile");
}

std::string PortName(const pb::RequestPort& port) {
  const std::string servers =
      port.servers().empty() ? "" : absl::StrCat(" (", absl::StrJoin(port.servers(), ", "), ")");
  if (!port.phase().empty()) return absl::StrCat("phase ", port.phase(), servers);
  if (!port.service().empty()) return absl::StrCat(port.service(), servers);
  return absl::StrCat("port ", port.port(), servers);
}

std::string RequestsHeadline(const pb::RequestPort& port) {
  const double wanted = port.requests() >= kFewestForP99 ? 0.99 : 0.5;
  const pb::RequestPercentile* told = &port.percentiles(0);
  for (const pb::RequestPercentile& percentile : port.percentiles())
    if (percentile.quantile() == wanted) told = &percentile;
  std::string text =
      absl::StrCat(OrdinalOf(told->quantile()), " of ", FormatCount(port.requests(), "request"),
                   port.phase().empty() ? " to " : " of ", PortName(port), " is ",
                   FormatDuration(told->latency_ns()));
  if (told->times().empty()) return text + ".";
  const pb::RequestTime& most = told->times(0);
  absl::StrAppend(&text, ". ", PercentText(most.share()), " of its time: ", WhatOf(most));
  if (!most.causes().empty() && most.causes(0).share() >= kLeastCauseShare)
    absl::StrAppend(&text, " (", PercentText(most.causes(0).share()),
                    " of that: ", CauseOf(most.causes(0), most), ")");
  return text + ".";
}

// What time went to, with its share at each percentile.
struct WhereRow {
  std::string what;
  std::vector<double> shares;
  double most = 0;
  std::vector<WhereRow> causes;
};

WhereRow& RowNamed(const std::string& what, size_t columns, std::vector<WhereRow>& rows) {
  for (WhereRow& row : rows)
    if (row.what == what) return row;
  return rows.emplace_back(WhereRow{.what = what, .shares = std::vector<double>(columns)});
}

void SortWhere(std::vector<WhereRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const WhereRow& a, const WhereRow& b) { return a.most > b.most; });
}

std::vector<WhereRow> WhereRowsOf(const pb::RequestPort& port) {
  std::vector<WhereRow> rows;
  const auto columns = static_cast<size_t>(port.percentiles_size());
  for (size_t column = 0; column < columns; ++column) {
    for (const pb::RequestTime& time : port.percentiles(static_cast<int>(column)).times()) {
      WhereRow& row = RowNamed(WhatOf(time), columns, rows);
      row.shares[column] += time.share();
      row.most = std::max(row.most, row.shares[column]);
      for (const pb::RequestTime& cause : time.causes()) {
        WhereRow& of_cause = RowNamed(CauseOf(cause, time), columns, row.causes);
        of_cause.shares[column] += cause.share() * time.share();
        of_cause.most = std::max(of_cause.most, of_cause.shares[column]);
      }
    }
  }
  SortWhere(rows);
  for (WhereRow& row : rows) SortWhere(row.causes);
  return rows;
}

std::string ShareCell(double share) { return share == 0 ? "" : NarrowPercentText(share); }

void AddWhereRow(const WhereRow& row, const std::string& indent, TextTable& table) {
  std::vector<std::string> cells = {Shorten(indent + row.what, kWhatWidth)};
  for (const double share : row.shares) cells.push_back(ShareCell(share));
  table.AddRow(std::move(cells));
}

std::string WhereTable(const pb::RequestPort& port, size_t most_rows) {
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns = {{PadRight("WHERE THE TIME GOES", kWhatWidth)}};
  std::vector<std::string> latencies = {"latency"};
  for (const pb::RequestPercentile& percentile : port.percentiles()) {
    columns.push_back({QuantileName(percentile.quantile()), Align::kRight});
    latencies.push_back(FormatDuration(percentile.latency_ns()));
  }
  TextTable table(columns);
  table.AddRow(latencies);
  const std::vector<WhereRow> rows = WhereRowsOf(port);
  WhereRow rest{.what = "(others)", .shares = std::vector<double>(latencies.size() - 1)};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i >= most_rows || rows[i].most < kLeastShare) {
      for (size_t column = 0; column < rest.shares.size(); ++column)
        rest.shares[column] += rows[i].shares[column];
      rest.most += rows[i].most;
      continue;
    }
    AddWhereRow(rows[i], "", table);
    for (const WhereRow& cause : rows[i].causes)
      if (cause.most >= kLeastCauseShare) AddWhereRow(cause, "  ", table);
  }
  if (rest.most > 0) AddWhereRow(rest, "", table);
  return table.ToString();
}

std::string SlowestTable(const pb::RequestPort& port, size_t most) {
  using Align = TextTable::Align;
  TextTable table({{"SLOWEST", Align::kRight}, {"AT", Align::kRight}, {"CLIENT"}, {"MOSTLY"}});
  std::string commands;
  for (int i = 0; i < std::min(static_cast<int>(most), port.slowest_size()); ++i) {
    const pb::RequestTold& slow = port.slowest(i);
    const std::string mostly =
        slow.times().empty()
            ? ""
            : absl::StrCat(PercentText(slow.times(0).share()), " ", WhatOf(slow.times(0)));
    table.AddRow({FormatDuration(slow.latency_ns()), "+" + FormatDuration(slow.start_ns()),
                  Shorten(slow.client().empty() ? slow.thread() : slow.client(), kClientWidth),
                  Shorten(mostly, kMostlyWidth)});
    if (!slow.critical_path().empty()) absl::StrAppend(&commands, "  ", slow.critical_path(), "\n");
  }
  if (table.empty()) return "";
  if (commands.empty()) return table.ToString();
  return absl::StrCat(table.ToString(), "What led to their answers, in the same order:\n",
                      commands);
}

std::string WrappedLines(const std::string& text) {
  std::string lines;
  for (const std::string& line : WrapText(text, kRequestsPageWidth))
    absl::StrAppend(&lines, line, "\n");
  return lines;
}

std::string PortText(const pb::RequestPort& port, const RequestsTextOptions& options) {
  std::string name = PortName(port);
  // An address stays as it is.
  if (port.service().empty()) name[0] = static_cast<char>(name[0] - 'a' + 'A');
  std::string about = absl::StrCat(name, ": ", FormatCount(port.requests(), "request"), ", ",
                                   FormatDuration(port.mean_ns()), " on average");
  if (port.open_at_once() > 1)
    absl::StrAppend(&about, ", up to ", FormatCount(port.open_at_once()), " open at once");
  if (!port.asked_by_service().empty())
    absl::StrAppend(&about, ", asked by ", port.asked_by_service());
  else if (port.asked_by() != 0)
    absl::StrAppend(&about, ", asked by port ", port.asked_by());
  std::string text =
      absl::StrCat("\n", WrappedLines(about + "."), "\n", WhereTable(port, options.most_rows));
  if (const std::string slowest = SlowestTable(port, options.most_slowest); !slowest.empty())
    absl::StrAppend(&text, "\n", slowest);
  return text;
}

constexpr char kRule[] =
    "A request lasts from the first data that reaches the server's machine to the first data "
    "back. A percentile's shares are of the requests next to it. gordian-requests(1) has the "
    "rules, and what they cannot see.";
constexpr char kPhaseRule[] =
    "A request is a phase that the program told: these times are exact. A percentile's shares are "
    "of the requests next to it.";

std::string CountersText(const pb::Requests& requests) {
  std::string text;
  for (const pb::RequestCounter& counter : requests.counters()) {
    const CounterDefinition* const definition = FindCounter(counter.name());
    if (definition == nullptr) continue;
    text += WrappedLines(absl::StrCat(FormatCount(counter.value()), ": ",
                                      std::string(definition->meaning), " ",
                                      std::string(definition->advice)));
  }
  return text;
}

}  // namespace

std::string RequestsText(const pb::Requests& requests, const RequestsTextOptions& options) {
  if (requests.ports().empty()) return "No request has a known thread.\n" + CountersText(requests);
  std::string text = WrappedLines(RequestsHeadline(requests.ports(0)));
  const auto ports = static_cast<size_t>(requests.ports_size());
  const size_t shown = ports <= options.most_ports + 1 ? ports : options.most_ports;
  for (size_t i = 0; i < shown; ++i) text += PortText(requests.ports(static_cast<int>(i)), options);
  if (shown < ports)
    absl::StrAppend(&text, "\n",
                    WrappedLines(absl::StrCat(FormatCount(ports - shown),
                                              " more ports: --port tells of one.")));
  absl::StrAppend(&text, "\n", WrappedLines(requests.found_by() == "phases" ? kPhaseRule : kRule));
  if (const std::string counters = CountersText(requests); !counters.empty())
    absl::StrAppend(&text, "\n", counters);
  return text;
}

}  // namespace gordian
