// SPDX-License-Identifier: Apache-2.0
#include "serve/endpoints.h"

#include "serve/all_endpoints.h"

namespace gordian {
namespace {

constexpr Endpoint kEndpoints[] = {
    {"page", "the report, and its waits over time: PageData of schema/listings.proto", AnswerPage,
     Needs::kNothing, false},
};

}  // namespace

std::span<const Endpoint> AllEndpoints() { return kEndpoints; }

}  // namespace gordian
