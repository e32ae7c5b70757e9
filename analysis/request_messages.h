// SPDX-License-Identifier: Apache-2.0
// Requests under names that people read.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "report/vertex_names.h"
#include "requests/request_times.h"
#include "schema/requests.pb.h"

namespace gordian {

class RequestMessages {
 public:
  // Both must outlive it. `directory`: of the recording, to ask it again; empty: it has none.
  RequestMessages(const Analysis& analysis, const FoundRequests& found, std::string directory);

  // Vertices of the report, and servers of which only the address is known.
  const RequestParties& parties() const { return parties_; }
  // `phase`: the name of the phases that are the requests, if they are. `most_steps`: of a request.
  pb::Requests Told(const RequestTimes& times, const std::string& phase, size_t most_steps) const;

  static std::string CsvTitles();
  std::string CsvLine(const Request& request, std::span<const RequestStep> steps) const;

 private:
  uint32_t PartyOfStep(const RequestStep& step) const;
  uint32_t PartyOfEntity(EntityId id) const;
  std::string NameOfParty(uint32_t party) const;
  std::string ThreadName(EntityId id) const;
  uint64_t SinceRecordingStart(uint64_t time_ns) const;
  void TellTimes(const RequestTimeSum& sum,
                 google::protobuf::RepeatedPtrField<pb::RequestTime>& told) const;
  // Empty for a port of TCP.
  std::string ServiceOf(uint16_t port) const;
  std::string ServerOf(const FlowTuple& tuple) const;
  std::string ClientOf(const FlowTuple& tuple) const;
  void TellPort(const RequestPort& port, size_t most_steps, pb::RequestPort& told) const;
  void TellSlow(const SlowRequest& slow, size_t most_steps, pb::RequestTold& told) const;
  void TellStep(const RequestStep& step, pb::RequestStep& told) const;
  std::string CriticalPathCommand(const Request& request) const;

  const Analysis& analysis_;
  const FoundRequests& found_;
  const std::string directory_;
  VertexNames names_;
  std::vector<std::string> addresses_;           // of servers
  std::vector<uint32_t> address_of_connection_;  // in addresses_
  std::map<uint16_t, std::vector<std::string>> servers_of_port_;
  RequestParties parties_;
};

}  // namespace gordian
