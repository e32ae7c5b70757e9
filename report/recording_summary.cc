// SPDX-License-Identifier: Apache-2.0
#include "report/recording_summary.h"

#include <string>

#include "base/time_units.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string StartedAt(const pb::Session& session) {
  if (session.clocks().empty()) return "";
  const pb::ClockPair& clock = session.clocks(0);
  const auto after_ns = static_cast<int64_t>(session.start_time_ns() - clock.monotonic_ns());
  return FormatRealtime(clock.realtime_ns() + after_ns);
}

}  // namespace

pb::RecordingSummary SummarizeRecording(const Timeline& timeline) {
  const pb::Session& session = timeline.session();
  pb::RecordingSummary recording;
  for (const std::string& node : timeline.nodes()) recording.add_nodes(node);
  if (timeline.nodes().empty() && !session.host().hostname().empty())
    recording.add_nodes(session.host().hostname());
  recording.set_name(session.name());
  recording.set_backend(session.backend());
  recording.set_started(StartedAt(session));
  recording.set_complete(session.complete());
  *recording.mutable_command() = session.command();
  recording.set_paused_s(SecondsOf(timeline.pauses().total_ns()));
  recording.set_pauses(timeline.pauses().count());
  for (const pb::Suspend& suspend : session.suspends())
    recording.set_suspended_s(recording.suspended_s() + SecondsOf(suspend.slept_ns()));
  recording.set_suspends(static_cast<uint64_t>(session.suspends_size()));
  if (timeline.unread_ns() > 0) {
    const uint64_t read_ns = timeline.end_ns() - timeline.start_ns();
    recording.mutable_stopped()->set_read_s(SecondsOf(read_ns));
    recording.mutable_stopped()->set_recorded_s(SecondsOf(read_ns + timeline.unread_ns()));
  }
  recording.set_chains_end_at_targets(session.chains_end_at_targets());
  return recording;
}

}  // namespace gordian
