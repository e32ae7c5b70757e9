// SPDX-License-Identifier: Apache-2.0
#include "analysis/recording.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/kept_stages.h"
#include "analysis/this_program.h"
#include "nodes/held_back.h"
#include "nodes/own_messages.h"
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

// From sessions of many nodes, wherever they lie, as one; their names are all different.
absl::StatusOr<LoadedRecording> ReadNodes(const std::vector<NodeSession>& sessions,
                                          const ReadOptions& options, const Progress& progress) {
  std::vector<std::string> left_out;
  auto joined = LoadNodes(sessions,
                          {.threads = options.threads,
                           .memory = ColumnsWithin(options.memory),
                           .until_ns = options.until_ns,
                           .keep_reading = options.keep_reading},
                          progress, left_out);
  if (!joined.ok()) return joined.status();
  LoadedRecording recording = RecordingOf(*std::move(joined));
  recording.left_out = std::move(left_out);
  for (const JoinedNode& node : recording.nodes->nodes) {
    for (const NodeSession& session : sessions) {
      if (session.node == node.name) recording.directories.push_back(session.directory);
    }
  }
  return recording;
}

}  // namespace

// A quarter for what stays in memory, and one for pages of files. The rest is for tables, for
// blocks that are being decoded, and for pages that come before the next look at them.
ColumnMemory ColumnsWithin(const MemoryOptions& options) {
  const char* const told = std::getenv("TMPDIR");
  const std::string folder = told != nullptr && *told != '\0' ? told : "/var/tmp";
  return ColumnMemory({.folder = options.folder.empty() ? folder : options.folder,
                       .plain_bytes = options.bytes / 4,
                       .resident_bytes = options.bytes / 4});
}

LoadedRecording RecordingOf(Timeline timeline) {
  LoadedRecording recording;
  recording.timeline = std::make_unique<Timeline>(std::move(timeline));
  return recording;
}

LoadedRecording RecordingOf(JoinedNodes nodes) {
  LoadedRecording recording = RecordingOf(std::move(nodes.timeline));
  recording.nodes = std::make_unique<JoinedNodes>(std::move(nodes));
  return recording;
}

absl::StatusOr<std::unique_ptr<Timeline>> ReadTimeline(const std::string& directory,
                                                       const ReadOptions& options,
                                                       const Progress& progress) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return session.status();
  auto timeline = Timeline::Load(**session,
                                 {.threads = options.threads,
                                  .keep_packet_wakes = true,
                                  .memory = ColumnsWithin(options.memory),
                                  .until_ns = options.until_ns,
                                  .keep_reading = options.keep_reading},
                                 progress);
  if (!timeline.ok()) return timeline.status();
  MarkHeldBack(*timeline);
  MatchOwnMessages(*timeline, options.threads);
  return std::make_unique<Timeline>(*std::move(timeline));
}

namespace {

absl::StatusOr<LoadedRecording> ReadFiles(const std::string& directory, const ReadOptions& options,
                                          const Progress& progress) {
  const auto sessions = FindNodeSessions(directory);
  if (sessions.ok() && !sessions->front().node.empty()) {
    auto recording = ReadNodes(*sessions, options, progress);
    if (recording.ok()) recording->directory = directory;
    return recording;
  }
  // For a folder that is no session, the reader's error is the best.
  auto timeline = ReadTimeline(directory, options, progress);
  if (!timeline.ok()) return timeline.status();
  LoadedRecording recording;
  recording.timeline = *std::move(timeline);
  recording.directory = directory;
  recording.directories = {directory};
  return recording;
}

}  // namespace

absl::StatusOr<LoadedRecording> ReadRecording(const std::string& directory,
                                              const ReadOptions& options,
                                              const Progress& progress) {
  const bool is_of_whole = options.until_ns == std::numeric_limits<uint64_t>::max();
  if (!options.store.keeps_something() || !is_of_whole)
    return ReadFiles(directory, options, progress);
  const auto kept = std::make_shared<KeptStages>(options.store, directory, ThisProgram());
  if (auto recording = kept->FindRecording(ColumnsWithin(options.memory))) {
    recording->kept = kept;
    return *std::move(recording);
  }
  auto recording = ReadFiles(directory, options, progress);
  if (recording.ok() && recording->timeline->unread_ns() == 0) recording->kept = kept;
  return recording;
}

absl::StatusOr<LoadedRecording> ReadRecordingsAsNodes(const std::vector<std::string>& directories,
                                                      const ReadOptions& options,
                                                      const Progress& progress) {
  std::vector<NodeSession> sessions;
  for (const std::string& directory : directories) {
    auto found = FindNodeSessions(directory);
    if (!found.ok()) return found.status();
    for (NodeSession& session : *found) {
      if (session.node.empty()) {
        const std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
        session.node = (path.has_filename() ? path : path.parent_path()).filename();
      }
      sessions.push_back(std::move(session));
    }
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const NodeSession& a, const NodeSession& b) { return a.node < b.node; });
  const auto twice = std::adjacent_find(
      sessions.begin(), sessions.end(),
      [](const NodeSession& a, const NodeSession& b) { return a.node == b.node; });
  if (twice != sessions.end())
    return absl::InvalidArgumentError(absl::StrCat(
        "two recordings are called ", CleanText(twice->node), "; rename one of the folders"));
  return ReadNodes(sessions, options, progress);
}

AllSamples ReadSamples(const LoadedRecording& recording) {
  AllSamples all;
  for (uint32_t node = 0; node < recording.directories.size(); ++node) {
    auto session = SessionReader::Open(recording.directories[node]);
    if (!session.ok()) {
      ++all.unreadable;
      continue;
    }
    auto blocks = (*session)->ReadResources();
    if (!blocks.ok()) {
      ++all.unreadable;
      continue;
    }
    all.nodes.push_back({node, (*session)->session().host().hostname(), *std::move(blocks)});
  }
  return all;
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
  if (recording.timeline->stack_samples().empty() || recording.directories.empty()) return Code();
  if (!recording.nodes) return Code(SymbolsOf(recording.directories.front(), unreadable));
  std::vector<pb::Symbols> symbols;
  for (const std::string& directory : recording.directories) {
    symbols.push_back(SymbolsOf(directory, unreadable));
  }
  return Code(JoinSymbols(symbols, recording.nodes->stack_ids));
}

}  // namespace gordian
