// SPDX-License-Identifier: Apache-2.0
// The numbers of a report that conditions ask for.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gate/samples.h"
#include "report/finding_keys.h"
#include "schema/report.pb.h"

namespace gordian {

// `parts` are reports on parts of the recording, on the same vertices as `whole`.

// Seconds that `who` waits for `whom` in a second of recording, with the waits behind it; of
// several vertices of a name the sum. NotFound if there is no such vertex.
absl::StatusOr<Sample> WaitOf(const pb::Report& whole, std::span<const pb::Report> parts,
                              const std::string& who, const std::string& whom);
// The largest share of a limit that `who` is a member of.
absl::StatusOr<Sample> ShareOf(const pb::Report& whole, std::span<const pb::Report> parts,
                               const std::string& who);

// The findings that limit the program, highest rank first.
struct LimitsFound {
  std::vector<FindingKey> keys;
  std::string first_title;
};
LimitsFound LimitsOf(const pb::Report& report);

// Of one kind, with at least half of the members in common: those at a knot's edge come and go.
bool IsSameLimit(const FindingKey& a, const FindingKey& b);
bool Holds(const LimitsFound& limits, const FindingKey& key);

}  // namespace gordian
