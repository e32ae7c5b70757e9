// SPDX-License-Identifier: Apache-2.0
// Walking along causes and effects: moments, wakes, paths and slices.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "analysis/slice_names.h"
#include "output/json_writer.h"
#include "report/segment_words.h"
#include "serve/all_endpoints.h"
#include "serve/timeline_stage.h"
#include "views/why.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

struct AskedMoment {
  EntityId thread = kNobody;
  uint64_t at_ns = 0;
};

absl::StatusOr<EntityId> AskedThread(const ViewRequest& request) {
  if (!HasParameter(request.parameters, "thread"))
    return absl::InvalidArgumentError("thread: name one by its id");
  const auto thread = GetUnsigned(request.parameters, "thread", kNobody, kNobody);
  if (!thread.ok()) return thread.status();
  if (*thread >= request.analysis().timeline().thread_count())
    return absl::NotFoundError("thread: there is no such thread");
  return static_cast<EntityId>(*thread);
}

absl::StatusOr<AskedMoment> MomentAsked(const ViewRequest& request) {
  const auto thread = AskedThread(request);
  if (!thread.ok()) return thread.status();
  const auto at_ns = GetUnsigned(request.parameters, "at", 0);
  if (!at_ns.ok()) return at_ns.status();
  const Timeline& timeline = request.analysis().timeline();
  return AskedMoment{*thread, std::min(*at_ns, timeline.end_ns() - timeline.start_ns())};
}

std::string NameOfEntity(const Timeline& timeline, EntityId id) {
  return id < timeline.thread_count() ? SliceThreadLabel(timeline, id)
                                      : CleanText(timeline.entities()[id].name);
}

void TellStep(const Timeline& timeline, const MomentStep& step, JsonWriter& json) {
  json.BeginObject().Number("thread", step.thread);
  json.String("name", NameOfEntity(timeline, step.thread)).Number("at_ns", step.at_ns);
  json.String("edge", kCauseEdgeNames[static_cast<size_t>(step.edge)]).EndObject();
}

std::string TextOfMoment(const Timeline& timeline, const Moment& moment) {
  const bool is_wait = moment.kind == SegmentKind::kWait || moment.kind == SegmentKind::kSpin;
  JsonWriter json;
  json.BeginObject().Number("thread", moment.thread);
  json.String("name", NameOfEntity(timeline, moment.thread));
  json.String("state", StateName(moment.kind));
  json.Number("start_ns", moment.start_ns).Number("end_ns", moment.end_ns);
  json.Bool("open_start", moment.open_start).Bool("open_end", moment.open_end);
  json.String("sentence", moment.sentence);
  if (is_wait) json.String("cause", CauseName(moment.cause));
  if (moment.kind == SegmentKind::kWait) json.String("kernel_state", KernelStateName(moment.state));
  if (moment.kind == SegmentKind::kRun || moment.kind == SegmentKind::kSpin)
    json.Number("cpu", moment.state);
  if (moment.waker != kNobody) {
    json.Number("waker", moment.waker).String("waker_name", NameOfEntity(timeline, moment.waker));
    json.Bool("waker_is_thread", moment.waker < timeline.thread_count());
  }
  if (!moment.object.empty()) json.String("object", moment.object);
  if (!moment.story.empty()) json.String("story", moment.story);
  if (moment.back) {
    json.Key("back");
    TellStep(timeline, *moment.back, json);
  }
  json.EndObject();
  return std::string(json.text());
}

