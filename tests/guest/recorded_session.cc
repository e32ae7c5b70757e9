// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/recorded_session.h"

#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/counters.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

// The recording besides its events: whether it is all there, and the threads' identities.
struct Contents {
  uint64_t events = 0;
  uint64_t lost = 0;
  std::array<uint64_t, kEventKinds> by_kind{};
  ThreadNames names;
  WaitCauses causes;
};

Contents ReadContents(SessionReader& reader, const WorkloadReport& report) {
  Contents contents;
  for (const WorkloadThread& thread : report.threads)
    if (thread.counted_until_ns != 0)
      contents.causes.CountUntil(thread.tid, thread.counted_until_ns);
  MergedEvents cursor(reader);
  while (cursor.Next()) {
    const TraceEvent& event = cursor.event();
    ++contents.events;
    ++contents.by_kind[static_cast<size_t>(event.kind)];
    contents.causes.Add(event);
    if (event.kind == EventKind::kLoss) contents.lost += event.loss.count;
    if (event.kind == EventKind::kTask) {
      const TaskRecord& task = cursor.block().tasks[event.task.index];
      contents.names[task.tid] = task.comm;
    }
  }
  return contents;
}

// Kinds that only the kernel side makes. Threads and flows are also told from the contents of its
// tables.
constexpr EventKind kKernelKinds[] = {
    EventKind::kSwitch,        EventKind::kWake,    EventKind::kIrqRun,    EventKind::kBlockIssue,
    EventKind::kBlockComplete, EventKind::kNetSend, EventKind::kNetReceive};

// Told as lost, but never emitted: the kernel ran no second program beside one that it ran already,
// as it may at all hooks but tracepoints.
uint64_t LeftOutByKernel(const pb::Session& session) {
  uint64_t left_out = 0;
  for (const pb::Counter& counter : session.counters())
    if (counter.name().rfind("records_left_out_", 0) == 0) left_out += counter.value();
  return left_out;
}

// Everything the kernel side emitted must be here, and nothing else.
std::vector<std::string> CheckReceivedIsEmitted(const pb::Session& session,
                                                const Contents& contents) {
  std::vector<std::string> findings;
  const uint64_t left_out = LeftOutByKernel(session);
  if (contents.lost > left_out)
    findings.push_back(absl::StrCat(contents.lost - left_out, " events were lost"));
  for (const EventKind kind : kKernelKinds) {
    const std::string name = EventKindName(kind);
    const uint64_t emitted = CounterValue(session, "records_produced_" + name);
    const uint64_t received = contents.by_kind[static_cast<size_t>(kind)];
    if (emitted != received) {
      findings.push_back(absl::StrCat(emitted, " records of kind ", name, " were emitted and ",
                                      received, " received"));
    }
  }
  return findings;
}

// Counters of records that went missing on the way.
bool TellsOfLoss(const std::string& counter) {
  return counter.rfind("records_lost_", 0) == 0 || counter == "records_unknown" ||
         counter == "events_not_written";
}

// Errors that make a comparison worthless: another backend than asked for, or anything missing.
std::vector<std::string> CheckWhole(const std::string& backend, const SessionReader& reader,
                                    const Contents& contents) {
  const pb::Session& session = reader.session();
  std::vector<std::string> findings = CheckReceivedIsEmitted(session, contents);
  if (session.backend() != backend) {
    findings.push_back(absl::StrCat("recorded by ", session.backend(), " instead"));
  }
  if (!session.complete()) findings.push_back("the session was not completed");
  for (const pb::Counter& counter : session.counters()) {
    if (counter.value() != 0 && TellsOfLoss(counter.name())) {
      findings.push_back(absl::StrCat("counter ", counter.name(), " is ", counter.value()));
    }
  }
  const ReadDamage& damage = reader.damage();
  if (damage.corrupt_blocks + damage.torn_tails + damage.unreadable_files != 0) {
    findings.push_back("its files are damaged");
  }
  return findings;
}

void Append(std::vector<std::string> more, std::vector<std::string>& findings) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

}  // namespace

absl::StatusOr<RecordedSession> ReadRecordedSession(const std::string& backend,
                                                    const std::string& directory,
                                                    const WorkloadReport& report) {
  absl::StatusOr<std::unique_ptr<SessionReader>> reader = SessionReader::Open(directory);
  if (!reader.ok()) return reader.status();
  const Contents contents = ReadContents(**reader, report);
  CausesByRole causes = DescribeCauses(contents.causes, contents.names, report);
  ForgiveUnseenWakes(CounterValue((*reader)->session(), "kernel_programs_skipped"), report, causes);
  RecordedSession recorded{.backend = backend,
                           .report = report,
                           .causes = std::move(causes),
                           .events = contents.events,
                           .findings = CheckWhole(backend, **reader, contents)};
  Append(CheckNames(contents.names, report), recorded.findings);
  Append(CheckAgainstWorkload(recorded.causes, report), recorded.findings);
  return recorded;
}

}  // namespace gordian
