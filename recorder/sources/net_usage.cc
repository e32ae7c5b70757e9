// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/net_usage.h"

#include <utility>

#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr uint64_t kSpeedAgeNs = 60'000'000'000;  // some drivers take milliseconds to tell it
constexpr uint64_t kMostMegabits =
    10'000'000;  // ten terabits: more is a driver's way to say "unknown"

struct InterfaceLine {
  std::string_view name;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// "name: bytes packets errs drop fifo frame compressed multicast bytes …"; the name may touch the
// first number.
std::optional<InterfaceLine> ParseLine(std::string_view line) {
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::string_view before = line.substr(0, colon);
  std::string_view after = line.substr(colon + 1);
  InterfaceLine parsed;
  parsed.name = TakeField(before);
  const std::optional<uint64_t> received = TakeNumber(after);
  for (int column = 0; column < 7; ++column) TakeField(after);
  const std::optional<uint64_t> sent = TakeNumber(after);
  if (!received || !sent || parsed.name.empty()) return {};
  parsed.received_bytes = *received;
  parsed.sent_bytes = *sent;
  return parsed;
}

}  // namespace

uint64_t InterfaceBitsPerSecond(const SystemPaths& paths, std::string_view interface) {
  const std::optional<std::string> text =
      ReadSmallFile(paths.sys + "/class/net/" + std::string(interface) + "/speed");
  const uint64_t megabits = text ? ParseNumber(*text).value_or(0) : 0;  // "-1" is no number here
  return megabits > kMostMegabits ? 0 : megabits * 1'000'000;
}

NetUsage::NetUsage(SystemPaths paths)
    : paths_(std::move(paths)), net_dev_(paths_.proc + "/net/dev") {}

void NetUsage::RefreshSpeed(std::string_view name, Interface& interface, uint64_t now_ns) {
  if (interface.speed_asked && now_ns - interface.speed_asked_ns < kSpeedAgeNs) return;
  interface.speed_asked = true;
  interface.speed_asked_ns = now_ns;
  const double bytes_per_second = static_cast<double>(InterfaceBitsPerSecond(paths_, name)) / 8;
  interface.receive.capacity = bytes_per_second;
  interface.send.capacity = bytes_per_second;
}

void NetUsage::Sample(ResourceSink& sink, uint64_t& missed) {
  std::optional<std::string_view> text = net_dev_.Read();
  if (!text) {
    ++missed;
    return;
  }
  ++round_;
  TakeLine(*text);  // two lines of titles
  TakeLine(*text);
  while (!text->empty()) {
    const std::optional<InterfaceLine> line = ParseLine(TakeLine(*text));
    if (!line) {
      ++missed;
      continue;
    }
    auto found = interfaces_.find(line->name);
    const bool idle = line->received_bytes == 0 && line->sent_bytes == 0;
    if (idle && found == interfaces_.end()) continue;
    if (found == interfaces_.end()) {
      const std::string name(line->name);
      found = interfaces_.emplace(name, Interface{}).first;
      found->second.receive = {pb::RESOURCE_NET_RECEIVE, name, 0};
      found->second.send = {pb::RESOURCE_NET_SEND, name, 0};
    }
    Interface& interface = found->second;
    interface.round = round_;
    RefreshSpeed(line->name, interface, sink.now_ns());
    const auto received = interface.receive_meter.Read(sink.now_ns(), line->received_bytes, missed);
    const auto sent = interface.send_meter.Read(sink.now_ns(), line->sent_bytes, missed);
    if (received) sink.Add(interface.receive, *received);
    if (sent) sink.Add(interface.send, *sent);
  }
  std::erase_if(interfaces_, [this](const auto& entry) { return entry.second.round != round_; });
}

}  // namespace gordian
