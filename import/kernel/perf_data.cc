// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/perf_data.h"

#include <linux/perf_event.h>

#include <string>

#include "fmt/format.h"
#include "import/kernel/byte_cursor.h"
#include "import/kernel/kernel_translator.h"
#include "import/kernel/perf_code.h"
#include "import/kernel/tracing_data.h"
#include "trace/counters.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// perf's own records, beside the kernel's.
constexpr uint32_t kAuxtrace = 71;
constexpr uint32_t kCompressed = 81;
constexpr uint32_t kCompressed2 = 83;
constexpr uint64_t kRecordHeaderBytes = 8;
constexpr uint64_t kFileHeaderBytes = 104;
constexpr size_t kMaxEventIds = 1u << 20;

// Of other events a stack tells nothing that a report shows.
bool HasStack(KernelEventKind kind) {
  return kind == KernelEventKind::kSwitch || kind == KernelEventKind::kSample ||
         kind == KernelEventKind::kWaking || kind == KernelEventKind::kWakeup ||
         kind == KernelEventKind::kWakeupNew;
}

enum PerfFeature : uint8_t {
  kTracingDataFeature = 1,
  kBuildIdFeature = 2,
  kHostnameFeature = 3,
  kReleaseFeature = 4,
  kArchitectureFeature = 6,
  kCpusFeature = 7,
};

}  // namespace

absl::Status PerfData::ReadHeader() {
  std::span<const uint8_t> part;
  if (absl::Status status = file_.View(0, 16, part); !status.ok()) return status;
  ByteCursor bytes(part);
  std::string_view magic;
  uint64_t header_bytes = 0;
  bytes.TakeText(8, magic);
  bytes.Take(header_bytes);
  if (magic == "2ELIFREP")
    return WrongAt(0, "was written on a machine with another order of bytes");
  if (magic != "PERFILE2") return WrongAt(0, "this is no perf.data");
  if (header_bytes == 16)
    return WrongAt(8, "was written into a pipe; record into a file (perf record -o FILE)");
  if (header_bytes < kFileHeaderBytes) return WrongAt(8, "the header is too short");
  if (absl::Status status = file_.View(16, kFileHeaderBytes - 16, part); !status.ok())
    return status;
  bytes = ByteCursor(part);
  uint64_t entry_bytes = 0;
  Section attributes;
  Section event_types;
  feature_bits_.resize(4);
  for (uint64_t* value : {&entry_bytes, &attributes.offset, &attributes.size, &data_.offset,
                          &data_.size, &event_types.offset, &event_types.size, &feature_bits_[0],
                          &feature_bits_[1], &feature_bits_[2], &feature_bits_[3]})
    bytes.Take(*value);
  if (data_.size == 0)
    return WrongAt(48, "holds no events: perf did not end by itself, or recorded nothing");
  if (data_.offset > file_.file_bytes() || data_.size > file_.file_bytes() - data_.offset)
    return WrongAt(40, "the events are cut");
  return ReadAttributes(attributes, entry_bytes);
}

absl::Status PerfData::ReadAttributes(Section section, uint64_t entry_bytes) {
  constexpr uint64_t kLeastEntryBytes = PERF_ATTR_SIZE_VER0 + sizeof(Section);
  if (entry_bytes < kLeastEntryBytes || section.size % entry_bytes != 0)
    return WrongAt(16, "the table of events has entries of a strange size");
  std::span<const uint8_t> part;
  if (absl::Status status = file_.View(section.offset, section.size, part); !status.ok())
    return status;
  const std::vector<uint8_t> table(part.begin(), part.end());  // the window moves on
  for (uint64_t at = 0; at < table.size(); at += entry_bytes) {
    const auto entry = std::span(table).subspan(at, entry_bytes);
    PerfAttribute attribute = PerfAttribute::Parse(ByteCursor(entry));
    Section ids;
    ByteCursor at_end(entry.last(sizeof(Section)));
    at_end.Take(ids.offset);
    at_end.Take(ids.size);
    constexpr uint64_t kNeeded = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
    if (attribute.tracepoint && (attribute.sample_type & kNeeded) != kNeeded)
      return WrongAt(section.offset + at,
                     "an event lacks times, CPUs or contents; record with -a -T -R");
    // Threads would seem to run, or to wait, until the next switch that was taken by chance.
    if (attribute.tracepoint && !attribute.each)
      return WrongAt(section.offset + at,
                     "of an event only some were taken, as -F asks; record each, with -c 1");
    if (by_id_.size() + ids.size / 8 > kMaxEventIds)
      return WrongAt(section.offset + at, "too many events");
    if (absl::Status status = file_.View(ids.offset, ids.size, part); !status.ok()) return status;
    ByteCursor numbers(part);
    for (uint64_t id = 0; numbers.Take(id);) by_id_.insert_or_assign(id, attributes_.size());
    // Samples at different rates do not add up: the first rate counts.
    if (sample_hz_ == 0) sample_hz_ = attribute.sample_hz;
    if (attribute.sample_hz != sample_hz_) attribute.sample_hz = 0;
    attributes_.push_back(attribute);
  }
  if (attributes_.empty()) return WrongAt(section.offset, "tells no events");
  for (const PerfAttribute& attribute : attributes_) {
    const bool told = (attribute.sample_type & PERF_SAMPLE_IDENTIFIER) != 0;
    if (!told && attribute.sample_type != attributes_.front().sample_type)
      return WrongAt(section.offset, "the events differ, and their records do not tell which");
  }
  return absl::OkStatus();
}

