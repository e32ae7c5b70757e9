// SPDX-License-Identifier: Apache-2.0
#include "output/traffic_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/time_units.h"
#include "output/text_table.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using Align = TextTable::Align;

constexpr size_t kPairsInSentence = 3;
constexpr double kLeastInSentence = 0.1;  // of all payload

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string Party(const Traffic& traffic, uint32_t party) {
  return CleanText(traffic.parties[party].name);
}

std::string Headline(const Traffic& traffic) {
  const TrafficAmount& total = traffic.total;
  const std::string length = FormatDuration(traffic.end_ns - traffic.start_ns);
  if (total.empty()) return absl::StrCat("No packets were recorded in ", length, ".\n");
  if (total.payload_bytes == 0) {
    return absl::StrCat(FormatCount(total.packets, "packet"), " in ", length,
                        ", and nothing known to be in them.\n");
  }
  std::vector<std::string> parts;
  for (const TrafficPair& pair : traffic.pairs) {
    if (parts.size() == kPairsInSentence) break;
    if (!parts.empty() && Share(pair.amount.payload_bytes, total.payload_bytes) < kLeastInSentence)
      break;
    const std::string of_all =
        parts.empty() ? absl::StrCat(" of ", FormatSize(total.payload_bytes)) : "";
    parts.push_back(absl::StrCat(PercentText(Share(pair.amount.payload_bytes, total.payload_bytes)),
                                 of_all, parts.empty() ? " go from " : " from ",
                                 Party(traffic, pair.from), " to ", Party(traffic, pair.to)));
  }
  return absl::StrCat(absl::StrJoin(parts, ", "), "; ", FormatCount(total.messages, "message"),
                      " in ", length, ".\n");
}

std::vector<std::string> AmountCells(const TrafficAmount& amount, uint64_t all_bytes) {
  const uint64_t per_message = amount.messages == 0 ? 0 : amount.payload_bytes / amount.messages;
  return {FormatSize(amount.payload_bytes),
          PercentText(Share(amount.payload_bytes, all_bytes)),
          FormatCount(amount.messages),
          amount.messages == 0 ? "" : FormatSize(per_message),
          FormatCount(amount.packets),
          amount.empty_packets == 0 ? "" : FormatCount(amount.empty_packets),
          amount.repeated_bytes == 0 ? "" : FormatSize(amount.repeated_bytes)};
}

std::string PairTable(const Traffic& traffic, size_t most_pairs) {
  TextTable table({{"FROM"},
                   {"TO"},
                   {"PAYLOAD", Align::kRight},
                   {"SHARE", Align::kRight},
                   {"MESSAGES", Align::kRight},
                   {"EACH", Align::kRight},
                   {"PACKETS", Align::kRight},
                   {"EMPTY", Align::kRight},
                   {"REPEATED", Align::kRight}});
  const auto add = [&](std::string from, std::string to, const TrafficAmount& amount) {
    std::vector<std::string> row = {std::move(from), std::move(to)};
    for (std::string& cell : AmountCells(amount, traffic.total.payload_bytes))
      row.push_back(std::move(cell));
    table.AddRow(std::move(row));
  };
  // A line that would only say "1 more" is that one instead.
  const bool all = traffic.pairs.size() <= most_pairs + 1;
  TrafficAmount rest;
  for (size_t i = 0; i < traffic.pairs.size(); ++i) {
    const TrafficPair& pair = traffic.pairs[i];
    if (all || i < most_pairs) {
      add(Party(traffic, pair.from), Party(traffic, pair.to), pair.amount);
    } else {
      rest += pair.amount;
    }
  }
  if (!all)
    add(absl::StrCat("(", FormatCount(traffic.pairs.size() - most_pairs), " more)"), "", rest);
  return table.ToString();
}

struct SpanTotal {
  TrafficAmount amount;
  const TrafficPair* largest = nullptr;
  uint64_t largest_bytes = 0;
};

std::vector<SpanTotal> SpanTotals(const Traffic& traffic) {
  std::vector<SpanTotal> totals(traffic.spans.size());
  for (const TrafficPair& pair : traffic.pairs) {
    for (const SpanAmount& part : pair.spans) {
      SpanTotal& total = totals[part.span];
      total.amount += part.amount;
      if (part.amount.payload_bytes <= total.largest_bytes) continue;
      total.largest_bytes = part.amount.payload_bytes;
      total.largest = &pair;
    }
  }
  return totals;
}

std::string Rate(const TrafficSpan& span, uint64_t bytes) {
  const uint64_t length_ns = span.end_ns - std::min(span.start_ns, span.end_ns);
  if (span.kind != SpanKind::kPlain || length_ns == 0) return "";
  const double rate = static_cast<double>(bytes) * kNsPerSecond / static_cast<double>(length_ns);
  return rate > 1e18 ? "" : FormatSize(static_cast<uint64_t>(rate)) + "/s";
}

