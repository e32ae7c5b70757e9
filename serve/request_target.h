// SPDX-License-Identifier: Apache-2.0
// The target of a request, taken apart: "/api/0/tiles?from=5&to=a%20b".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gordian {

struct RequestTarget {
  std::string path;                               // as it was sent: /api/0/tiles
  std::map<std::string, std::string> parameters;  // decoded

  // The parameters in the one order and spelling that they have here: equal for equal questions.
  std::string CanonicalText() const;
};

// Any bytes. InvalidArgument, in a line, if it is no path with parameters, an escape is broken, a
// name comes twice, or there are more than a view would ever send.
absl::StatusOr<RequestTarget> ParseRequestTarget(std::string_view target);

}  // namespace gordian
