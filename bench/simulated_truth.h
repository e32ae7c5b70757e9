// SPDX-License-Identifier: Apache-2.0
// What is told of a simulated cluster beside its recordings.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bench/simulated_cluster.h"

namespace gordian {

inline constexpr const char* kHandOversFile = "hand_overs.bin";
inline constexpr int kMostSimulatedServices = 8;

std::vector<std::string> SimulatedServiceNames(int services);
// InvalidArgument with the reason.
absl::Status CheckSimulatedShape(const SimulatedShape& shape);
// truth.json.
absl::Status WriteTruth(const SimulatedShape& shape, const SimulatedTruth& truth,
                        const std::string& directory);

}  // namespace gordian
