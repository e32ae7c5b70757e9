// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/trace_dat.h"

#include <algorithm>
#include <bit>

#include "fmt/format.h"
#include "import/csv_fields.h"
#include "import/kernel/ftrace_fields.h"
#include "import/kernel/kernel_translator.h"
#include "trace/counters.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kMaxBuffers = 1u << 16;
constexpr int kMaxOptionSections = 1 << 12;
constexpr uint32_t kLeastPageBytes = 4096;
constexpr uint32_t kMostPageBytes = 1u << 20;
constexpr uint64_t kSectionHeaderBytes = 16;
constexpr uint16_t kPackedFlag = 1;

enum DatOption : uint16_t {
  kDoneOption = 0,
  kBufferOption = 3,
  kClockOption = 4,
  kUnameOption = 5,
  kFtraceFormatsOption = 17,
  kEventFormatsOption = 18,
  kTextBufferOption = 22,
};

absl::Status DatIsCut() { return absl::InvalidArgumentError("the file's head is cut"); }

// Other clocks do not count nanoseconds.
absl::Status CheckClock(std::string_view clock) {
  for (const std::string_view known :
       {"", "local", "global", "perf", "mono", "mono_raw", "boot", "tai"}) {
    if (clock == known) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("has times of the clock {}; record with -C mono", Quoted(clock)));
}

// "Linux HOST RELEASE … MACHINE"
void TakeUname(std::string_view text, pb::Session& session) {
  TakeWord(text);
  session.mutable_host()->set_hostname(CleanText(std::string(TakeWord(text))));
  session.mutable_host()->set_kernel_release(CleanText(std::string(TakeWord(text))));
}

}  // namespace

// The head of a page of the kernel's ring buffer.
struct TraceDat::Page {
  static constexpr uint64_t kMissed = uint64_t{1} << 31;
  static constexpr uint64_t kMissedStored = uint64_t{1} << 30;
  static constexpr uint64_t kSizeMask = (uint64_t{1} << 20) - 1;
};

absl::Status TraceDat::Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                            pb::Session& session) {
  constexpr uint64_t kHeadBytes = 4096;
  std::span<const uint8_t> part;
  absl::Status status = file_.View(0, std::min(kHeadBytes, file_.file_bytes()), part);
  if (!status.ok()) return status;
  ByteCursor head(part);
  std::string_view magic;
  std::string_view version;
  if (!head.TakeText(kTracingMagic.size(), magic) || magic != kTracingMagic ||
      !head.TakeZeroEnded(version))
    return WrongAt(0, "this is no trace.dat");
  status = version == "7" ? ReadVersion7(head, session) : ReadVersion6(session);
  if (!status.ok()) return status;
  if (buffers_.empty()) return WrongAt(0, "holds no buffers of events");
  for (const Buffer& buffer : buffers_) {
    status = buffer.packed ? TakePackedBuffer(buffer, progress) : TakePlainBuffer(buffer, progress);
    if (!status.ok()) return status;
  }
  if (raw_.unknown() > 0) AddCounter(session, "import_events_unknown", raw_.unknown());
  return absl::OkStatus();
}

