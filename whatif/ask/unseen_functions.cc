// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/unseen_functions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Share of the samples in scope. With fewer the program's own code is elsewhere, and is seen.
constexpr double kMostlyInterpreted = 0.5;
constexpr double kOnceInTwenty = 0.05;

// The functions in which interpreters run their scripts' code: Python, Perl, Ruby, PHP, Lua.
constexpr std::string_view kInterpreters[] = {"_PyEval_EvalFrameDefault", "Perl_runops_standard",
                                              "rb_vm_exec", "execute_ex", "luaV_execute"};

// "Perl_" of Perl_pp_multiply.
std::string_view FirstWord(std::string_view function) {
  const size_t end = function.find('_', 1);
  return end == std::string_view::npos ? "" : function.substr(0, end + 1);
}

// An interpreter's own functions are called alike.
bool HidesIn(const CodeFrame& frame, std::string_view function) {
  const bool is_interpreter = std::find(std::begin(kInterpreters), std::end(kInterpreters),
                                        frame.function) != std::end(kInterpreters);
  return is_interpreter && FirstWord(function) != FirstWord(frame.function);
}

struct SamplesInScope {
  double all = 0;
  double interpreted = 0;
};

SamplesInScope CountSamples(const AnalyzedRecording& recording, std::string_view function) {
  SamplesInScope counted;
  for (const uint32_t vertex : recording.report.scope().vertices()) {
    for (const StackSum& sum : recording.stacks.Of(vertex, vertex, StackSide::kRunning)) {
      const auto samples = static_cast<double>(sum.samples);
      const CodePath path = recording.code.PathOf(sum.stack_id, StackSide::kRunning);
      counted.all += samples;
      if (std::any_of(path.begin(), path.end(), [&](uint32_t index) {
            return HidesIn(recording.code.frame(index), function);
          }))
        counted.interpreted += samples;
    }
  }
  return counted;
}

}  // namespace

double MostUnseenShare(const AnalyzedRecording& recording) {
  const double samples = CountSamples(recording, "").all;
  return samples == 0 ? 1 : 1 - std::pow(kOnceInTwenty, 1 / samples);
}

absl::Status TellsOfUnseenFunctions(const AnalyzedRecording& recording,
                                    const std::string& function) {
  const SamplesInScope samples = CountSamples(recording, function);
  if (samples.all == 0)
    return absl::NotFoundError(absl::StrCat(
        "no sample of a running thread has the function ", CleanText(function),
        "; gordian analyze shows where threads ran, gordian record --sample-hz takes more"));
  if (samples.interpreted < kMostlyInterpreted * samples.all) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "no sample has the function ", CleanText(function),
      ", and they cannot tell: most are in an interpreter, whose stacks do not have the functions "
      "of its scripts (Python 3.12 and later with -X perf do); --run changes a thread's whole "
      "work"));
}

}  // namespace gordian
