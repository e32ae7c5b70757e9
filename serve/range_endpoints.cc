// SPDX-License-Identifier: Apache-2.0
// What a part of the time says: its edges and findings, and who is how much of its critical paths.
#include "absl/strings/str_cat.h"
#include "analysis/recorded_phases.h"
#include "analysis/recording_participation.h"
#include "output/message_json.h"
#include "participation/participation_request.h"
#include "report/time_range.h"
#include "serve/all_endpoints.h"

namespace gordian {
namespace {

constexpr std::string_view kReportParameters[] = {"from", "to"};
constexpr std::string_view kParticipationParameters[] = {"by", "from", "to", "window"};
// Rows of a window are a few KB; a picture has no more columns than this.
constexpr uint64_t kMostWindowsOfAnswer = 2000;

// InvalidArgument if nothing was recorded then.
absl::StatusOr<TimeRange> PartOf(const Analysis& analysis, const AskedRange& asked) {
  const Timeline& timeline = analysis.timeline();
  const TimeRange part =
      RangeOf(timeline.start_ns(), timeline.end_ns(), asked.from_ns, asked.to_ns);
  if (part.length_ns() == 0)
    return absl::InvalidArgumentError("nothing was recorded between from and to");
  return part;
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerReport(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, kReportParameters); !status.ok())
    return status;
  const auto asked = GetAskedRange(request.parameters);
  if (!asked.ok()) return asked.status();
  const auto part = PartOf(request.analysis(), *asked);
  if (!part.ok()) return part.status();
  AnalysisOptions options = request.recording.options();
  options.stop_asked = request.stop_asked;
  const auto report = request.analysis().ReportOnPart(*part, options);
  if (!report.ok()) return report.status();
  return ViewAnswer{.body = MessageJson(*report, JsonShape::kCompact)};
}

absl::StatusOr<ViewAnswer> AnswerParticipation(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, kParticipationParameters); !status.ok())
    return status;
  const auto by = GetChoice(request.parameters, "by", kParticipationByNames,
                            static_cast<size_t>(ParticipationBy::kVertex));
  if (!by.ok()) return by.status();
  const auto asked = GetAskedRange(request.parameters);
  if (!asked.ok()) return asked.status();
  const auto window_ns = GetUnsigned(request.parameters, "window", 0);
  if (!window_ns.ok()) return window_ns.status();
  const auto part = PartOf(request.analysis(), *asked);
  if (!part.ok()) return part.status();
  if (*window_ns > 0 && part->length_ns() / *window_ns >= kMostWindowsOfAnswer)
    return absl::InvalidArgumentError(
        absl::StrCat("window is too short: ", kMostWindowsOfAnswer, " windows at most"));
  const auto phases = request.served->kept().Get<RecordedPhases>(
      "", [&] { return ReadThreadPhases(request.analysis().recording()); });
  if (!phases.ok()) return phases.status();
  ParticipationRequest asks{.window_ns = *window_ns,
                            .from_ns = asked->from_ns,
                            .to_ns = asked->to_ns,
                            .by = {static_cast<ParticipationBy>(*by)}};
  const auto answer = ParticipationIn(request.analysis(), **phases, asks);
  if (!answer.ok()) return answer.status();
  return ViewAnswer{.body = MessageJson(answer->answers.front(), JsonShape::kCompact)};
}

}  // namespace gordian
