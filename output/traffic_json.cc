// SPDX-License-Identifier: Apache-2.0
#include "output/traffic_json.h"

#include "output/json_writer.h"

namespace gordian {
namespace {

const char* Word(PartyKind kind) {
  switch (kind) {
    case PartyKind::kKnown:
      return "known";
    case PartyKind::kUnknown:
      return "unknown";
    case PartyKind::kOutside:
      return "outside";
  }
  return "unknown";
}

const char* Word(SpanKind kind) {
  switch (kind) {
    case SpanKind::kPlain:
      return "span";
    case SpanKind::kOutside:
      return "no_phase";
    case SpanKind::kSeveral:
      return "several_phases";
    case SpanKind::kUntimed:
      return "untimed";
  }
  return "span";
}

const char* Word(TrafficClock clock) {
  switch (clock) {
    case TrafficClock::kOne:
      return "one";
    case TrafficClock::kMeasured:
      return "measured";
    case TrafficClock::kRealtime:
      return "realtime";
    case TrafficClock::kUnknown:
      return "unknown";
  }
  return "unknown";
}

void WriteAmount(const TrafficAmount& amount, JsonWriter& json) {
  json.Number("payload_bytes", amount.payload_bytes);
  json.Number("ip_bytes", amount.ip_bytes);
  json.Number("packets", amount.packets);
  json.Number("messages", amount.messages);
  json.Number("empty_packets", amount.empty_packets);
  json.Number("repeated_packets", amount.repeated_packets);
  json.Number("repeated_bytes", amount.repeated_bytes);
  json.Number("unseen_bytes", amount.unseen_bytes);
  json.Number("unknown_size_bytes", amount.unknown_size_bytes);
}

void WriteSpans(const Traffic& traffic, JsonWriter& json) {
  json.Key("spans").BeginArray();
  for (const TrafficSpan& span : traffic.spans) {
    json.BeginObject();
    json.String("kind", Word(span.kind));
    if (!span.label.empty()) json.String("phase", span.label);
    if (span.kind == SpanKind::kPlain) {
      json.Number("start_ns", span.start_ns);
      json.Number("end_ns", span.end_ns);
    }
    json.EndObject();
  }
  json.EndArray();
}

void WritePair(const TrafficPair& pair, JsonWriter& json) {
  json.BeginObject();
  json.Number("from", uint64_t{pair.from});
  json.Number("to", uint64_t{pair.to});
  WriteAmount(pair.amount, json);
  json.Key("spans").BeginArray();
  for (const SpanAmount& part : pair.spans) {
    json.BeginObject();
    json.Number("span", uint64_t{part.span});
    WriteAmount(part.amount, json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

const char* TrafficLevelName(TrafficLevel level) {
  switch (level) {
    case TrafficLevel::kProcess:
      return "process";
    case TrafficLevel::kContainer:
      return "container";
    case TrafficLevel::kHost:
      return "host";
    case TrafficLevel::kRack:
      return "rack";
  }
  return "process";
}

std::string TrafficJson(const Traffic& traffic, TrafficLevel level) {
  JsonWriter json;
  json.BeginObject();
  json.String("by", TrafficLevelName(level));
  json.Number("start_ns", traffic.start_ns);
  json.Number("end_ns", traffic.end_ns);
  json.String("clock", Word(traffic.clock));
  json.Number("clock_bound_ns", traffic.clock_bound_ns);
  json.Key("total").BeginObject();
  WriteAmount(traffic.total, json);
  json.EndObject();
  json.Number("flows", traffic.flows);
  json.Number("by_sender_bytes", traffic.by_sender_bytes);
  json.Number("by_receiver_bytes", traffic.by_receiver_bytes);
  json.Number("in_passing_bytes", traffic.in_passing_bytes);
  json.Number("seen_again_packets", traffic.seen_again_packets);
  json.Number("other_flows_packets", traffic.other_flows_packets);
  json.Number("lost_packets", traffic.lost_packets);
  json.Number("paused_ns", traffic.paused_ns);
  json.Number("corrupt_blocks", traffic.corrupt_blocks);
  json.Number("nodes_in_part", traffic.nodes_in_part);
  json.Key("parties").BeginArray();
  for (const TrafficParty& party : traffic.parties)
    json.BeginObject().String("name", party.name).String("kind", Word(party.kind)).EndObject();
  json.EndArray();
  WriteSpans(traffic, json);
  json.Key("pairs").BeginArray();
  for (const TrafficPair& pair : traffic.pairs) WritePair(pair, json);
  json.EndArray();
  json.EndObject();
  return std::string(json.text()) + "\n";
}

}  // namespace gordian
