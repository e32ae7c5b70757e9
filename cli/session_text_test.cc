// SPDX-License-Identifier: Apache-2.0
#include "cli/session_text.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

pb::SessionStatus Running() {
  pb::SessionStatus session;
  session.set_name("web");
  session.set_state("recording");
  session.set_directory("/s/web");
  session.set_backend("tracepoint");
  session.set_events(1'234'567);
  session.set_lost(2);
  session.set_bytes_on_disk(3 << 20);
  session.set_elapsed_ns(12'300'000'000);
  session.set_ring_bytes(64 << 20);
  session.set_started_realtime_ns(1'795'255'200'000'000'000);
  return session;
}

pb::SessionStatus Finished() {
  pb::SessionStatus session = Running();
  session.set_name("old\"name");
  session.set_state("complete");
  session.clear_events();
  session.clear_lost();
  session.clear_ring_bytes();
  session.set_end_reason("disk full");
  session.set_error("only 1 GiB\nis free");
  return session;
}

TEST(SessionText, ALineTellsWhatWasRecordedAndLost) {
  pb::SessionStatus session = Running();
  EXPECT_EQ(SessionLine(session), "web: 1,234,567 events in 12.3 s, 3 MiB, 2 lost");
  session.clear_lost();
  EXPECT_EQ(SessionLine(session), "web: 1,234,567 events in 12.3 s, 3 MiB, nothing lost");
}

TEST(SessionText, RunningSessionsAreATable) {
  pb::StatusResponse response;
  *response.add_sessions() = Running();
  EXPECT_EQ(RunningTable(response.sessions()),
            "NAME  STATE      BACKEND       TIME     EVENTS  LOST   SIZE    RING  END\n"
            "web   recording  tracepoint  12.3 s  1,234,567     2  3 MiB  64 MiB\n");
}

TEST(SessionText, FinishedSessionsAreATableWhoseLinesNobodyCanForge) {
  pb::ListResponse response;
  *response.add_sessions() = Finished();
  pb::SessionStatus* snapshot = response.add_sessions();
  *snapshot = Finished();
  snapshot->set_snapshot_of("web");
  snapshot->set_events(1234);
  snapshot->set_events_known(true);
  EXPECT_EQ(
      FinishedTable(response.sessions()),
      "NAME      STATE     STARTED                 TIME   SIZE  EVENTS  LOST  END\n"
      "old\"name  complete  2026-11-21T10:00:00Z  12.3 s  3 MiB             0  disk full: only "
      "1 GiB is free\n"
      "old\"name  complete  2026-11-21T10:00:00Z  12.3 s  3 MiB   1,234     0  snapshot of "
      "web\n");
}

TEST(SessionText, JsonHasNumbersAndLeavesOutWhatIsNotKnown) {
  pb::StatusResponse response;
  response.set_daemon_version("1.2");
  response.set_free_bytes(UINT64_MAX);
  *response.add_sessions() = Finished();
  EXPECT_EQ(StatusJson(response), R"({
    "daemon_version": "1.2",
    "free_bytes": 18446744073709551615,
    "sessions": [
        {
            "name": "old\"name",
            "state": "complete",
            "directory": "/s/web",
            "backend": "tracepoint",
            "started": "2026-11-21T10:00:00Z",
            "elapsed_ns": 12300000000,
            "lost": 0,
            "bytes_on_disk": 3145728,
            "end_reason": "disk full",
            "error": "only 1 GiB\nis free"
        }
    ]
}
)");
  EXPECT_EQ(ListJson(pb::ListResponse()), "{\n    \"sessions\": []\n}\n");
}

}  // namespace
}  // namespace gordian
