// SPDX-License-Identifier: Apache-2.0
#include "report/suggested_probes.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "report/code_stacks.h"
#include "report/thresholds.h"
#include "words/quantities.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

// The place for the calls: the program's own function, or the nearest frame of the stack.
const CodeFrame* FrameToAnnotate(const Suggestion& suggestion, const Code& code) {
  if (const CodeFrame* own = ProgramFrame(suggestion.path, code)) return own;
  const auto user = std::find_if(suggestion.path.begin(), suggestion.path.end(),
                                 [&](uint32_t index) { return !code.frame(index).kernel; });
  return user == suggestion.path.end() ? nullptr : &code.frame(*user);
}

std::string Who(const Suggestion& suggestion, const Entity& thread) {
  if (suggestion.threads == 1) return ThreadLabel(thread.name, thread.tid);
  return absl::StrCat(FormatCount(suggestion.threads, "thread"), " of ",
                      thread.process_name.empty() ? thread.name : thread.process_name);
}

void TellSpin(const Suggestion& suggestion, const Entity& thread, const std::string& place,
              pb::Suggestion& put) {
  put.add_probes("gordian_spin_begin(lock)");
  put.add_probes("gordian_spin_end(lock)");
  put.add_probes("gordian_spin_release(lock)");
  const bool several = suggestion.threads > 1;
  put.set_text(absl::StrCat(
      Who(suggestion, thread), several ? " most likely spin" : " may be spinning", " in ", place,
      ": ", SecondsText(put.seconds()), " of CPU time, ", FormatCount(suggestion.samples, "sample"),
      several ? "." : ". It waits there for another thread, or for something no thread gives."));
  put.set_advice(
      "Say gordian_spin_begin(lock) before this loop, gordian_spin_end(lock) behind it, and "
      "gordian_spin_release(lock) where the lock is given back: then the report tells who has it.");
}

void TellFalseWakeup(const Suggestion& suggestion, const Entity& thread, const std::string& place,
                     pb::Suggestion& put) {
  put.add_probes("gordian_false_wakeup()");
  const auto count = static_cast<uint64_t>(std::llround(suggestion.count));
  put.set_text(absl::StrCat(Who(suggestion, thread), suggestion.threads == 1 ? " is" : " are",
                            " likely woken for nothing in ", place, ": ",
                            FormatCount(count, "time"), ", ", SecondsText(put.seconds()),
                            " of waiting until then."));
  put.set_advice(
      put.applied()
          ? "Counted as if gordian_false_wakeup() were said there, as --assume-false-wakeups asks."
          : "Say gordian_false_wakeup() where this loop finds nothing to do and will sleep again. "
            "--assume-false-wakeups shows what that makes of the graph.");
}

}  // namespace

void AddSuggestions(std::span<const Suggestion> suggestions, const Timeline& timeline,
                    const Code& code, std::span<const uint32_t> vertex_of_entity,
                    const TimeRange& range, pb::Report& report) {
  CodeTable table(code, *report.mutable_code());
  for (const Suggestion& suggestion :
       suggestions.first(std::min(suggestions.size(), kMostSuggestions))) {
    const Entity& thread = timeline.entities()[suggestion.thread];
    pb::Suggestion& put = *report.add_suggestions();
    const bool spin = suggestion.kind == SuggestionKind::kSpin;
    put.set_kind(spin ? "spin" : "false_wakeup");
    put.set_sure(suggestion.likely ? "likely" : "possible");
    put.set_seconds(suggestion.time_ns / kNsPerSecond);
    put.set_share(suggestion.time_ns /
                  static_cast<double>(std::max<uint64_t>(1, range.length_ns())));
    put.set_count(suggestion.count);
    put.set_samples(suggestion.samples);
    put.set_threads(suggestion.threads);
    put.set_vertex(vertex_of_entity[suggestion.thread]);
    put.set_process(thread.process_name);
    put.set_pid(thread.tgid);
    put.set_applied(!spin && report.assumed_false_wakeups() > 0);
    std::string place = "[unknown]";
    if (const CodeFrame* frame = FrameToAnnotate(suggestion, code)) {
      put.set_function(FrameName(*frame));
      put.set_file(frame->file);
      put.set_line(frame->line);
      place = FrameNameAndLine(*frame);
    }
    table.Put({.path = suggestion.path, .samples = suggestion.samples, .share = 1},
              *put.mutable_stack());
    const auto& vertices = report.vertices();
    const bool in_scope =
        std::any_of(vertices.begin(), vertices.end(), [&](const pb::ReportVertex& vertex) {
          return vertex.id() == put.vertex() && (vertex.in_scope() || vertex.target());
        });
    put.set_matters(in_scope && put.share() >= kSuggestionMatters);
    if (spin) {
      TellSpin(suggestion, thread, place, put);
    } else {
      TellFalseWakeup(suggestion, thread, place, put);
    }
  }
}

}  // namespace gordian