absl::Status PerfData::ReadText(Section section, std::string& text) {
  std::span<const uint8_t> part;
  if (absl::Status status = file_.View(section.offset, section.size, part); !status.ok())
    return status;
  ByteCursor bytes(part);
  uint32_t size = 0;
  std::span<const uint8_t> letters;
  if (!bytes.Take(size) || !bytes.TakeBytes(size, letters))
    return WrongAt(section.offset, "a text is cut");
  text = CleanText(std::string(ZeroEnded(letters)));
  return absl::OkStatus();
}

// A table behind the events has a place for each bit that is set.
absl::Status PerfData::ReadFeatures(pb::Session& session) {
  uint64_t at = data_.offset + data_.size;
  bool described = false;
  for (uint32_t bit = 0; bit < 256; ++bit) {
    if ((feature_bits_[bit / 64] >> (bit % 64) & 1) == 0) continue;
    std::span<const uint8_t> part;
    Section section;
    if (absl::Status status = file_.View(at, sizeof(section), part); !status.ok()) return status;
    ByteCursor entry(part);
    entry.Take(section.offset);
    entry.Take(section.size);
    at += sizeof(section);
    std::string text;
    absl::Status status;
    if (bit == kTracingDataFeature) {
      if (status = file_.View(section.offset, section.size, part); !status.ok()) return status;
      ByteCursor bytes(part);
      TracingData data;
      status = ReadTracingData(bytes, raw_, data);
      if (absl::IsInvalidArgument(status))
        return WrongAt(section.offset + section.size - bytes.left(), std::string(status.message()));
      described = true;
    } else if (bit == kBuildIdFeature) {
      if (status = file_.View(section.offset, section.size, part); !status.ok()) return status;
      if (!TakePerfBuildIds(part, code_.map)) return WrongAt(section.offset, "a build-id is cut");
    } else if (bit == kHostnameFeature) {
      status = ReadText(section, text);
      session.mutable_host()->set_hostname(text);
    } else if (bit == kReleaseFeature) {
      status = ReadText(section, text);
      session.mutable_host()->set_kernel_release(text);
    } else if (bit == kArchitectureFeature) {
      status = ReadText(section, text);
      session.mutable_host()->set_machine(text);
    } else if (bit == kCpusFeature) {
      status = file_.View(section.offset, section.size, part);
      uint32_t available = 0;
      uint32_t online = 0;
      ByteCursor numbers(part);
      if (status.ok() && numbers.Take(available) && numbers.Take(online))
        session.mutable_host()->set_cpus(
            std::min<uint32_t>(online, KernelTranslator::kMaxKernelCpu + 1));
    }
    if (!status.ok()) return status;
  }
  if (described) return absl::OkStatus();
  return WrongAt(72, "holds no description of tracepoints: none was recorded (-e sched:…)");
}

