// SPDX-License-Identifier: Apache-2.0
// Numbers for servers on unix sockets and pipes, which have no ports, and for those that share
// theirs with who asks them. Inner to the library.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "analyzer/flows/local_connections.h"
#include "requests/requests.h"

namespace gordian {

class LocalServices {
 public:
  // `connections`: all of TCP.
  explicit LocalServices(std::span<const RequestConnection> connections);

  // To the server. Unlike any other's of the recording.
  FlowTuple TupleOf(const LocalConnection& connection, uint32_t node);
  uint16_t NumberOf(const std::string& service);
  std::map<uint16_t, std::string> TakeNames() { return std::move(name_of_number_); }

 private:
  std::set<uint16_t> taken_;  // by servers on TCP
  uint16_t next_ = UINT16_MAX;
  std::map<std::string, uint16_t> number_of_name_;
  std::map<uint16_t, std::string> name_of_number_;
};

}  // namespace gordian
