// SPDX-License-Identifier: Apache-2.0
// Which recorded node has an address.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "traffic/node_traffic.h"

namespace gordian {

inline constexpr size_t kOutsideNode = static_cast<size_t>(-1);

class AddressBook {
 public:
  // By node; they must outlive it.
  explicit AddressBook(std::span<const NodeTraffic* const> nodes);
  // As seen from `seen_by`: its own addresses and those of its loopback are its own, even if others
  // have them, too (bridges of containers). kOutsideNode: no node's, or not known.
  size_t NodeOf(const HostAddress& address, size_t seen_by) const;

 private:
  const std::span<const NodeTraffic* const> nodes_;
  std::map<HostAddress, size_t> declared_;  // kOutsideNode where several have it
  std::map<HostAddress, size_t> learned_;
};

// 10.0.0.1, 2001:db8::1
std::string AddressText(const HostAddress& address);

}  // namespace gordian
