// SPDX-License-Identifier: Apache-2.0
// The functions behind the endpoints, by the file that they are in.
#pragma once

#include "absl/status/statusor.h"
#include "serve/endpoints.h"

namespace gordian {

// page_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerPage(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerBrief(const ViewRequest& request);

// range_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerReport(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerParticipation(const ViewRequest& request);
// live_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerLive(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerLiveStrip(const ViewRequest& request);
// timeline_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerUnits(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerTiles(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerSegments(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerToldPhases(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerFlame(const ViewRequest& request);

// log_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerLogMarks(const ViewRequest& request);

// walk_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerMoment(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerForward(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerWakes(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerWhyWait(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerPath(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerSlice(const ViewRequest& request);

// ask_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerQuery(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerSchema(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerQueries(const ViewRequest& request);

// requests_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerRequests(const ViewRequest& request);

// whatif_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerQuestions(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerWhatIf(const ViewRequest& request);

// compare_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerCompare(const ViewRequest& request);
// cluster_endpoints.cc
absl::StatusOr<ViewAnswer> AnswerAmounts(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerTrend(const ViewRequest& request);
absl::StatusOr<ViewAnswer> AnswerMatrix(const ViewRequest& request);

}  // namespace gordian
