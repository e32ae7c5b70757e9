// SPDX-License-Identifier: Apache-2.0
// A puppet's piece, recorded with the real recorder and read back.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "recorder/recording/recording.h"
#include "tests/puppets/report.pb.h"
#include "tests/support/recorded_session.h"
#include "tests/support/thread_checker.h"

namespace gordian::testing {

// Runs a puppet to its end; an error if it did not end well.
absl::StatusOr<puppets::pb::Report> PlayPuppet(const std::vector<std::string>& arguments);

struct PlayedPuppet {
  puppets::pb::Report report;
  RecordedSession recorded;
  std::vector<ThreadLife> lives;
  std::vector<Violation> violations;
  // The machine hides threads from BPF, and one of them ran during the piece: the events it hid are
  // missing.
  bool disturbed = false;

  // Of an actor or child: the life that this puppet gave it. Null if there is none.
  const ThreadLife* LifeOf(int32_t tid, int32_t parent_tid) const;
};

// `until_ns`: when the puppet had ended.
PlayedPuppet Judge(puppets::pb::Report report, RecordedSession recorded, uint64_t until_ns);

// Records nothing but the piece.
absl::StatusOr<PlayedPuppet> RecordPuppet(const std::vector<std::string>& arguments);

// The same, again if it was disturbed. If no thread is hidden, this is RecordPuppet. An error if it
// is disturbed each time: then the piece is too long for this machine.
absl::StatusOr<PlayedPuppet> RecordUndisturbed(const std::vector<std::string>& arguments);

// Fails the test if the recording is damaged or lost something.
void ExpectWhole(const RecordedSession& recorded);

// Fails the test if the recording of the puppet differs from its report: identity and lifetime of
// each actor, every switch-out and every wake in its window.
void ExpectExact(const PlayedPuppet& played);

// The wakes of a thread in its window.
std::vector<WakeEvent> WakesOf(const RecordedSession& recorded, const puppets::pb::Actor& actor);

// Fails the test unless the life is complete and shared out to the nanosecond. In a disturbed
// recording parts of it may be unknown.
void ExpectCompleteLife(const ThreadLife& life, bool disturbed);

}  // namespace gordian::testing