std::string SpanTable(const Traffic& traffic) {
  TextTable table({{"WHEN"},
                   {"PAYLOAD", Align::kRight},
                   {"RATE", Align::kRight},
                   {"MESSAGES", Align::kRight},
                   {"MOST OF IT"}});
  const std::vector<SpanTotal> totals = SpanTotals(traffic);
  for (size_t i = 0; i < totals.size(); ++i) {
    const SpanTotal& total = totals[i];
    std::string most;
    if (total.largest != nullptr) {
      most = absl::StrCat(PercentText(Share(total.largest_bytes, total.amount.payload_bytes)), " ",
                          Party(traffic, total.largest->from), " to ",
                          Party(traffic, total.largest->to));
    }
    table.AddRow({CleanText(SpanName(traffic.spans[i])), FormatSize(total.amount.payload_bytes),
                  Rate(traffic.spans[i], total.amount.payload_bytes),
                  FormatCount(total.amount.messages), most});
  }
  return table.ToString();
}

std::string ClockNote(const Traffic& traffic) {
  switch (traffic.clock) {
    case TrafficClock::kOne:
      return "";
    case TrafficClock::kMeasured:
      return absl::StrCat("The nodes' clocks were measured, to within ",
                          FormatDuration(traffic.clock_bound_ns), " and what they drift.\n");
    case TrafficClock::kRealtime:
      return "The nodes' clocks were not measured: times stand as far apart as their clocks of "
             "day.\n";
    case TrafficClock::kUnknown:
      return "Of some node's clock nothing was recorded: when it sent what cannot be told.\n";
  }
  return "";
}

// Notes for the reader of these numbers, each a line of its own.
std::string Notes(const Traffic& traffic) {
  const TrafficAmount& total = traffic.total;
  std::string text = absl::StrCat(
      "Payload without headers; with those of IP and above ", FormatSize(total.ip_bytes), ". ",
      FormatCount(traffic.flows, "flow"), ", counted by sender ",
      FormatSize(traffic.by_sender_bytes), ", by receiver ", FormatSize(traffic.by_receiver_bytes),
      ", in passing ", FormatSize(traffic.in_passing_bytes), ".\n", ClockNote(traffic));
  const auto note = [&](uint64_t count, const std::string& amount, const char* what) {
    if (count != 0) absl::StrAppend(&text, amount, " ", what, "\n");
  };
  note(total.repeated_bytes, FormatSize(total.repeated_bytes), "were sent again, and count once.");
  note(total.unseen_bytes, FormatSize(total.unseen_bytes),
       "more passed without a record: sequence numbers skip them.");
  note(total.unknown_size_bytes, FormatSize(total.unknown_size_bytes),
       "(with headers) are of flows that nothing describes.");
  note(traffic.seen_again_packets, FormatCount(traffic.seen_again_packets),
       "records are of packets seen on another interface before.");
  note(traffic.other_flows_packets, FormatCount(traffic.other_flows_packets),
       "packets are of more flows than are told apart: gordian-traffic(1), LIMITS.");
  note(traffic.lost_packets, FormatCount(traffic.lost_packets),
       "records of packets were lost by the recorder: --kernel-ring.");
  note(traffic.paused_ns, FormatDuration(traffic.paused_ns),
       "of it the recorders paused to keep to their --budget: of what passed then only the "
       "sequence numbers behind it tell, so amounts and rates are too low.");
  note(traffic.corrupt_blocks, FormatCount(traffic.corrupt_blocks),
       "blocks of the recording are damaged and left out.");
  note(traffic.nodes_in_part, FormatCount(traffic.nodes_in_part, "node"),
       "recorded with --only: messages that woke no thread there are known by their sender only. "
       "Too few messages may be counted.");
  return text;
}

}  // namespace

std::string SpanName(const TrafficSpan& span) {
  switch (span.kind) {
    case SpanKind::kOutside:
      return "(in no phase)";
    case SpanKind::kSeveral:
      return "(in several phases at once)";
    case SpanKind::kUntimed:
      return "(not told apart by time)";
    case SpanKind::kPlain:
      break;
  }
  if (!span.label.empty()) return span.label;
  return absl::StrCat(span.start_ns == 0 ? "0 s" : FormatDuration(span.start_ns), " - ",
                      FormatDuration(span.end_ns));
}

std::string TrafficText(const Traffic& traffic, const TrafficTextOptions& options) {
  std::string text = Headline(traffic);
  if (!traffic.total.empty()) {
    absl::StrAppend(&text, "\n", PairTable(traffic, options.most_pairs), "\n", SpanTable(traffic),
                    "\n", Notes(traffic));
  } else if (traffic.lost_packets != 0 || traffic.paused_ns != 0 || traffic.corrupt_blocks != 0) {
    absl::StrAppend(&text, "\n", Notes(traffic));
  }
  return text;
}

}  // namespace gordian
