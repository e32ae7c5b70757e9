// SPDX-License-Identifier: Apache-2.0
#include "cli/session_text.h"

#include "absl/strings/str_cat.h"
#include "cli/session_json.h"
#include "cli/verb.h"
#include "output/text_table.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using Json = SessionJson;
constexpr auto kRight = TextTable::Align::kRight;

std::string EventsText(const pb::SessionStatus& session) {
  return KnowsItsEvents(session) ? FormatCount(session.events()) : "";
}

std::string EndText(const pb::SessionStatus& session) {
  if (session.error().empty()) return session.end_reason();
  if (session.end_reason().empty()) return InOneLine(session.error());
  return absl::StrCat(session.end_reason(), ": ", InOneLine(session.error()));
}

std::string StartText(const pb::SessionStatus& session) {
  return session.started_realtime_ns() == 0 ? "" : FormatRealtime(session.started_realtime_ns());
}

void Write(Json& json, const SessionStatuses& sessions) {
  json.Key("sessions");
  json.StartArray();
  for (const pb::SessionStatus& session : sessions) WriteSession(json, session);
  json.EndArray();
}

}  // namespace

std::string SessionLine(const pb::SessionStatus& session) {
  return absl::StrCat(
      session.name(), ": ", FormatCount(session.events()), " events in ",
      FormatDuration(session.elapsed_ns()), ", ", FormatSize(session.bytes_on_disk()), ", ",
      session.lost() == 0 ? "nothing lost" : absl::StrCat(FormatCount(session.lost()), " lost"));
}

std::string RunningTable(const SessionStatuses& sessions) {
  TextTable table({{"NAME"},
                   {"STATE"},
                   {"BACKEND"},
                   {"TIME", kRight},
                   {"EVENTS", kRight},
                   {"LOST", kRight},
                   {"SIZE", kRight},
                   {"RING", kRight},
                   {"END"}});
  for (const pb::SessionStatus& session : sessions) {
    table.AddRow(
        {session.name(), session.state(), session.backend(), FormatDuration(session.elapsed_ns()),
         EventsText(session), FormatCount(session.lost()), FormatSize(session.bytes_on_disk()),
         session.ring_bytes() == 0 ? "" : FormatSize(session.ring_bytes()), EndText(session)});
  }
  return table.ToString();
}

std::string FinishedTable(const SessionStatuses& sessions) {
  TextTable table({{"NAME"},
                   {"STATE"},
                   {"STARTED"},
                   {"TIME", kRight},
                   {"SIZE", kRight},
                   {"EVENTS", kRight},
                   {"LOST", kRight},
                   {"END"}});
  for (const pb::SessionStatus& session : sessions) {
    table.AddRow({session.name(), session.state(), StartText(session),
                  session.elapsed_ns() == 0 ? "" : FormatDuration(session.elapsed_ns()),
                  FormatSize(session.bytes_on_disk()), EventsText(session),
                  FormatCount(session.lost()),
                  session.snapshot_of().empty()
                      ? EndText(session)
                      : absl::StrCat("snapshot of ", CleanText(session.snapshot_of()))});
  }
  return table.ToString();
}

std::string StatusJson(const pb::StatusResponse& response) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.StartObject();
  WriteText(json, "daemon_version", response.daemon_version());
  WriteNumber(json, "free_bytes", response.free_bytes());
  Write(json, response.sessions());
  json.EndObject();
  return absl::StrCat(buffer.GetString(), "\n");
}

std::string ListJson(const pb::ListResponse& response) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.StartObject();
  Write(json, response.sessions());
  json.EndObject();
  return absl::StrCat(buffer.GetString(), "\n");
}

}  // namespace gordian
