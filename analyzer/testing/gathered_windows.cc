// SPDX-License-Identifier: Apache-2.0
#include "analyzer/testing/gathered_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

// The lives of a tid are numbered in order of their ids, which are in order of birth.
std::vector<std::string> NamesOf(const TimelineStream& stream) {
  std::map<int32_t, int> lives;
  std::vector<std::string> names;
  for (const Entity& entity : stream.entities()) {
    const bool is_thread = entity.kind == EntityKind::kThread;
    names.push_back(is_thread ? absl::StrCat(entity.tid, "/", lives[entity.tid]++)
                              : absl::StrCat(entity.name, " ", entity.device));
  }
  return names;
}

}  // namespace

void GatheredWindows::Take(const SettledWindow& window) {
  windows_.emplace_back(window.from_ns, window.to_ns);
  for (const SettledSlice& slice : window.slices) {
    Thread& thread = threads_[slice.thread];
    EXPECT_EQ(slice.begins, thread.segments.empty());
    if (!slice.begins) {
      EXPECT_EQ(slice.from_ns, thread.until_ns);
    }
    EXPECT_EQ(std::accumulate(slice.time_ns.begin(), slice.time_ns.end(), uint64_t{0}),
              slice.until_ns - slice.from_ns);
    thread.segments.insert(thread.segments.end(), slice.segments.begin(), slice.segments.end());
    thread.until_ns = slice.until_ns;
    absl::StrAppend(&thread.slices, " ", windows_.size(), ":", slice.from_ns, "-", slice.until_ns,
                    slice.ends ? " ends" : "");
    for (const uint64_t time_ns : slice.time_ns) absl::StrAppend(&thread.slices, ",", time_ns);
  }
  requests_.insert(requests_.end(), window.block_records.begin(), window.block_records.end());
  packets_.insert(packets_.end(), window.packets.begin(), window.packets.end());
  local_messages_.insert(local_messages_.end(), window.local_messages.begin(),
                         window.local_messages.end());
  samples_.insert(samples_.end(), window.stack_samples.begin(), window.stack_samples.end());
}

WindowLines GatheredWindows::Lines(const TimelineStream& stream, bool with_windows) const {
  const std::vector<std::string> names = NamesOf(stream);
  const auto name = [&](EntityId id) { return id == kNobody ? "nobody" : names[id]; };
  WindowLines lines;
  for (const auto& [id, thread] : threads_) {
    std::vector<std::string>& its = lines[names[id]];
    for (const ThreadSegment& segment : thread.segments)
      its.push_back(absl::StrCat(segment.start_ns, " kind ", segment.kind, " by ",
                                 name(segment.waker), " state ", segment.state, " cause ",
                                 segment.cause, segment.open_start ? " begun" : "",
                                 segment.open_end ? " open" : ""));
    its.push_back(absl::StrCat("until ", thread.until_ns));
    if (with_windows) its.push_back(thread.slices);
  }
  for (const BlockRecord& record : requests_)
    lines["requests"].push_back(absl::StrCat(record.time_ns, " ", record.device, " ", record.sector,
                                             " ", name(record.thread)));
  for (const PacketRecord& record : packets_)
    lines["packets"].push_back(absl::StrCat(record.time_ns, " ", record.interface, " ",
                                            record.bytes, " ", name(record.thread)));
  for (const LocalMessage& message : local_messages_)
    lines["local messages"].push_back(absl::StrCat(message.time_ns, " ", message.flow_id, " ",
                                                   message.bytes, " ", name(message.thread)));
  for (const StackSample& sample : samples_)
    lines["samples"].push_back(absl::StrCat(sample.since_start_ns, " ", sample.stack_id, " ",
                                            sample.moment_value, " ", name(sample.thread)));
  for (const auto& [from_ns, to_ns] : windows_)
    lines["windows"].push_back(absl::StrCat(from_ns, "-", to_ns));
  return lines;
}

WindowLines LinesOfFinished(const std::string& directory, const StreamOptions& options,
                            bool with_windows) {
  const auto session = SessionReader::Open(directory);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return {};
  const auto stream = TimelineStream::Open(**session, options);
  EXPECT_TRUE(stream.ok()) << stream.status();
  if (!stream.ok()) return {};
  GatheredWindows gathered;
  while (true) {
    const auto window = (*stream)->Next();
    EXPECT_TRUE(window.ok()) << window.status();
    if (!window.ok() || *window == nullptr) break;
    gathered.Take(**window);
  }
  return gathered.Lines(**stream, with_windows);
}

std::string FirstDifference(const WindowLines& finished, const WindowLines& followed) {
  for (const auto& [name, lines] : finished) {
    const auto found = followed.find(name);
    if (found == followed.end()) return name + " is missing";
    for (size_t i = 0; i < std::max(lines.size(), found->second.size()); ++i) {
      const std::string a = i < lines.size() ? lines[i] : "nothing";
      const std::string b = i < found->second.size() ? found->second[i] : "nothing";
      if (a != b) return absl::StrCat(name, " ", i, ": ", a, " / ", b);
    }
  }
  return finished.size() == followed.size() ? "" : "more threads";
}

}  // namespace gordian
