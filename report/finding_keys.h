// SPDX-License-Identifier: Apache-2.0
// Vertices and findings as they are matched from one recording to another.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "schema/report.pb.h"

namespace gordian {

// Threads by their names (kind, process, name), because tids change from run to run; numbers in
// names stay.
struct VertexKey {
  std::string name;
  std::string process;
  std::string kind;
  bool operator==(const VertexKey&) const = default;
  bool operator<(const VertexKey& other) const {
    return std::tie(name, process, kind) < std::tie(other.name, other.process, other.kind);
  }
};

using VertexKeys = std::unordered_map<uint32_t, VertexKey>;  // by id

VertexKeys KeysOf(const pb::Report& report);

struct FindingKey {
  std::string kind;
  std::set<VertexKey> members;
  bool operator==(const FindingKey&) const = default;
  bool operator<(const FindingKey& other) const {
    return std::tie(kind, members) < std::tie(other.kind, other.members);
  }
};

FindingKey KeyOf(const pb::Finding& finding, const VertexKeys& keys);

}  // namespace gordian
