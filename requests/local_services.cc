// SPDX-License-Identifier: Apache-2.0
#include "requests/local_services.h"

namespace gordian {
namespace {

// A recording's programs may bind as many sockets as they like; more are told as one. Ports of TCP
// servers must stay free.
constexpr size_t kMostServices = 1000;
constexpr char kFurther[] = "further unix sockets and pipes";

}  // namespace

LocalServices::LocalServices(std::span<const RequestConnection> connections) {
  for (const RequestConnection& connection : connections)
    taken_.insert(connection.to_server.destination_port);
}

uint16_t LocalServices::NumberOf(const std::string& service) {
  const std::string& name =
      number_of_name_.size() < kMostServices || number_of_name_.contains(service) ? service
                                                                                  : kFurther;
  const auto [place, is_new] = number_of_name_.try_emplace(name, 0);
  if (!is_new) return place->second;
  while (next_ > 1 && taken_.contains(next_)) --next_;
  place->second = next_;
  name_of_number_[next_] = name;
  if (next_ > 1) --next_;
  return place->second;
}

FlowTuple LocalServices::TupleOf(const LocalConnection& connection, uint32_t node) {
  FlowTuple tuple;
  tuple.source.bytes = AddressOf(connection.client);
  tuple.destination.bytes = AddressOf(connection.server);
  tuple.source_port = static_cast<uint16_t>(node);  // each node counts its ends by itself
  tuple.destination_port = NumberOf(connection.service);
  return tuple;
}

}  // namespace gordian
