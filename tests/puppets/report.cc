// SPDX-License-Identifier: Apache-2.0
#include "tests/puppets/report.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gordian::puppets {
namespace {

// Names here are our own plain words: nothing needs escaping.
std::string ActorJson(const ActorRecord* actor) {
  return absl::StrCat("{\"role\":\"", actor->role, "\",\"tid\":", actor->tid,
                      ",\"tgid\":", actor->tgid, ",\"begin_ns\":\"", actor->begin_ns,
                      "\",\"end_ns\":\"", actor->end_ns,
                      "\",\"voluntary_switches\":", actor->voluntary_switches,
                      ",\"involuntary_switches\":", actor->involuntary_switches, "}");
}

std::string WakesJson(const ExpectedWakes& wakes) {
  return absl::StrCat("{\"wakee\":", wakes.wakee_tid, ",\"waker\":", wakes.waker_tid,
                      ",\"context\":\"", wakes.context, "\",\"count\":", wakes.count, "}");
}

template <typename List, typename ToText>
std::string Array(const List& list, ToText to_text) {
  return absl::StrCat("[",
                      absl::StrJoin(list, ",",
                                    [&](std::string* out, const auto& element) {
                                      absl::StrAppend(out, to_text(element));
                                    }),
                      "]");
}

}  // namespace

// Times are strings: they do not fit a JSON number.
std::string ToJson(const std::string& puppet, const Report& report) {
  std::string numbers;
  for (const auto& [name, value] : report.numbers) {
    absl::StrAppend(&numbers, numbers.empty() ? "" : ",", "\"", name, "\":", value);
  }
  return absl::StrCat("{\"puppet\":\"", puppet, "\",\"pid\":", getpid(), ",\"begin_ns\":\"",
                      report.begin_ns, "\",\"actors\":", Array(report.actors, ActorJson),
                      ",\"wakes_are_exact\":", report.wakes_are_exact ? "true" : "false",
                      ",\"wakes\":", Array(report.wakes, WakesJson), ",\"numbers\":{", numbers,
                      "},\"children\":", Array(report.children, [](int32_t tid) { return tid; }),
                      "}");
}

}  // namespace gordian::puppets
