// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_view.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "absl/strings/str_cat.h"
#include "cli/session_json.h"
#include "cli/verb.h"
#include "output/text_table.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr auto kNumber = TextTable::Align::kRight;

std::string SignedDuration(int64_t span_ns) {
  const uint64_t size_ns =
      span_ns < 0 ? 0 - static_cast<uint64_t>(span_ns) : static_cast<uint64_t>(span_ns);
  return absl::StrCat(span_ns < 0 ? "-" : "+", FormatDuration(size_ns));
}

std::string OffsetText(const pb::SessionStatus& session, const std::string& node) {
  if (session.clock_reference().empty()) return "";
  if (session.clock_reference() == node) return "reference";
  return session.has_clock_offset_ns() ? SignedDuration(session.clock_offset_ns()) : "?";
}

std::string BoundText(const pb::SessionStatus& session) {
  return session.has_clock_offset_ns() ? FormatDuration(session.clock_bound_ns()) : "";
}

std::string NoteText(const pb::SessionStatus& session) {
  std::string note = CleanText(session.end_reason());
  if (!session.error().empty()) {
    absl::StrAppend(&note, note.empty() ? "" : ": ", InOneLine(session.error()));
  }
  if (!session.clock_error().empty()) {
    absl::StrAppend(&note, note.empty() ? "" : "; ", "clock: ", InOneLine(session.clock_error()));
  }
  return note;
}

template <typename Response>
NodeSessions SessionsOfNode(const Node& node, const absl::StatusOr<Response>& answer) {
  NodeSessions of_node;
  of_node.node = node.name;
  of_node.status = answer.status();
  if (answer.ok()) of_node.sessions.assign(answer->sessions().begin(), answer->sessions().end());
  return of_node;
}

}  // namespace

std::vector<NodeSessions> SessionsOf(const Cluster& cluster,
                                     const Answers<pb::StatusResponse>& answers) {
  std::vector<NodeSessions> nodes;
  for (size_t i = 0; i < answers.size(); ++i) {
    nodes.push_back(SessionsOfNode(cluster.node(i), answers[i]));
    if (answers[i].ok()) nodes.back().free_bytes = answers[i]->free_bytes();
  }
  return nodes;
}

std::vector<NodeSessions> SessionsOf(const Cluster& cluster,
                                     const Answers<pb::ListResponse>& answers) {
  std::vector<NodeSessions> nodes;
  for (size_t i = 0; i < answers.size(); ++i) {
    nodes.push_back(SessionsOfNode(cluster.node(i), answers[i]));
  }
  return nodes;
}

int ExitCodeOf(const std::vector<NodeSessions>& nodes) {
  for (const NodeSessions& node : nodes) {
    if (!node.status.ok()) return kExitFailure;
  }
  return kExitSuccess;
}

std::string NodesStatusTable(const std::vector<NodeSessions>& nodes) {
  TextTable table({{"NODE"},
                   {"NAME"},
                   {"STATE"},
                   {"TIME", kNumber},
                   {"EVENTS", kNumber},
                   {"LOST", kNumber},
                   {"SIZE", kNumber},
                   {"FREE", kNumber},
                   {"CLOCK", kNumber},
                   {"BOUND", kNumber},
                   {"NOTE"}});
  for (const NodeSessions& node : nodes) {
    if (!node.status.ok()) {
      table.AddRow({node.node, "", "unknown", "", "", "", "", "", "", "", MessageOf(node.status)});
    } else if (node.sessions.empty()) {
      table.AddRow(
          {node.node, "", "idle", "", "", "", "", FormatSize(node.free_bytes), "", "", ""});
    }
    for (const pb::SessionStatus& session : node.sessions) {
      table.AddRow({node.node, CleanText(session.name()), CleanText(session.state()),
                    FormatDuration(session.elapsed_ns()), FormatCount(session.events()),
                    FormatCount(session.lost()), FormatSize(session.bytes_on_disk()),
                    FormatSize(node.free_bytes), OffsetText(session, node.node), BoundText(session),
                    NoteText(session)});
    }
  }
  return table.ToString();
}

std::string NodesListTable(const std::vector<NodeSessions>& nodes) {
  TextTable table({{"NODE"},
                   {"NAME"},
                   {"STATE"},
                   {"STARTED"},
                   {"TIME", kNumber},
                   {"SIZE", kNumber},
                   {"LOST", kNumber},
                   {"NOTE"}});
  for (const NodeSessions& node : nodes) {
    if (!node.status.ok()) {
      table.AddRow({node.node, "", "unknown", "", "", "", "", MessageOf(node.status)});
    }
    for (const pb::SessionStatus& session : node.sessions) {
      const std::string started =
          session.started_realtime_ns() == 0 ? "" : FormatRealtime(session.started_realtime_ns());
      table.AddRow({node.node, CleanText(session.name()), CleanText(session.state()), started,
                    FormatDuration(session.elapsed_ns()), FormatSize(session.bytes_on_disk()),
                    FormatCount(session.lost()), NoteText(session)});
    }
  }
  return table.ToString();
}

std::string NodesJson(const std::vector<NodeSessions>& nodes) {
  rapidjson::StringBuffer buffer;
  SessionJson json(buffer);
  json.StartObject();
  json.Key("nodes");
  json.StartArray();
  for (const NodeSessions& node : nodes) {
    json.StartObject();
    WriteText(json, "node", node.node);
    if (!node.status.ok()) WriteText(json, "error", MessageOf(node.status));
    if (node.free_bytes != 0) WriteNumber(json, "free_bytes", node.free_bytes);
    json.Key("sessions");
    json.StartArray();
    for (const pb::SessionStatus& session : node.sessions) WriteSession(json, session);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return absl::StrCat(buffer.GetString(), "\n");
}

}  // namespace gordian
