#include "cli/session_text.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include "absl/strings/str_cat.h"
#include "cli/text_table.h"
#include "cli/verb.h"
#include "proto/quantities.h"

namespace gordian {
namespace {

using Json = rapidjson::PrettyWriter<rapidjson::StringBuffer>;
constexpr auto kRight = TextTable::Align::kRight;

// Finished sessions of older recorders do not tell; `gordian dump --summary` counts them.
bool KnowsItsEvents(const pb::SessionStatus& session) {
  return session.events_known() || session.state() == "recording" || session.state() == "ended";
}

std::string EventsText(const pb::SessionStatus& session) {
  return KnowsItsEvents(session) ? FormatCount(session.events()) : "";
}

std::string EndText(const pb::SessionStatus& session) {
  if (session.error().empty()) return session.end_reason();
  if (session.end_reason().empty()) return OneLine(session.error());
  return absl::StrCat(session.end_reason(), ": ", OneLine(session.error()));
}

std::string StartText(const pb::SessionStatus& session) {
  return session.started_realtime_ns() == 0 ? "" : FormatRealtime(session.started_realtime_ns());
}

void Text(Json& json, const char* key, const std::string& value) {
  json.Key(key);
  json.String(value.c_str(), static_cast<rapidjson::SizeType>(value.size()));
}

void Number(Json& json, const char* key, uint64_t value) {
  json.Key(key);
  json.Uint64(value);
}

void Write(Json& json, const pb::SessionStatus& session) {
  json.StartObject();
  Text(json, "name", session.name());
  Text(json, "state", session.state());
  Text(json, "directory", session.directory());
  Text(json, "backend", session.backend());
  if (session.started_realtime_ns() != 0) Text(json, "started", StartText(session));
  Number(json, "elapsed_ns", session.elapsed_ns());
  if (KnowsItsEvents(session)) Number(json, "events", session.events());
  Number(json, "lost", session.lost());
  Number(json, "bytes_on_disk", session.bytes_on_disk());
  if (session.ring_bytes() != 0) Number(json, "ring_bytes", session.ring_bytes());
  if (session.max_bytes() != 0) Number(json, "max_bytes", session.max_bytes());
  if (session.duration_ns() != 0) Number(json, "duration_ns", session.duration_ns());
  if (!session.end_reason().empty()) Text(json, "end_reason", session.end_reason());
  if (!session.error().empty()) Text(json, "error", session.error());
  if (!session.snapshot_of().empty()) Text(json, "snapshot_of", session.snapshot_of());
  json.EndObject();
}

void Write(Json& json, const SessionStatuses& sessions) {
  json.Key("sessions");
  json.StartArray();
  for (const pb::SessionStatus& session : sessions) Write(json, session);
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
                      : absl::StrCat("snapshot of ", OneLine(session.snapshot_of()))});
  }
  return table.ToString();
}

std::string StatusJson(const pb::StatusResponse& response) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.StartObject();
  Text(json, "daemon_version", response.daemon_version());
  Number(json, "free_bytes", response.free_bytes());
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
