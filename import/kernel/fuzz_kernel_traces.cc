// SPDX-License-Identifier: Apache-2.0
// Any bytes as a kernel's trace in each format, which the first letter tells: the reader must take
// or refuse them, and the session's blocks must be sound.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "import/kernel/file_window.h"
#include "import/kernel/ftrace_text.h"
#include "import/kernel/kernel_translator.h"
#include "import/kernel/perf_data.h"
#include "import/kernel/perfetto_trace.h"
#include "import/kernel/trace_dat.h"

namespace gordian {
namespace {

void MustHold(bool holds) {
  if (!holds) std::abort();
}

absl::Status CheckKernelBlock(EventBlock& block) {
  uint64_t last_time_ns = 0;
  for (const TraceEvent& event : block.events) {
    MustHold(event.cpu == block.cpu);
    if (event.kind == EventKind::kTask) MustHold(event.task.index < block.tasks.size());
    if (block.cpu != kNoCpu) MustHold(event.time_ns >= last_time_ns);
    last_time_ns = event.time_ns;
  }
  block.Clear();
  return absl::OkStatus();
}

class TracedRun {
 public:
  KernelEventSink sink() {
    return [this](const KernelEvent& event) {
      events_.push_back(event);
      return absl::OkStatus();
    };
  }
  std::function<void(uint32_t, std::string_view)> named_irq() {
    return [this](uint32_t number, std::string_view name) { translator_.NameIrq(number, name); };
  }
  KernelNames& names() { return names_; }
  KernelCode& code() { return code_; }

  void Translate(const absl::Status& read) {
    MustBeExplained(read);
    std::stable_sort(events_.begin(), events_.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    for (const KernelEvent& event : events_) {
      absl::Status status = translator_.Take(event);
      MustBeExplained(status);
      if (!status.ok()) return;
    }
    pb::Session session;
    if (!translator_.Finish(session).ok()) return;
    MustHold(session.end_time_ns() >= session.start_time_ns());
    // Names that are no UTF-8 would be written and then refused by every reader.
    pb::Session again;
    MustHold(again.ParseFromString(session.SerializeAsString()));
  }

 private:
  static void MustBeExplained(const absl::Status& status) {
    MustHold(status.ok() || (absl::IsInvalidArgument(status) && !status.message().empty()));
  }

  KernelNames names_;
  KernelCode code_;
  KernelTranslator translator_{BlockSink{.events = CheckKernelBlock, .tasks = CheckKernelBlock},
                               names_, code_.stacks};
  std::vector<KernelEvent> events_;
};

void ReadText(std::string_view text) {
  TracedRun run;
  FtraceText reader(run.names(), run.sink(), run.named_irq());
  absl::Status status;
  while (status.ok() && !text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    status = reader.TakeLine(line);
  }
  if (status.ok()) status = reader.Finish();
  run.Translate(status);
}

// `read` is given the run, a window over the bytes, and the session.
template <typename Read>
void ReadBinary(std::string_view bytes, const Read& read) {
  const int fd = ::memfd_create("trace", MFD_CLOEXEC);
  MustHold(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  TracedRun run;
  FileWindow window(fd, bytes.size());
  pb::Session session;
  run.Translate(read(run, window, session));
  ::close(fd);
}

absl::Status NoProgress(uint64_t /*bytes*/) { return absl::OkStatus(); }

absl::Status ReadPerf(TracedRun& run, FileWindow& window, pb::Session& session) {
  PerfData reader(window, run.names(), run.code(), run.sink(), run.named_irq());
  return reader.Read(NoProgress, session);
}

template <typename Reader>
absl::Status ReadWith(TracedRun& run, FileWindow& window, pb::Session& session) {
  Reader reader(window, run.names(), run.sink(), run.named_irq());
  return reader.Read(NoProgress, session);
}

void ReadAny(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const char format = bytes.front();
  bytes.remove_prefix(1);
  if (format == 't') ReadText(bytes);
  if (format == 'p') ReadBinary(bytes, ReadPerf);
  if (format == 'o') ReadBinary(bytes, ReadWith<PerfettoPackets>);
  if (format == 'd') ReadBinary(bytes, ReadWith<TraceDat>);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::ReadAny({reinterpret_cast<const char*>(data), size});
  return 0;
}
