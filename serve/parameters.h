// SPDX-License-Identifier: Apache-2.0
// The parameters of a view's request, as numbers, ranges and words. Each error is one line that
// names the parameter.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

using ViewParameters = std::map<std::string, std::string>;

bool HasParameter(const ViewParameters& parameters, const std::string& name);
// The text, or `absent`; InvalidArgument if it has more than `most_bytes`.
absl::StatusOr<std::string> GetText(const ViewParameters& parameters, const std::string& name,
                                    std::string_view absent = "", size_t most_bytes = 4096);
absl::StatusOr<uint64_t> GetUnsigned(const ViewParameters& parameters, const std::string& name,
                                     uint64_t absent,
                                     uint64_t most = std::numeric_limits<uint64_t>::max());
// A finite number.
absl::StatusOr<double> GetReal(const ViewParameters& parameters, const std::string& name,
                               double absent);
// One of `words`, as its place there; `absent` is a place, too.
absl::StatusOr<size_t> GetChoice(const ViewParameters& parameters, const std::string& name,
                                 std::span<const std::string_view> words, size_t absent = 0);
// "1,2,3": whole numbers, so many at most.
absl::StatusOr<std::vector<uint64_t>> GetUnsignedList(const ViewParameters& parameters,
                                                      const std::string& name, size_t most);

// `from` and `to`, since the recording's start; without them all of it. InvalidArgument if `to` is
// not behind `from`.
struct AskedRange {
  uint64_t from_ns = 0;
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
};
absl::StatusOr<AskedRange> GetAskedRange(const ViewParameters& parameters);

// InvalidArgument, with the name, if there is a parameter besides these: a misspelt one would be
// answered as if it were not there.
absl::Status CheckNames(const ViewParameters& parameters, std::span<const std::string_view> known);

}  // namespace gordian
