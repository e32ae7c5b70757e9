// SPDX-License-Identifier: Apache-2.0
// The functions behind the endpoints, by the file that they are in.
#pragma once

#include "absl/status/statusor.h"
#include "serve/endpoints.h"

namespace gordian {

// page_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerPage(const ViewRequest& request);

// live_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerLive(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerLiveStrip(const ViewRequest& request);

}  // namespace gordian
