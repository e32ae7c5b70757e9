// SPDX-License-Identifier: Apache-2.0
#include "output/cluster_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {

std::string ClockDuration(double seconds) {
  return FormatDuration(static_cast<uint64_t>(std::llround(seconds * 1e9)));
}

namespace {

constexpr size_t kLinksShown = 6;

// The error bound of each node's clock, as measured, and after causality.
void AddClocks(const pb::ClusterSummary& cluster, TextPage& page) {
  double bound_s = 0;
  double measured_s = 0;
  for (const pb::ReportNode& node : cluster.nodes()) {
    bound_s = std::max(bound_s, node.clock_bound_s());
    measured_s = std::max(measured_s, node.measured_bound_s());
  }
  if (measured_s == 0) {
    page.Labelled("clocks", "one for all nodes");
    return;
  }
  page.Labelled(
      "clocks",
      absl::StrCat("within ", ClockDuration(bound_s), " of ", CleanText(cluster.reference()),
                   "'s (measured to ", ClockDuration(measured_s),
                   "; that no message arrives before it was sent told the rest)"));
  for (const pb::ReportNode& node : cluster.nodes()) {
    if (node.clock_measured()) continue;
    const std::string why =
        node.contradictions() == 0
            ? "'s was not measured"
            : absl::StrCat("'s was measured wrongly: by it, ",
                           FormatCount(node.contradictions(), "message"),
                           " would have arrived before they were sent. It is not believed");
    page.Labelled("",
                  absl::StrCat(CleanText(node.name()), why,
                               ": its wall clock and messages tell where it belongs"),
                  Tone::kWarning);
  }
}

void AddLinks(const pb::ClusterSummary& cluster, TextPage& page) {
  std::vector<const pb::ReportLink*> links;
  for (const pb::ReportLink& link : cluster.links()) {
    if (link.timed_messages() > 0) links.push_back(&link);
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const auto* a, const auto* b) { return a->messages() > b->messages(); });
  const size_t shown = std::min<size_t>(links.size(), kLinksShown);
  for (size_t i = 0; i < shown; ++i) {
    const pb::ReportLink& link = *links[i];
    std::string text = absl::StrCat(
        CleanText(link.from()), "→", CleanText(link.to()), ": ", ClockDuration(link.median_s()),
        " in flight (median of ", FormatCount(link.timed_messages(), "message"), ", ",
        ClockDuration(link.shortest_s()), " to ", ClockDuration(link.longest_s()), ")");
    if (link.within_clock_bound())
      absl::StrAppend(&text, ", ≤ clock bound ", ClockDuration(link.clock_bound_s()));
    page.Labelled(i == 0 ? "links" : "", text);
  }
  if (shown < links.size())
    page.Labelled("", absl::StrCat("and ", links.size() - shown, " more (--json has all)"));
}

}  // namespace

// The nodes share a timetable, and a dear node keeps to less of it than a cheap one.
void AddPausesOfNodes(const pb::RecordingSummary& recording, const pb::ClusterSummary& cluster,
                      TextPage& page) {
  const auto paused_less = [](const pb::ReportNode& one, const pb::ReportNode& other) {
    return one.paused_s() < other.paused_s();
  };
  const auto& nodes = cluster.nodes();
  const auto [least, most] = std::minmax_element(nodes.begin(), nodes.end(), paused_less);
  std::string by_node;
  if (least != nodes.end())
    by_node =
        absl::StrCat(" (", CleanText(most->name()), " for ", SecondsText(most->paused_s()), ", ",
                     CleanText(least->name()), " for ", SecondsText(least->paused_s()), ")");
  page.Labelled("pauses",
                absl::StrCat("nodes paused ",
                             recording.pauses() == 1
                                 ? "once, for "
                                 : absl::StrCat(FormatCount(recording.pauses(), "time"), ", for "),
                             SecondsText(recording.paused_s()), " in all, to keep to their budgets",
                             by_node, "; times and rates here are of what all nodes recorded"));
}

void AddClusterText(const pb::ClusterSummary& cluster, TextPage& page) {
  AddClocks(cluster, page);
  const auto share = [](uint64_t part, uint64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
  };
  if (cluster.packet_waits() > 0) {
    std::string text = absl::StrCat(
        PercentText(share(cluster.matched_waits(), cluster.packet_waits())), " of ",
        FormatCount(cluster.packet_waits()), " waits that packets ended are known by their sender");
    if (cluster.tcp_waits() > 0)
      absl::StrAppend(&text, "; of TCP's ",
                      PercentText(share(cluster.matched_tcp_waits(), cluster.tcp_waits())));
    if (cluster.matched_other_waits() > 0)
      absl::StrAppend(&text, "; datagrams by their order, ",
                      PercentText(share(cluster.sure_other_waits(), cluster.matched_other_waits())),
                      " of them for sure");
    page.Labelled("matched", text);
  }
  AddLinks(cluster, page);
  for (const std::string& line : cluster.left_out())
    page.Labelled("left out", CleanText(line), Tone::kBad);
}

}  // namespace gordian
