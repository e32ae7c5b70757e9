// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV: the importer must take or refuse them, and its session must be sound.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "import/csv_translator.h"
#include "import/line_reader.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

absl::Status CheckBlock(EventBlock& block) {
  uint64_t last_time_ns = 0;
  for (const TraceEvent& event : block.events) {
    Require(event.time_ns >= last_time_ns);
    last_time_ns = event.time_ns;
    Require(event.cpu == block.cpu);
    if (event.kind == EventKind::kTask) Require(event.task.index < block.tasks.size());
    if (event.kind == EventKind::kProbe && event.probe.name != 0) {
      Require(event.probe.name < block.names.size());
    }
  }
  block.Clear();
  return absl::OkStatus();
}

void Import(const uint8_t* data, size_t size) {
  const int fd = ::memfd_create("csv", MFD_CLOEXEC);
  Require(::write(fd, data, size) == static_cast<ssize_t>(size) && ::lseek(fd, 0, SEEK_SET) == 0);
  CsvTranslator translator(BlockSink{.events = CheckBlock, .tasks = CheckBlock});
  LineReader reader(fd);
  absl::Status status;
  std::string_view line;
  while (status.ok() && reader.Next(line)) status = translator.TakeLine(line);
  ::close(fd);
  if (!status.ok()) {
    Require(absl::IsInvalidArgument(status) && !status.message().empty());
    return;
  }
  pb::Session session;
  if (!translator.Finish(session).ok()) return;
  Require(session.end_time_ns() >= session.start_time_ns());
  // Names that are no UTF-8 would be written and then refused by every reader.
  pb::Session again;
  Require(again.ParseFromString(session.SerializeAsString()));
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::Import(data, size);
  return 0;
}
