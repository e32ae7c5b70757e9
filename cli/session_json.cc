// SPDX-License-Identifier: Apache-2.0
#include "cli/session_json.h"

#include "words/quantities.h"

namespace gordian {

bool KnowsItsEvents(const pb::SessionStatus& session) {
  return session.events_known() || session.state() == "recording" || session.state() == "ended";
}

void WriteText(SessionJson& json, const char* key, const std::string& value) {
  json.Key(key);
  json.String(value.c_str(), static_cast<rapidjson::SizeType>(value.size()));
}

void WriteNumber(SessionJson& json, const char* key, uint64_t value) {
  json.Key(key);
  json.Uint64(value);
}

void WriteSession(SessionJson& json, const pb::SessionStatus& session) {
  json.StartObject();
  WriteText(json, "name", session.name());
  WriteText(json, "state", session.state());
  WriteText(json, "directory", session.directory());
  WriteText(json, "backend", session.backend());
  if (session.started_realtime_ns() != 0) {
    WriteText(json, "started", FormatRealtime(session.started_realtime_ns()));
  }
  WriteNumber(json, "elapsed_ns", session.elapsed_ns());
  if (KnowsItsEvents(session)) WriteNumber(json, "events", session.events());
  WriteNumber(json, "lost", session.lost());
  WriteNumber(json, "bytes_on_disk", session.bytes_on_disk());
  if (session.ring_bytes() != 0) WriteNumber(json, "ring_bytes", session.ring_bytes());
  if (session.max_bytes() != 0) WriteNumber(json, "max_bytes", session.max_bytes());
  if (session.duration_ns() != 0) WriteNumber(json, "duration_ns", session.duration_ns());
  if (!session.end_reason().empty()) WriteText(json, "end_reason", session.end_reason());
  if (!session.error().empty()) WriteText(json, "error", session.error());
  if (!session.snapshot_of().empty()) WriteText(json, "snapshot_of", session.snapshot_of());
  if (!session.clock_reference().empty()) {
    WriteText(json, "clock_reference", session.clock_reference());
  }
  if (session.has_clock_offset_ns()) {
    json.Key("clock_offset_ns");
    json.Int64(session.clock_offset_ns());
    WriteNumber(json, "clock_bound_ns", session.clock_bound_ns());
  }
  if (!session.clock_error().empty()) WriteText(json, "clock_error", session.clock_error());
  json.EndObject();
}

}  // namespace gordian
