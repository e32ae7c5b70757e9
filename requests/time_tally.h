// SPDX-License-Identifier: Apache-2.0
// Adds up steps by what they are told of. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "requests/request_times.h"

namespace gordian {

class TimeTally {
 public:
  void Add(std::span<const RequestStep> steps, const RequestParties& parties);
  void Add(const TimeTally& other);
  RequestTimeSum Sum() const;

 private:
  // Kind, party, cause, party of the cause.
  using Row = std::tuple<RequestStepKind, uint32_t, RequestStepKind, uint32_t>;
  absl::flat_hash_map<Row, uint64_t> rows_;
  uint64_t requests_ = 0;
  uint64_t time_ns_ = 0;
};

class ClassTally {
 public:
  void Add(std::span<const RequestStep> steps, const RequestParties& parties);
  void Add(const ClassTally& other);
  // Those that hold 90 % of the requests.
  std::vector<RequestClass> Classes() const;
  uint64_t size() const { return classes_.size(); }

 private:
  struct Entry {
    std::vector<uint64_t> stage_ns;
    uint64_t requests = 0;
  };
  void Count(std::vector<uint64_t> key, std::span<const uint64_t> stage_ns, uint64_t requests);
  // By stages: kind << 32 | party.
  absl::flat_hash_map<std::vector<uint64_t>, Entry> classes_;
  uint64_t requests_ = 0;
};

}  // namespace gordian
