// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/connections.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "recorder/sources/socket_owners.h"
#include "recorder/sources/text_fields.h"

namespace gordian {
namespace {

constexpr uint64_t kOwnersAgeNs = 10'000'000'000;
constexpr size_t kMostQueues = 200;

// "TcpExt: NAME NAME …\nTcpExt: NUMBER NUMBER …", a pair of lines for each protocol.
std::optional<uint64_t> ListenOverflows(std::string_view text) {
  while (!text.empty()) {
    std::string_view names = TakeLine(text);
    if (TakeField(names) != "TcpExt:") continue;
    std::string_view numbers = TakeLine(text);
    TakeField(numbers);
    while (!names.empty()) {
      const std::string_view name = TakeField(names);
      const std::string_view number = TakeField(numbers);
      if (name == "ListenOverflows") return ParseNumber(number);
    }
  }
  return {};
}

}  // namespace

Connections::Connections(SystemPaths paths, std::function<std::vector<ListeningSocket>()> list)
    : paths_(std::move(paths)),
      list_(std::move(list)),
      netstat_(paths_.proc + "/net/netstat"),
      overflows_{.kind = pb::RESOURCE_ACCEPT_OVERFLOWS, .name = "tcp"},
      table_{.kind = pb::RESOURCE_CONNECTION_TABLE, .name = "nf_conntrack"} {}

void Connections::Sample(ResourceSink& sink, uint64_t& missed) {
  SampleOverflows(sink, missed);
  if (last_ns_ != 0) {
    SampleQueues(sink);
    SampleTable(sink);
  }
  last_ns_ = sink.now_ns();
}

void Connections::SampleQueues(ResourceSink& sink) {
  std::map<std::string, const ListeningSocket*> fullest;
  const std::vector<ListeningSocket> sockets = list_();
  for (const ListeningSocket& socket : sockets) {
    const ListeningSocket*& there = fullest[socket.address];
    if (there == nullptr || socket.waiting > there->waiting) there = &socket;
  }
  std::erase_if(queues_, [&](const auto& entry) { return !fullest.contains(entry.first); });
  for (const auto& [address, socket] : fullest) {
    auto found = queues_.find(address);
    if (found == queues_.end()) {
      if (socket->waiting == 0 || queues_.size() == kMostQueues) continue;
      found = queues_.try_emplace(address).first;
      found->second.resource = {.kind = pb::RESOURCE_ACCEPT_QUEUE, .name = address};
    }
    Queue& queue = found->second;
    // A queue takes one more than its backlog says.
    const uint64_t most = std::max<uint64_t>(socket->backlog, 1);
    queue.resource.capacity = static_cast<double>(most);
    const bool is_old = queue.owners_ns == 0 || sink.now_ns() - queue.owners_ns >= kOwnersAgeNs;
    if (socket->waiting >= most && is_old) {
      queue.owners_ns = sink.now_ns();
      queue.resource.pids = OwnersOfSocket(paths_, socket->inode);
    }
    sink.Add(queue.resource,
             {static_cast<double>(std::min(socket->waiting, most)), sink.now_ns() - last_ns_});
  }
}

void Connections::SampleOverflows(ResourceSink& sink, uint64_t& missed) {
  const std::optional<std::string_view> text = netstat_.Read();
  const std::optional<uint64_t> count = text ? ListenOverflows(*text) : std::nullopt;
  if (!count) return;  // not every kernel counts it
  if (const auto reading = overflows_meter_.Read(sink.now_ns(), *count, missed))
    sink.Add(overflows_, *reading);
}

// Only where connections are tracked.
void Connections::SampleTable(ResourceSink& sink) {
  const std::string folder = paths_.proc + "/sys/net/netfilter/nf_conntrack_";
  const std::optional<uint64_t> used = ReadSmallNumber(folder + "count");
  const std::optional<uint64_t> most = used ? ReadSmallNumber(folder + "max") : std::nullopt;
  if (!used || !most) return;
  table_.capacity = static_cast<double>(*most);
  sink.Add(table_, {static_cast<double>(*used), sink.now_ns() - last_ns_});
}

}  // namespace gordian
