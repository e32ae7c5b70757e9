// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session_contents.h"

#include "fmt/format.h"
#include "trace/event_schema.h"
#include "trace/session_reader.h"

namespace gordian::testing {

std::string EventText(const TraceEvent& event, const EventBlock& block) {
  const std::string cpu = event.cpu == kNoCpu ? "nocpu" : fmt::format("cpu{}", event.cpu);
  return fmt::format("{} {} {}{}", event.time_ns, cpu, EventKindName(event.kind),
                     FieldsText(event, block));
}

std::vector<std::string> EventTexts(const EventBlock& block) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : block.events) lines.push_back(EventText(event, block));
  return lines;
}

std::vector<std::string> SessionTexts(const std::string& directory) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return {"error: " + std::string(session.status().message())};
  std::vector<std::string> lines;
  MergedEvents cursor(**session);
  while (cursor.Next()) lines.push_back(EventText(cursor.event(), cursor.block()));
  const ReadDamage& damage = (*session)->damage();
  if (damage.corrupt_blocks + damage.torn_tails + damage.unreadable_files > 0) {
    lines.insert(lines.begin(), "error: the session is damaged");
  }
  return lines;
}

}  // namespace gordian::testing