absl::Status TraceDat::TakePlainBuffer(
    const Buffer& buffer, const std::function<absl::Status(uint64_t bytes)>& progress) {
  constexpr uint64_t kPagesPerProgress = 256;
  // Only whole pages hold events.
  const uint64_t pages = buffer.size / buffer.page_bytes;
  std::span<const uint8_t> part;
  for (uint64_t page = 0; page < pages; ++page) {
    const uint64_t at = buffer.offset + page * buffer.page_bytes;
    absl::Status status = page % kPagesPerProgress == 0 ? progress(at) : absl::OkStatus();
    if (status.ok()) status = file_.View(at, buffer.page_bytes, part);
    if (!status.ok()) return status;
    status = TakePage(buffer, part);
    if (absl::IsInvalidArgument(status)) return WrongAt(at, std::string(status.message()));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// How many chunks there are; of each its size, what that was before, and its bytes.
absl::Status TraceDat::TakePackedBuffer(
    const Buffer& buffer, const std::function<absl::Status(uint64_t bytes)>& progress) {
  constexpr uint64_t kCountBytes = 4;
  constexpr uint64_t kChunkHeadBytes = 8;
  std::span<const uint8_t> part;
  if (absl::Status status = file_.View(buffer.offset, kCountBytes, part); !status.ok())
    return status;
  uint32_t chunks = 0;
  ByteCursor(part).Take(chunks);
  uint64_t at = buffer.offset + kCountBytes;
  for (; chunks > 0; --chunks) {
    absl::Status status = progress(at);
    if (status.ok()) status = file_.View(at, kChunkHeadBytes, part);
    if (!status.ok()) return status;
    ByteCursor head(part);
    uint32_t packed_bytes = 0;
    uint32_t bytes = 0;
    head.Take(packed_bytes);
    head.Take(bytes);
    if (bytes > FileWindow::kMaxPartBytes) return WrongAt(at, "a chunk of strange size");
    if (status = file_.View(at + kChunkHeadBytes, packed_bytes, part); !status.ok()) return status;
    status = Unpack(packed_by_, part, bytes, unpacked_);
    if (status.ok() && unpacked_.size() != bytes)
      status = absl::InvalidArgumentError("a chunk holds less than it says");
    if (status.ok()) status = TakePages(buffer, unpacked_);
    if (absl::IsInvalidArgument(status)) return WrongAt(at, std::string(status.message()));
    if (!status.ok()) return status;
    at += kChunkHeadBytes + packed_bytes;
  }
  return absl::OkStatus();
}

absl::Status TraceDat::TakePages(const Buffer& buffer, std::span<const uint8_t> pages) {
  for (; pages.size() >= buffer.page_bytes; pages = pages.subspan(buffer.page_bytes)) {
    absl::Status status = TakePage(buffer, pages.first(buffer.page_bytes));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The description has no size of its own: it is tried with more and more of the file.
absl::Status TraceDat::ReadVersion6(pb::Session& session) {
  constexpr uint64_t kFirstBytes = 1u << 20;
  const uint64_t most = std::min(file_.file_bytes(), FileWindow::kMaxPartBytes);
  for (uint64_t size = std::min(kFirstBytes, most);; size = std::min(size * 4, most)) {
    std::span<const uint8_t> part;
    if (absl::Status status = file_.View(0, size, part); !status.ok()) return status;
    ByteCursor bytes(part);
    buffers_.clear();
    absl::Status status = ReadTracingData(bytes, raw_, data_);
    if (status.ok()) status = ReadBuffers6(bytes, session);
    if (status.ok() || !absl::IsInvalidArgument(status)) return status;
    if (size == most) return WrongAt(size - bytes.left(), std::string(status.message()));
  }
}

absl::Status TraceDat::ReadBuffers6(ByteCursor& bytes, pb::Session& session) {
  constexpr size_t kWordBytes = 10;
  uint32_t cpus = 0;
  std::string_view word;
  if (!bytes.Take(cpus) || !bytes.TakeText(kWordBytes, word)) return DatIsCut();
  if (word.starts_with("options")) {
    for (uint16_t option = 0;;) {
      uint32_t size = 0;
      std::span<const uint8_t> data;
      if (!bytes.Take(option)) return DatIsCut();
      if (option == kDoneOption) break;
      if (!bytes.Take(size) || !bytes.TakeBytes(size, data)) return DatIsCut();
      // Buffers of further instances have no list of CPUs here: the first has them all.
      if (option == kBufferOption) continue;
      if (absl::Status status = TakeOption(option, data, session); !status.ok()) return status;
    }
    if (!bytes.TakeText(kWordBytes, word)) return DatIsCut();
  }
  if (word.starts_with("latency"))
    return absl::InvalidArgumentError("holds text; import it as ftrace (trace-cmd report)");
  if (!word.starts_with("flyrecord")) return absl::InvalidArgumentError("no table of buffers");
  if (cpus > KernelTranslator::kMaxKernelCpu + 1u)
    return absl::InvalidArgumentError(fmt::format("tells of {} CPUs", cpus));
  for (uint32_t cpu = 0; cpu < cpus; ++cpu) {
    Buffer buffer{.cpu = static_cast<uint16_t>(cpu), .page_bytes = data_.page_bytes};
    if (!bytes.Take(buffer.offset) || !bytes.Take(buffer.size)) return DatIsCut();
    if (absl::Status status = AddBuffer(buffer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status TraceDat::AddBuffer(Buffer buffer) {
  if (buffer.size == 0) return absl::OkStatus();
  if (buffer.page_bytes < kLeastPageBytes || buffer.page_bytes > kMostPageBytes ||
      !std::has_single_bit(buffer.page_bytes))
    return absl::InvalidArgumentError(fmt::format("has pages of {} bytes", buffer.page_bytes));
  if (buffer.offset > file_.file_bytes() || buffer.size > file_.file_bytes() - buffer.offset)
    return absl::InvalidArgumentError(fmt::format("the events of CPU {} are cut", buffer.cpu));
  if (buffers_.size() >= kMaxBuffers) return absl::InvalidArgumentError("has too many buffers");
  buffers_.push_back(buffer);
  return absl::OkStatus();
}

absl::Status TraceDat::TakeOption(uint16_t option, std::span<const uint8_t> data,
                                  pb::Session& session) {
  const std::string_view text = ZeroEnded(data);
  if (option == kUnameOption) TakeUname(text, session);
  if (option == kTextBufferOption)
    return absl::InvalidArgumentError("holds text; import it as ftrace (trace-cmd report)");
  if (option != kClockOption) return absl::OkStatus();
  // The chosen one stands in brackets: "[local] global counter …".
  const size_t open = text.find('[');
  if (open == text.npos) return absl::OkStatus();
  return CheckClock(text.substr(open + 1, text.find(']', open) - open - 1));
}

absl::Status TraceDat::ReadVersion7(ByteCursor bytes, pb::Session& session) {
  uint8_t big_endian = 0;
  uint8_t long_bytes = 0;
  std::string_view algorithm;
  std::string_view version;
  uint64_t options_at = 0;
  if (!bytes.Take(big_endian) || !bytes.Take(long_bytes) || !bytes.Take(data_.page_bytes) ||
      !bytes.TakeZeroEnded(algorithm) || !bytes.TakeZeroEnded(version) || !bytes.Take(options_at))
    return WrongAt(0, "the file's head is cut");
  if (big_endian != 0) return WrongAt(0, "was written on a machine with another order of bytes");
  data_.is_long_64 = long_bytes == 8;
  if (algorithm == "zlib") packed_by_ = PackedBy::kZlib;
  if (algorithm == "zstd") packed_by_ = PackedBy::kZstd;
  if (algorithm != "none" && packed_by_ == PackedBy::kNothing)
    return WrongAt(0, fmt::format("is compressed by {}, which is not known; convert it (trace-cmd "
                                  "convert --compression none)",
                                  Quoted(algorithm)));
  for (int section = 0; options_at != 0; ++section) {
    if (section >= kMaxOptionSections) return WrongAt(options_at, "has too many options");
    const uint64_t at = options_at;
    absl::Status status = ReadOptions7(at, options_at, session);
    if (absl::IsInvalidArgument(status) && !std::string(status.message()).starts_with("byte "))
      return WrongAt(at, std::string(status.message()));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// What is behind a section's header. Valid until the next view of the file or of a section.
absl::Status TraceDat::ViewSection7(uint64_t offset, std::span<const uint8_t>& part) {
  if (absl::Status status = file_.View(offset, kSectionHeaderBytes, part); !status.ok())
    return status;
  ByteCursor header(part);
  uint16_t flags = 0;
  uint64_t size = 0;
  header.Skip(2);
  header.Take(flags);
  header.Skip(4);
  header.Take(size);
  absl::Status status = file_.View(offset + kSectionHeaderBytes, size, part);
  if (!status.ok() || (flags & kPackedFlag) == 0) return status;
  ByteCursor bytes(part);
  uint32_t packed_bytes = 0;
  uint32_t plain_bytes = 0;
  std::span<const uint8_t> packed;
  if (!bytes.Take(packed_bytes) || !bytes.Take(plain_bytes) ||
      !bytes.TakeBytes(packed_bytes, packed) || plain_bytes > FileWindow::kMaxPartBytes)
    return WrongAt(offset, "a compressed section is cut");
  status = Unpack(packed_by_, packed, plain_bytes, unpacked_);
  if (absl::IsInvalidArgument(status)) return WrongAt(offset, std::string(status.message()));
  part = unpacked_;
  return status;
}

absl::Status TraceDat::ReadOptions7(uint64_t offset, uint64_t& next, pb::Session& session) {
  std::span<const uint8_t> part;
  if (absl::Status status = ViewSection7(offset, part); !status.ok()) return status;
  const std::vector<uint8_t> section(part.begin(), part.end());  // the window moves on
  ByteCursor bytes(section);
  for (;;) {
    uint16_t option = 0;
    uint32_t option_bytes = 0;
    std::span<const uint8_t> data;
    if (!bytes.Take(option) || !bytes.Take(option_bytes) || !bytes.TakeBytes(option_bytes, data))
      return absl::InvalidArgumentError("options are cut");
    ByteCursor value(data);
    uint64_t at = 0;
    absl::Status status;
    if (option == kDoneOption) {
      if (!value.Take(next)) return absl::InvalidArgumentError("options are cut");
      return absl::OkStatus();
    }
    if (option == kFtraceFormatsOption || option == kEventFormatsOption) {
      if (!value.Take(at)) return absl::InvalidArgumentError("options are cut");
      status = ReadFormats7(option, at);
    } else if (option == kBufferOption) {
      status = TakeBuffer7(value);
    } else {
      status = TakeOption(option, data, session);
    }
    if (!status.ok()) return status;
  }
}

absl::Status TraceDat::ReadFormats7(uint16_t option, uint64_t offset) {
  std::span<const uint8_t> part;
  if (absl::Status status = ViewSection7(offset, part); !status.ok()) return status;
  ByteCursor bytes(part);
  return option == kFtraceFormatsOption ? ReadFormatList(bytes, raw_)
                                        : ReadSystemFormats(bytes, raw_);
}

absl::Status TraceDat::TakeBuffer7(ByteCursor bytes) {
  uint64_t offset = 0;
  std::string_view instance;
  std::string_view clock;
  uint32_t page_bytes = 0;
  uint32_t cpus = 0;
  if (!bytes.Take(offset) || !bytes.TakeZeroEnded(instance) || !bytes.TakeZeroEnded(clock) ||
      !bytes.Take(page_bytes) || !bytes.Take(cpus))
    return absl::InvalidArgumentError("a buffer's description is cut");
  if (absl::Status status = CheckClock(clock); !status.ok()) return status;
  // The buffer's own section tells whether it is compressed.
  std::span<const uint8_t> section;
  uint16_t flags = 0;
  if (packed_by_ != PackedBy::kNothing) {
    if (absl::Status status = file_.View(offset, kSectionHeaderBytes, section); !status.ok())
      return status;
    ByteCursor header(section);
    header.Skip(2);
    header.Take(flags);
  }
  for (uint32_t i = 0; i < cpus; ++i) {
    uint32_t cpu = 0;
    Buffer buffer{.page_bytes = page_bytes, .packed = (flags & kPackedFlag) != 0};
    if (!bytes.Take(cpu) || !bytes.Take(buffer.offset) || !bytes.Take(buffer.size))
      return absl::InvalidArgumentError("a buffer's description is cut");
    buffer.cpu = static_cast<uint16_t>(std::min<uint32_t>(cpu, UINT16_MAX));
    if (absl::Status status = AddBuffer(buffer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status TraceDat::TakePage(const Buffer& buffer, std::span<const uint8_t> bytes) {
  ByteCursor cursor(bytes);
  uint64_t time_ns = 0;
  uint64_t commit = 0;
  cursor.Take(time_ns);
  if (data_.is_long_64) {
    cursor.Take(commit);
  } else {
    uint32_t short_commit = 0;
    cursor.Take(short_commit);
    commit = short_commit;
  }
  const uint64_t size = commit & Page::kSizeMask;
  std::span<const uint8_t> records;
  if (!cursor.TakeBytes(size, records))
    return absl::InvalidArgumentError(fmt::format("a page holds {} bytes", size));
  if ((commit & Page::kMissed) != 0) {
    uint64_t count = 0;
    if ((commit & Page::kMissedStored) != 0) cursor.Take(count);
    absl::Status status =
        sink_({.time_ns = time_ns,
               .count = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)),
               .cpu = buffer.cpu,
               .kind = KernelEventKind::kLost});
    if (!status.ok()) return status;
  }
  return TakeRecords(buffer, time_ns, ByteCursor(records));
}

// A record's first word has its kind or length, and the time since the one before. Each turn takes
// at least that word, so it ends.
absl::Status TraceDat::TakeRecords(const Buffer& buffer, uint64_t time_ns, ByteCursor bytes) {
  constexpr uint32_t kPadding = 29;
  constexpr uint32_t kTimeExtend = 30;
  constexpr uint32_t kTimeStamp = 31;
  constexpr int kDeltaBits = 27;
  constexpr uint64_t kStampMask = (uint64_t{1} << 59) - 1;
  uint32_t word = 0;
  while (bytes.Take(word)) {
    const uint32_t type = word & 31;
    const uint64_t delta_ns = word >> 5;
    uint32_t more = 0;
    std::span<const uint8_t> record;
    if (type == kPadding && delta_ns == 0) return absl::OkStatus();
    if (type == 0 || type >= kPadding) {
      if (!bytes.Take(more)) return absl::InvalidArgumentError("a record is cut");
    }
    if (type == kTimeStamp) {
      time_ns = (time_ns & ~kStampMask) | (uint64_t{more} << kDeltaBits) | delta_ns;
      continue;
    }
    time_ns += delta_ns;
    if (type == kTimeExtend) {
      time_ns += uint64_t{more} << kDeltaBits;
      continue;
    }
    // The length of padding, and of long records, counts its own word.
    uint64_t size = uint64_t{type} * 4;
    if (type == 0 || type == kPadding) size = more < 4 ? 0 : more - 4;
    if (!bytes.TakeBytes(size, record) || !bytes.Skip((4 - size % 4) % 4))
      return absl::InvalidArgumentError("a record is cut");
    if (type == kPadding) continue;
    KernelEvent event{.time_ns = time_ns, .cpu = buffer.cpu};
    bool known = false;
    if (absl::Status status = raw_.Decode(record, event, known); !status.ok()) return status;
    if (!known) continue;
    if (absl::Status status = sink_(event); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace gordian
