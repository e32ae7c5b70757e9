#include "cli/read_recording.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "cli/slow_progress.h"
#include "trace/node_sessions.h"
#include "trace/session_symbols.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

pb::Symbols SymbolsOf(const std::string& directory, bool& unreadable) {
  auto symbols = ReadSymbols(directory);
  unreadable |= !symbols.ok() && !absl::IsNotFound(symbols.status());
  return symbols.ok() ? *std::move(symbols) : pb::Symbols();
}

absl::StatusOr<LoadedRecording> ReadNodes(const std::vector<NodeSession>& sessions,
                                          const std::string& directory, int threads) {
  SlowProgress progress(
      absl::StrCat("reading ", sessions.size(), " nodes of ", CleanText(directory)));
  LoadedRecording recording;
  auto joined = LoadNodes(
      sessions, {.threads = threads}, [&progress](double share) { progress.ShowShare(share); },
      recording.left_out);
  if (!joined.ok()) return joined.status();
  recording.timeline = std::make_unique<Timeline>(std::move(joined->timeline));
  recording.nodes = std::make_unique<JoinedNodes>(*std::move(joined));
  for (const JoinedNode& node : recording.nodes->nodes) {
    for (const NodeSession& session : sessions) {
      if (session.node == node.name) recording.directories.push_back(session.directory);
    }
  }
  return recording;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Timeline>> ReadTimeline(const std::string& directory, int threads) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  SlowProgress progress(absl::StrCat("reading ", CleanText(directory)));
  auto timeline = LoadTimeline(**session, {.threads = threads},
                               [&progress](double share) { progress.ShowShare(share); });
  if (!timeline.ok()) return timeline.status();
  return std::make_unique<Timeline>(*std::move(timeline));
}

absl::StatusOr<LoadedRecording> ReadRecording(const std::string& directory, int threads) {
  const auto sessions = FindNodeSessions(directory);
  if (sessions.ok() && !sessions->front().node.empty())
    return ReadNodes(*sessions, directory, threads);
  // What is no session at all, its reader says best.
  auto timeline = ReadTimeline(directory, threads);
  if (!timeline.ok()) return timeline.status();
  LoadedRecording recording;
  recording.timeline = *std::move(timeline);
  recording.directories = {directory};
  return recording;
}

std::vector<JobSession> JobSessionsOf(const LoadedRecording& recording) {
  std::vector<JobSession> sessions;
  if (!recording.nodes) return sessions;
  const JoinedNodes& joined = *recording.nodes;
  for (size_t node = 0; node < joined.nodes.size(); ++node) {
    JobSession session{.node = joined.nodes[node].name, .directory = recording.directories[node]};
    session.to_job = [clock = joined.clocks[node]](uint64_t time_ns) {
      return clock.ToReference(time_ns);
    };
    const bool is_reference = session.node == joined.reference;
    sessions.insert(is_reference ? sessions.begin() : sessions.end(), std::move(session));
  }
  return sessions;
}

Code ReadCode(const LoadedRecording& recording, bool& unreadable) {
  if (recording.timeline->stack_samples().empty()) return Code();
  if (!recording.nodes) return Code(SymbolsOf(recording.directories.front(), unreadable));
  std::vector<pb::Symbols> symbols;
  for (const std::string& directory : recording.directories) {
    symbols.push_back(SymbolsOf(directory, unreadable));
  }
  return Code(JoinSymbols(symbols, recording.nodes->stack_ids));
}

}  // namespace gordian
