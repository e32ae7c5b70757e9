// SPDX-License-Identifier: Apache-2.0
#include "traffic/addresses.h"

#include <arpa/inet.h>

namespace gordian {
namespace {

bool IsLoopback(const HostAddress& address) {
  if (address.family == FlowFamily::kIpv4) return address.bytes[0] == 127;
  HostAddress loopback{.family = FlowFamily::kIpv6};
  loopback.bytes[15] = 1;
  return address == loopback;
}

void Note(const std::set<HostAddress>& addresses, size_t node,
          std::map<HostAddress, size_t>& book) {
  for (const HostAddress& address : addresses) {
    const auto [entry, is_new] = book.emplace(address, node);
    if (!is_new && entry->second != node) entry->second = kOutsideNode;
  }
}

size_t Look(const std::map<HostAddress, size_t>& book, const HostAddress& address) {
  const auto found = book.find(address);
  return found == book.end() ? kOutsideNode : found->second;
}

}  // namespace

AddressBook::AddressBook(std::span<const NodeTraffic* const> nodes) : nodes_(nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    Note(nodes[i]->declared, i, declared_);
    Note(nodes[i]->learned, i, learned_);
  }
}

size_t AddressBook::NodeOf(const HostAddress& address, size_t seen_by) const {
  if (IsLoopback(address) || nodes_[seen_by]->declared.contains(address)) return seen_by;
  if (const size_t node = Look(declared_, address); node != kOutsideNode) return node;
  if (declared_.contains(address)) return kOutsideNode;
  if (nodes_[seen_by]->learned.contains(address)) return seen_by;
  return Look(learned_, address);
}

std::string AddressText(const HostAddress& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  const int family = address.family == FlowFamily::kIpv6 ? AF_INET6 : AF_INET;
  if (address.family != FlowFamily::kUnknown)
    inet_ntop(family, address.bytes.data(), text, sizeof(text));
  return text;
}

}  // namespace gordian
