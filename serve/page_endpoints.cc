// SPDX-License-Identifier: Apache-2.0
// The report.
#include "serve/all_endpoints.h"

namespace gordian {

absl::StatusOr<ViewAnswer> AnswerPage(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  const auto page = request.recording.page(request.pin);
  if (!page.ok()) return page.status();
  return ViewAnswer{.body = **page};
}

}  // namespace gordian
