// SPDX-License-Identifier: Apache-2.0
#include "serve/endpoints.h"

#include <algorithm>

#include "serve/all_endpoints.h"

namespace gordian {
namespace {

constexpr Endpoint kEndpoints[] = {
    {"page", "the report, and its waits over time: PageData of schema/listings.proto", AnswerPage,
     Needs::kNothing, false},
    {"brief", "its length, its threads, and what limits it, in a few words", AnswerBrief},
    {"report", "of a part of the time, from and to: edges and findings on the page's vertices",
     AnswerReport},
    {"participation",
     "who is how much of the critical paths: by, from, to, window (participation.proto)",
     AnswerParticipation},
    {"live", "of a recording that is written: the newest frame behind after=N, or that of number=N",
     AnswerLive, Needs::kNothing, false, kJsonType, false},
    {"live_strip", "… a note for each of its last seconds", AnswerLiveStrip, Needs::kNothing, false,
     kJsonType, false},
    {"units", "racks, nodes, containers, processes, threads and devices", AnswerUnits},
    {"tiles", "how each pixel of rows was spent (views/tiles.h)", AnswerTiles, Needs::kAnalysis,
     true, kBinaryType},
    {"segments", "what threads did exactly (views/segments.h)", AnswerSegments, Needs::kAnalysis,
     true, kBinaryType},
    {"told_phases", "phases that programs told by probes", AnswerToldPhases},
    {"flame", "a flame graph of rows and a range", AnswerFlame},
    {"log_marks", "the lines of logs in a range", AnswerLogMarks},
    {"moment", "what a thread did at a moment, and why", AnswerMoment},
    {"forward", "what a thread woke next", AnswerForward},
    {"wakes", "the wakes of a thread in a range, both ways", AnswerWakes},
    {"why_wait", "the critical path of one wait", AnswerWhyWait},
    {"path", "the critical path of a range", AnswerPath},
    {"slice", "what led to a moment, or what it led to", AnswerSlice},
    {"query", "rows of a question in SQL", AnswerQuery, Needs::kAnalysis, false},
    {"schema", "the tables that SQL may ask", AnswerSchema, Needs::kNothing, true, kJsonType,
     false},
    {"queries", "saved questions in SQL", AnswerQueries, Needs::kNothing, true, kJsonType, false},
    {"requests", "how long requests took, and where their time went", AnswerRequests},
    {"questions", "changes whose gain may be asked", AnswerQuestions},
    {"whatif", "what a change would gain", AnswerWhatIf},
    {"compare", "what became of findings, waits and uses of time in another recording",
     AnswerCompare, Needs::kAnalysis, false},
    {"amounts", "how much each unit did in a range: views/amounts.h", AnswerAmounts},
    {"trend", "what each unit did, window by window: views/trend.h", AnswerTrend},
    {"matrix", "who waits for whom, or sends to whom, in a range: views/matrix.h", AnswerMatrix},
};

}  // namespace

std::span<const Endpoint> AllEndpoints() { return kEndpoints; }

const Endpoint* FindEndpoint(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kEndpoints), std::end(kEndpoints),
                                         [&](const Endpoint& one) { return one.name == name; });
  return found == std::end(kEndpoints) ? nullptr : found;
}

}  // namespace gordian