ViewAnswer AnswerOf(const Timeline& timeline, const WhyAnswer& why, bool is_path) {
  JsonWriter json;
  json.BeginObject().Number("from_ns", why.from_ns).Number("to_ns", why.to_ns);
  json.Number("all_ns", why.all_ns).Key("parts").BeginArray();
  for (const WhyPart& part : why.parts) {
    json.BeginObject().Number("thread", part.thread);
    json.String("name", NameOfEntity(timeline, part.thread));
    if (is_path) json.String("activity", NameOf(part.activity));
    json.Number("ns", part.ns).Number("stretches", part.stretches).EndObject();
  }
  json.EndArray().Number("parts_left_out", why.parts_left_out);
  const auto column = [&](std::string_view name, auto value) {
    json.Key(name).BeginArray();
    for (const WhyStretch& stretch : why.stretches) value(stretch);
    json.EndArray();
  };
  json.Key("stretches").BeginObject();
  column("thread", [&](const WhyStretch& one) { json.Number(one.thread); });
  column("from_ns", [&](const WhyStretch& one) { json.Number(one.from_ns); });
  column("to_ns", [&](const WhyStretch& one) { json.Number(one.to_ns); });
  if (is_path)
    column("activity", [&](const WhyStretch& one) { json.String(NameOf(one.activity)); });
  json.EndObject().Number("stretches_left_out", why.stretches_left_out).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerMoment(const ViewRequest& request) {
  constexpr std::array<std::string_view, 2> kNames = {"thread", "at"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto asked = MomentAsked(request);
  if (!asked.ok()) return asked.status();
  const auto walk = WalkFor(request);
  if (!walk.ok()) return walk.status();
  const auto moment = (*walk)->moments->MomentOf(asked->thread, asked->at_ns);
  if (!moment.ok()) return moment.status();
  return ViewAnswer{.body = TextOfMoment(request.analysis().timeline(), *moment)};
}

absl::StatusOr<ViewAnswer> AnswerForward(const ViewRequest& request) {
  constexpr std::array<std::string_view, 2> kNames = {"thread", "at"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto asked = MomentAsked(request);
  if (!asked.ok()) return asked.status();
  const auto walk = WalkFor(request);
  if (!walk.ok()) return walk.status();
  const auto step = (*walk)->moments->Forward(asked->thread, asked->at_ns, request.stop_asked);
  if (!step) return ViewAnswer{.body = "null"};
  JsonWriter json;
  TellStep(request.analysis().timeline(), *step, json);
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerWakes(const ViewRequest& request) {
  constexpr std::array<std::string_view, 3> kNames = {"thread", "from", "to"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto thread = AskedThread(request);
  if (!thread.ok()) return thread.status();
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const WakesAnswer wakes = WakesOf(request.analysis().timeline(), *thread, range->from_ns,
                                    range->to_ns, request.stop_asked);
  JsonWriter json;
  json.BeginObject().Key("wakes").BeginArray();
  for (const WakeArrow& wake : wakes.arrows)
    json.BeginArray().Number(wake.from).Number(wake.to).Number(wake.at_ns).EndArray();
  json.EndArray().Bool("is_cut", wakes.is_cut).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerWhyWait(const ViewRequest& request) {
  constexpr std::array<std::string_view, 2> kNames = {"thread", "at"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto asked = MomentAsked(request);
  if (!asked.ok()) return asked.status();
  const auto why = WhyWait(request.analysis().timeline(), {}, asked->thread, asked->at_ns,
                           request.analysis().threads());
  if (!why.ok()) return why.status();
  return AnswerOf(request.analysis().timeline(), *why, true);
}

absl::StatusOr<ViewAnswer> AnswerPath(const ViewRequest& request) {
  constexpr std::array<std::string_view, 3> kNames = {"thread", "from", "to"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  EntityId thread = kNobody;
  if (HasParameter(request.parameters, "thread")) {
    const auto asked = AskedThread(request);
    if (!asked.ok()) return asked.status();
    thread = *asked;
  }
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto path = PathWithin(request.analysis().timeline(), {}, thread, range->from_ns,
                               range->to_ns, request.analysis().threads());
  if (!path.ok()) return path.status();
  return AnswerOf(request.analysis().timeline(), *path, true);
}

absl::StatusOr<ViewAnswer> AnswerSlice(const ViewRequest& request) {
  constexpr std::array<std::string_view, 6> kNames = {"thread", "at", "forward",
                                                      "from",   "to", "scope"};
  // Phases would have to be read for the scope of that name.
  constexpr std::array<std::string_view, 3> kScopes = {"burst", "request", "thread"};
  constexpr std::array<CausalScope, 3> kScopeOf = {CausalScope::kBurst, CausalScope::kRequest,
                                                   CausalScope::kThread};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto asked = MomentAsked(request);
  if (!asked.ok()) return asked.status();
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto forward = GetUnsigned(request.parameters, "forward", 0, 1);
  if (!forward.ok()) return forward.status();
  const auto scope = GetChoice(request.parameters, "scope", kScopes, 1);
  if (!scope.ok()) return scope.status();
  const auto walk = WalkFor(request);
  if (!walk.ok()) return walk.status();
  const auto slice = SliceFrom(*(*walk)->graph,
                               {.thread = asked->thread,
                                .at_ns = asked->at_ns,
                                .forward = *forward == 1,
                                .scope = kScopeOf[*scope],
                                .from_ns = range->from_ns,
                                .to_ns = range->to_ns},
                               request.analysis().threads(), request.stop_asked);
  if (!slice.ok()) return slice.status();
  return AnswerOf(request.analysis().timeline(), *slice, false);
}

}  // namespace gordian