absl::Status PerfData::Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                            pb::Session& session) {
  if (absl::Status status = ReadHeader(); !status.ok()) return status;
  if (absl::Status status = ReadFeatures(session); !status.ok()) return status;
  constexpr uint64_t kProgressBytes = 1u << 20;
  uint64_t next_progress = data_.offset;
  const uint64_t end = data_.offset + data_.size;
  for (uint64_t at = data_.offset; at < end;) {
    if (at >= next_progress) {
      if (absl::Status status = progress(at); !status.ok()) return status;
      next_progress = at + kProgressBytes;
    }
    std::span<const uint8_t> part;
    if (absl::Status status = file_.View(at, kRecordHeaderBytes, part); !status.ok()) return status;
    ByteCursor header(part);
    uint32_t type = 0;
    uint16_t misc = 0;
    uint16_t size = 0;
    header.Take(type);
    header.Take(misc);
    header.Take(size);
    if (size < kRecordHeaderBytes || size > end - at)
      return WrongAt(at, fmt::format("a record of {} bytes", size));
    if (absl::Status status = file_.View(at, size, part); !status.ok()) return status;
    const auto body = part.subspan(kRecordHeaderBytes);
    uint64_t behind = 0;  // bytes that belong to the record, and not to its size
    if (type == kAuxtrace && (!ByteCursor(body).Take(behind) || behind > end - at - size))
      return WrongAt(at, "a record's data is cut");
    const bool packed = type == kCompressed || type == kCompressed2;
    absl::Status status =
        packed ? TakePacked(type == kCompressed2, body) : TakeRecord(type, misc, body);
    if (absl::IsInvalidArgument(status)) return WrongAt(at, std::string(status.message()));
    if (!status.ok()) return status;
    at += size + behind;
  }
  if (!unpacked_.empty()) return WrongAt(end, "the last compressed record is cut");
  const uint64_t unknown = foreign_samples_ + raw_.unknown();
  if (unknown > 0) AddCounter(session, "import_events_unknown", unknown);
  if (code_.stacks.dropped() > 0)
    AddCounter(session, "import_stacks_dropped", code_.stacks.dropped());
  if (code_.map.dropped() > 0) AddCounter(session, "import_mappings_dropped", code_.map.dropped());
  if (code_.stacks.size() > 0) {
    session.mutable_options()->set_stacks("all");
    session.mutable_options()->set_sample_hz(sample_hz_);
  }
  return absl::OkStatus();
}

