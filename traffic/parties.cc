// SPDX-License-Identifier: Apache-2.0
#include "traffic/parties.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "traffic/addresses.h"

namespace gordian {
namespace {

// Ports that clients are given by the kernel begin here by default.
constexpr uint16_t kFirstPassingPort = 32768;
constexpr size_t kContainerIdDigits = 64;
constexpr size_t kShownDigits = 12;

bool IsHexDigit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Docker, containerd, CRI-O and podman all put a container's id, 64 hexadecimal digits, into the
// path of its cgroup; the last one counts. Empty: there is none.
std::string ContainerId(const std::string& path) {
  size_t digits = 0;
  for (size_t at = path.size(); at > 0; --at) {
    digits = IsHexDigit(path[at - 1]) ? digits + 1 : 0;
    const bool ends = at == 1 || !IsHexDigit(path[at - 2]);
    if (digits == kContainerIdDigits && ends) return path.substr(at - 1, kShownDigits);
  }
  return "";
}

std::string HostAndPort(const HostAddress& address, uint16_t port) {
  const std::string text = AddressText(address);
  return address.family == FlowFamily::kIpv6 ? absl::StrCat("[", text, "]:", port)
                                             : absl::StrCat(text, ":", port);
}

}  // namespace

void Parties::AddSession(const pb::Session& session) {
  const std::string& name = nodes_[names_.size()].name;
  NodeNames names = {.host = name.empty() ? session.host().hostname() : name};
  if (names.host.empty()) names.host = "this host";
  for (const pb::Cgroup& cgroup : session.cgroups()) names.cgroups[cgroup.id()] = cgroup.path();
  names_.push_back(std::move(names));
}

uint32_t Parties::Number(TrafficParty party) {
  const auto [entry, is_new] = numbers_.emplace(party.name, static_cast<uint32_t>(parties_.size()));
  if (is_new) parties_.push_back(std::move(party));
  return entry->second;
}

std::string Parties::Prefix(size_t node) const {
  return nodes_[node].name.empty() ? "" : absl::StrCat(names_[node].host, "/");
}

TrafficParty Parties::ContainerOf(size_t node, const TrafficProcess& process) const {
  const auto number = static_cast<uint32_t>(node);
  const auto path = names_[node].cgroups.find(process.cgroup_id);
  if (path == names_[node].cgroups.end())
    return {absl::StrCat(Prefix(node), "(unknown cgroup)"), PartyKind::kUnknown, number};
  const std::string id = ContainerId(path->second);
  // A cgroup's own path begins with a slash; the node's name needs no slash behind it.
  return {id.empty() ? absl::StrCat(nodes_[node].name, path->second)
                     : absl::StrCat(Prefix(node), "container ", id),
          PartyKind::kKnown, number};
}

uint32_t Parties::Local(size_t node, const TrafficProcess* process) {
  const auto number = static_cast<uint32_t>(node);
  if (level_ == TrafficLevel::kHost) return Number({names_[node].host, PartyKind::kKnown, number});
  if (level_ == TrafficLevel::kRack) {
    const std::string& rack = nodes_[node].rack;
    return Number(rack.empty() ? TrafficParty{"(no rack)", PartyKind::kUnknown}
                               : TrafficParty{rack});
  }
  if (process == nullptr)
    return Number({absl::StrCat(Prefix(node), "(unknown process)"), PartyKind::kUnknown, number});
  if (level_ == TrafficLevel::kContainer) return Number(ContainerOf(node, *process));
  const std::string& comm = process->comm;
  return Number({absl::StrCat(Prefix(node), comm.empty() ? "?" : comm, "/", process->pid),
                 PartyKind::kKnown, number, process->pid});
}

uint32_t Parties::Outside(const HostAddress& address, uint16_t port, uint16_t peer_port) {
  if (level_ == TrafficLevel::kRack) return Number({"(outside)", PartyKind::kOutside});
  // A service is told by its port; clients' ports are of no interest.
  const bool serves = port != 0 && port < kFirstPassingPort && port <= peer_port;
  const bool with_port = level_ == TrafficLevel::kProcess && serves;
  return Number(
      {absl::StrCat(with_port ? HostAndPort(address, port) : AddressText(address), " (outside)"),
       PartyKind::kOutside});
}

uint32_t Parties::UnknownFlow() { return Number({"(unknown flow)", PartyKind::kUnknown}); }

}  // namespace gordian
