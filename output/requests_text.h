// SPDX-License-Identifier: Apache-2.0
// The text of `gordian requests`.
#pragma once

#include <cstddef>
#include <string>

#include "schema/requests.pb.h"

namespace gordian {

struct RequestsTextOptions {
  size_t most_rows = 12;    // where the time goes; the others in one
  size_t most_slowest = 5;  // of each port
  size_t most_ports = 4;
};

// A sentence that answers, then each server's port: a table of percentiles and where their time
// went, the slowest requests with a command each, and what kept all that from being exact.
std::string RequestsText(const pb::Requests& requests, const RequestsTextOptions& options);

}  // namespace gordian
