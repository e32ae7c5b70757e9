// SPDX-License-Identifier: Apache-2.0
// A slice across nodes as gordian serve's pages read one (serve/walk_endpoints.cc), with:
//   "elsewhere": [{"recording", "node", …} of each other node that it reached, told likewise],
//   "notes": what was not followed, "asked": what it took
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "near/far_nodes.h"
#include "output/json_writer.h"

namespace gordian {
namespace {

// As many as a picture shows and names of a slice in a recording that is here (views/why.h).
constexpr size_t kMostTold = 4'000;
constexpr size_t kMostNamed = 40;
// A page waits a minute for an answer; what was found until then is told.
constexpr auto kLongestOfPage = std::chrono::seconds(40);

struct PartOfThread {
  EntityId thread = kNobody;
  uint64_t ns = 0;
  uint64_t stretches = 0;
};

struct PartOfNode {
  std::vector<NearStretch> stretches;
  std::vector<PartOfThread> threads;  // most time first
  uint64_t from_ns = UINT64_MAX;
  uint64_t to_ns = 0;
  uint64_t all_ns = 0;
};

uint64_t LengthOf(const NearStretch& stretch) { return stretch.own_to_ns - stretch.own_from_ns; }

PartOfNode PartOf(const NearSlice& slice, size_t node) {
  PartOfNode part;
  std::map<EntityId, PartOfThread> threads;
  for (const NearStretch& stretch : slice.stretches) {
    if (stretch.node != node) continue;
    part.stretches.push_back(stretch);
    part.from_ns = std::min(part.from_ns, stretch.own_from_ns);
    part.to_ns = std::max(part.to_ns, stretch.own_to_ns);
    part.all_ns += LengthOf(stretch);
    PartOfThread& thread = threads[stretch.thread];
    thread.thread = stretch.thread;
    thread.ns += LengthOf(stretch);
    ++thread.stretches;
  }
  for (const auto& [id, thread] : threads) part.threads.push_back(thread);
  std::stable_sort(part.threads.begin(), part.threads.end(),
                   [](const PartOfThread& a, const PartOfThread& b) { return a.ns > b.ns; });
  return part;
}

// Members of an object.
void TellPart(const NearSlice& slice, size_t node, PartOfNode part, JsonWriter& json) {
  json.Number("from_ns", std::min(part.from_ns, part.to_ns)).Number("to_ns", part.to_ns);
  json.Number("all_ns", part.all_ns).Key("parts").BeginArray();
  const size_t named = std::min(kMostNamed, part.threads.size());
  for (size_t i = 0; i < named; ++i) {
    const PartOfThread& thread = part.threads[i];
    const auto label = slice.labels.find({node, thread.thread});
    json.BeginObject().Number("thread", thread.thread);
    json.String("name", label == slice.labels.end() ? "?" : label->second);
    json.Number("ns", thread.ns).Number("stretches", thread.stretches).EndObject();
  }
  json.EndArray().Number("parts_left_out", part.threads.size() - named);
  std::vector<NearStretch>& stretches = part.stretches;
  const size_t all = stretches.size();
  if (all > kMostTold) {
    std::nth_element(stretches.begin(), stretches.begin() + kMostTold, stretches.end(),
                     [](const auto& a, const auto& b) { return LengthOf(a) > LengthOf(b); });
    stretches.resize(kMostTold);
  }
  std::sort(stretches.begin(), stretches.end(), [](const NearStretch& a, const NearStretch& b) {
    return std::pair(a.own_from_ns, a.thread) < std::pair(b.own_from_ns, b.thread);
  });
  const auto column = [&](std::string_view name, auto value) {
    json.Key(name).BeginArray();
    for (const NearStretch& stretch : stretches) json.Number(value(stretch));
    json.EndArray();
  };
  json.Key("stretches").BeginObject();
  column("thread", [](const NearStretch& one) { return one.thread; });
  column("from_ns", [](const NearStretch& one) { return one.own_from_ns; });
  column("to_ns", [](const NearStretch& one) { return one.own_to_ns; });
  json.EndObject().Number("stretches_left_out", all - stretches.size());
}

std::string JsonOf(const NearNodes& nodes, size_t node, const NearSlice& slice) {
  JsonWriter json;
  json.BeginObject();
  TellPart(slice, node, PartOf(slice, node), json);
  json.Key("elsewhere").BeginArray();
  for (size_t other = 0; other < nodes.names.size(); ++other) {
    PartOfNode part = PartOf(slice, other);
    if (other == node || part.stretches.empty()) continue;
    json.BeginObject().Number("recording", other).String("node", nodes.names[other]);
    TellPart(slice, other, std::move(part), json);
    json.EndObject();
  }
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : slice.notes) json.String(note);
  json.EndArray().Key("asked").BeginObject().Number("questions", slice.costs.questions);
  json.Number("bytes", slice.costs.asked_bytes + slice.costs.answered_bytes);
  json.Number("collecting_bytes", slice.costs.collecting_bytes).EndObject().EndObject();
  return std::string(json.text());
}

}  // namespace

absl::StatusOr<std::string> FarSliceJson(const NearNodes& nodes, size_t node,
                                         const ViewParameters& parameters) {
  constexpr std::array<std::string_view, 4> kNames = {"thread", "at", "scope", "forward"};
  // As serve's own: phases would have to be read for the scope of that name.
  constexpr std::array<std::string_view, 3> kScopes = {"burst", "request", "thread"};
  constexpr std::array<CausalScope, 3> kScopeOf = {CausalScope::kBurst, CausalScope::kRequest,
                                                   CausalScope::kThread};
  if (const auto status = CheckNames(parameters, kNames); !status.ok()) return status;
  const auto thread = GetUnsigned(parameters, "thread", kNobody, kNobody);
  if (!thread.ok()) return thread.status();
  const auto at_ns = GetUnsigned(parameters, "at", 0);
  if (!at_ns.ok()) return at_ns.status();
  const auto forward = GetUnsigned(parameters, "forward", 0, 1);
  if (!forward.ok()) return forward.status();
  if (*forward == 1)
    return absl::FailedPreconditionError(
        "what a moment led to needs the recordings of all nodes at once: gordian collect, then "
        "gordian serve on the folder");
  const auto scope = GetChoice(parameters, "scope", kScopes, 1);
  if (!scope.ok()) return scope.status();
  const auto slice = SliceAcross(
      nodes, {.node = nodes.names[node],
              .moment = NearSliceQuestion::Moment{.thread = static_cast<EntityId>(*thread),
                                                  .since_start_ns = *at_ns},
              .scope = kScopeOf[*scope],
              .stop_asked = [until = std::chrono::steady_clock::now() + kLongestOfPage] {
                return std::chrono::steady_clock::now() > until;
              }});
  if (!slice.ok()) return slice.status();
  return JsonOf(nodes, node, *slice);
}

}  // namespace gordian