// All compressed records together are one stream, whose records may be cut anywhere.
absl::Status PerfData::TakePacked(bool has_size, std::span<const uint8_t> body) {
  constexpr size_t kAtOnceBytes = 256u << 10;
  uint64_t size = body.size();
  ByteCursor bytes(body);
  if (has_size && !bytes.Take(size)) return absl::InvalidArgumentError("a record is cut");
  std::span<const uint8_t> packed;
  if (!bytes.TakeBytes(size, packed)) return absl::InvalidArgumentError("a record is cut");
  for (size_t made = kAtOnceBytes; !packed.empty() || made == kAtOnceBytes;) {
    const size_t before = unpacked_.size();
    if (absl::Status status = stream_.Expand(packed, kAtOnceBytes, unpacked_); !status.ok())
      return status;
    made = unpacked_.size() - before;
    if (absl::Status status = TakeUnpacked(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Leaves the beginning of a record that goes on in the next piece: less than 64 KiB.
absl::Status PerfData::TakeUnpacked() {
  const std::span<const uint8_t> all(unpacked_);
  size_t at = 0;
  while (all.size() - at >= kRecordHeaderBytes) {
    ByteCursor header(all.subspan(at));
    uint32_t type = 0;
    uint16_t misc = 0;
    uint16_t size = 0;
    header.Take(type);
    header.Take(misc);
    header.Take(size);
    if (size < kRecordHeaderBytes)
      return absl::InvalidArgumentError(fmt::format("a record of {} bytes", size));
    if (type == kCompressed || type == kCompressed2 || type == kAuxtrace)
      return absl::InvalidArgumentError("a compressed record holds what it cannot");
    if (all.size() - at < size) break;
    absl::Status status =
        TakeRecord(type, misc, all.subspan(at + kRecordHeaderBytes, size - kRecordHeaderBytes));
    if (!status.ok()) return status;
    at += size;
  }
  unpacked_.erase(unpacked_.begin(), unpacked_.begin() + static_cast<ptrdiff_t>(at));
  return absl::OkStatus();
}

absl::Status PerfData::TakeRecord(uint32_t type, uint16_t misc, std::span<const uint8_t> body) {
  uint64_t count = 0;
  ByteCursor bytes(body);
  switch (type) {
    case PERF_RECORD_SAMPLE:
      return TakeSample(body);
    case PERF_RECORD_COMM:
      return TakeComm(misc, body);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
      if (TakePerfMapping(type, misc, body, AtEnd(body).time_ns, code_.map))
        return absl::OkStatus();
      return absl::InvalidArgumentError("a mapping is cut");
    case PERF_RECORD_KSYMBOL:
      if (TakePerfKernelFunction(body, code_.map)) return absl::OkStatus();
      return absl::InvalidArgumentError("a function of the kernel is cut");
    case PERF_RECORD_FORK:
      return TakeForkOrExit(true, body);
    case PERF_RECORD_EXIT:
      return TakeForkOrExit(false, body);
    case PERF_RECORD_LOST:
      if (!bytes.Skip(8) || !bytes.Take(count)) break;
      return TakeLost(count, body);
    case PERF_RECORD_LOST_SAMPLES:
      if (!bytes.Take(count)) break;
      return TakeLost(count, body);
    default:
      return absl::OkStatus();
  }
  return absl::InvalidArgumentError("a record of lost events is too short");
}

absl::Status PerfData::TakeSample(std::span<const uint8_t> body) {
  const PerfAttribute* attribute = &attributes_.front();
  if ((attribute->sample_type & PERF_SAMPLE_IDENTIFIER) != 0) {
    uint64_t id = 0;
    if (!ByteCursor(body).Take(id)) return absl::InvalidArgumentError("a sample is too short");
    const auto found = by_id_.find(id);
    if (found == by_id_.end())
      return absl::InvalidArgumentError(fmt::format("a sample of event {}, which is not told", id));
    attribute = &attributes_[found->second];
  }
  if (!attribute->tracepoint && attribute->sample_hz == 0) {
    ++foreign_samples_;
    return absl::OkStatus();
  }
  PerfSample sample;
  if (!sample.Parse(ByteCursor(body), *attribute))
    return absl::InvalidArgumentError("a sample is too short");
  KernelEvent event{.time_ns = sample.time_ns,
                    .cpu = static_cast<uint16_t>(std::min<uint32_t>(sample.cpu, UINT16_MAX))};
  bool known = true;
  if (attribute->tracepoint) {
    if (absl::Status status = raw_.Decode(sample.raw, event, known); !status.ok()) return status;
  } else {
    event.kind = KernelEventKind::kSample;
    event.tid = std::max(0, sample.tid);  // -1: of a thread that is no more
  }
  if (!known) return absl::OkStatus();
  if (HasStack(event.kind) && !sample.chain.empty()) {
    SplitChain(sample.chain, kernel_frames_, user_frames_);
    event.stack = code_.stacks.Intern(sample.pid, sample.time_ns, kernel_frames_, user_frames_);
  }
  return sink_(event);
}

KernelEvent PerfData::AtEnd(std::span<const uint8_t> body) const {
  const uint64_t type = attributes_.front().sample_type;
  KernelEvent event;
  const uint64_t size = PerfTrailerBytes(type);
  if (body.size() < size) return event;
  ByteCursor bytes(body.last(size));
  uint32_t cpu = 0;
  const auto skip = [&](uint64_t field) {
    if ((type & field) != 0) bytes.Skip(8);
  };
  skip(PERF_SAMPLE_TID);
  if ((type & PERF_SAMPLE_TIME) != 0) bytes.Take(event.time_ns);
  skip(PERF_SAMPLE_ID);
  skip(PERF_SAMPLE_STREAM_ID);
  if ((type & PERF_SAMPLE_CPU) != 0) bytes.Take(cpu);
  event.cpu = static_cast<uint16_t>(std::min<uint32_t>(cpu, UINT16_MAX));
  return event;
}

absl::Status PerfData::TakeComm(uint16_t misc, std::span<const uint8_t> body) {
  KernelEvent event = AtEnd(body);
  event.kind = KernelEventKind::kThread;
  ByteCursor bytes(body);
  if (!bytes.Take(event.other_tid) || !bytes.Take(event.tid))
    return absl::InvalidArgumentError("a thread's name is cut");
  if ((misc & PERF_RECORD_MISC_COMM_EXEC) != 0) code_.map.NoteExec(event.time_ns, event.other_tid);
  event.name = names_.Intern(ZeroEnded(bytes.rest()).substr(0, 16));
  return sink_(event);
}

absl::Status PerfData::TakeForkOrExit(bool fork, std::span<const uint8_t> body) {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  int32_t parent_tid = 0;
  KernelEvent event = AtEnd(body);
  ByteCursor bytes(body);
  if (!bytes.Take(pid) || !bytes.Take(parent_pid) || !bytes.Take(event.tid) ||
      !bytes.Take(parent_tid) || !bytes.Take(event.time_ns))
    return absl::InvalidArgumentError("a thread's birth or end is cut");
  // What perf tells of threads that were alive before it has time 0, and their mappings follow.
  if (fork && event.time_ns != 0) code_.map.NoteFork(event.time_ns, pid, parent_pid);
  KernelEvent fact = event;
  fact.kind = KernelEventKind::kThread;
  fact.other_tid = pid;
  event.kind = fork ? KernelEventKind::kBirth : KernelEventKind::kExit;
  if (fork) {
    event.other_tid = parent_tid;
    if (pid == event.tid) event.value = static_cast<uint32_t>(BirthKind::kProcess);
  }
  if (event.time_ns != 0) {
    if (absl::Status status = sink_(event); !status.ok()) return status;
    if (!fork || pid == event.tid) return absl::OkStatus();
  }
  return sink_(fact);
}

absl::Status PerfData::TakeLost(uint64_t count, std::span<const uint8_t> body) {
  KernelEvent event = AtEnd(body);
  event.kind = KernelEventKind::kLost;
  event.count = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
  return sink_(event);
}

}  // namespace gordian
