// SPDX-License-Identifier: Apache-2.0
#include "serve/endpoints.h"

#include "serve/all_endpoints.h"

namespace gordian {
namespace {

constexpr Endpoint kEndpoints[] = {
    {"page", "the report, and its waits over time: PageData of schema/listings.proto", AnswerPage,
     Needs::kNothing, false},
    {"live", "of a recording that is written: the newest frame behind after=N, or that of number=N",
     AnswerLive, Needs::kNothing, false},
    {"live_strip", "… a note for each of its last seconds", AnswerLiveStrip, Needs::kNothing,
     false},
};

}  // namespace

std::span<const Endpoint> AllEndpoints() { return kEndpoints; }

}  // namespace gordian
