// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/kernel_trace_files.h"

#include <linux/perf_event.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

namespace gordian::testing {
namespace {

constexpr uint16_t kSwitchId = 372;
constexpr uint16_t kWakingId = 375;

std::string FormatText(const std::string& name, uint16_t id, const std::string& fields) {
  return "name: " + name + "\nID: " + std::to_string(id) +
         "\nformat:\n"
         "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
         "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
         "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
         "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" +
         fields + "\nprint fmt: \"\"\n";
}

FileBytes RawHead(uint16_t id, uint8_t flags, int32_t current) {
  FileBytes head;
  head.Put(id).Put(flags).Put(uint8_t{0}).Put(current);
  return head;
}

constexpr uint64_t kSampleType = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                 PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
constexpr uint64_t kEventNumber = 40;
constexpr uint64_t kKernelStart = 0xffffffff81000000;
constexpr uint64_t kProgramStart = 0x401000;

std::string PerfRecord(uint32_t type, const std::string& body, uint16_t misc = 0) {
  FileBytes record;
  record.Put(type).Put(misc).Put(static_cast<uint16_t>(body.size() + 8)).Text(body);
  return record.bytes();
}

std::string PerfSample(uint64_t time_ns, uint32_t cpu, int32_t tid, std::string raw) {
  raw.resize((raw.size() + 4 + 7) / 8 * 8 - 4);
  FileBytes sample;
  sample.Put(kEventNumber).Put(tid).Put(tid).Put(time_ns).Put(cpu).Put(uint32_t{0});
  sample.Put(uint64_t{5});  // a stack
  sample.Put(uint64_t{PERF_CONTEXT_KERNEL}).Put(kKernelStart + 0x10).Put(kKernelStart + 0x21);
  sample.Put(uint64_t{PERF_CONTEXT_USER}).Put(kProgramStart + 0x20);
  sample.Put(static_cast<uint32_t>(raw.size())).Text(raw);
  return PerfRecord(PERF_RECORD_SAMPLE, sample.bytes());
}

std::string PerfTrailer(int32_t tid, uint64_t time_ns, uint32_t cpu) {
  FileBytes trailer;
  trailer.Put(tid).Put(tid).Put(time_ns).Put(cpu).Put(uint32_t{0}).Put(kEventNumber);
  return trailer.bytes();
}

// Where the kernel's code lies, and that of thread 7's process.
std::string PerfMappings() {
  FileBytes kernel;
  kernel.Put(int32_t{-1}).Put(int32_t{0}).Put(kKernelStart).Put(uint64_t{0x100000});
  kernel.Put(uint64_t{0}).Text("[kernel.kallsyms]_text", 24).Text(PerfTrailer(0, 0, 0));
  FileBytes program;
  program.Put(int32_t{7}).Put(int32_t{7}).Put(kProgramStart).Put(uint64_t{0x1000});
  program.Put(uint64_t{0x2000}).Text("", 24).Put(uint64_t{0}).Text("/none/worker", 16);
  program.Text(PerfTrailer(7, 0, 0));
  return PerfRecord(PERF_RECORD_MMAP, kernel.bytes(), PERF_RECORD_MISC_KERNEL) +
         PerfRecord(PERF_RECORD_MMAP2, program.bytes(), PERF_RECORD_MISC_USER);
}

std::string PerfRecords() {
  FileBytes comm;
  comm.Put(int32_t{5}).Put(int32_t{7}).Text("worker", 8).Text(PerfTrailer(7, 0, 0));
  FileBytes fork;
  fork.Put(int32_t{9}).Put(int32_t{5}).Put(int32_t{9}).Put(int32_t{7}).Put(uint64_t{1500});
  fork.Text(PerfTrailer(7, 1500, 1));
  FileBytes lost;
  lost.Put(kEventNumber).Put(uint64_t{3}).Text(PerfTrailer(0, 4000, 1));
  return PerfRecord(PERF_RECORD_COMM, comm.bytes()) + PerfMappings() +
         PerfSample(3000, 1, 8, RawSwitch(8, 0x100, 0)) +
         PerfSample(1000, 1, 7, RawWaking(7, 0, 8)) + PerfRecord(PERF_RECORD_FORK, fork.bytes()) +
         PerfSample(2000, 1, 7, RawSwitch(7, 1, 8)) + PerfRecord(PERF_RECORD_LOST, lost.bytes());
}

}  // namespace

std::vector<std::string> EventFormats() {
  const std::string switches =
      FormatText("sched_switch", kSwitchId,
                 "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                 "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                 "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                 "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                 "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
                 "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n");
  const std::string wakings =
      FormatText("sched_waking", kWakingId,
                 "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
                 "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n");
  return {switches, wakings};
}

std::string TracingDescription() {
  FileBytes data;
  data.Text("\x17\x08\x44tracing").Text("0.6", 4).Put(uint8_t{0}).Put(uint8_t{8});
  data.Put(uint32_t{4096}).Text("header_page", 12).Put(uint64_t{1}).Text("x");
  data.Text("header_event", 13).Put(uint64_t{1}).Text("y").Put(uint32_t{0});
  data.Put(uint32_t{1}).Text("sched", 6).Put(uint32_t{2});
  for (const std::string& format : EventFormats())
    data.Put(static_cast<uint64_t>(format.size())).Text(format);
  data.Put(uint32_t{0}).Put(uint32_t{0}).Put(uint64_t{6}).Text("7 old\n");
  return data.bytes();
}

std::string RawSwitch(int32_t prev, uint64_t state, int32_t next) {
  const auto name = [](int32_t tid) {
    return tid == 7 ? "worker" : tid == 8 ? "helper" : "swapper/1";
  };
  FileBytes record = RawHead(kSwitchId, 0, prev);
  record.Text(name(prev), 16).Put(prev).Put(int32_t{120}).Put(state);
  record.Text(name(next), 16).Put(next);
  return record.bytes();
}

std::string RawWaking(int32_t current, uint8_t flags, int32_t wakee) {
  FileBytes record = RawHead(kWakingId, flags, current);
  record.Put(uint32_t{7 << 16 | 16}).Put(wakee).Text("helper", 7);
  return record.bytes();
}

std::string PerfDataOf(const std::string& records) {
  const std::string description = TracingDescription();
  constexpr uint64_t kHeader = 104;
  constexpr uint64_t kAttribute = 64 + 16;
  const uint64_t data_at = kHeader + 8 + kAttribute;
  const uint64_t texts_at = data_at + records.size() + 2 * 16;
  FileBytes file;
  file.Text("PERFILE2").Put(kHeader).Put(kAttribute).Put(kHeader + 8).Put(kAttribute);
  file.Put(data_at).Put(static_cast<uint64_t>(records.size())).Put(uint64_t{0}).Put(uint64_t{0});
  file.Put(uint64_t{1 << 1 | 1 << 3}).Put(uint64_t{0}).Put(uint64_t{0}).Put(uint64_t{0});
  file.Put(kEventNumber);
  file.Put(uint32_t{PERF_TYPE_TRACEPOINT}).Put(uint32_t{64}).Put(uint64_t{kSwitchId});
  file.Put(uint64_t{1}).Put(kSampleType).Put(uint64_t{0}).Put(uint64_t{1} << 18);
  file.Put(uint64_t{0}).Put(uint64_t{0});  // the attribute's rest
  file.Put(kHeader).Put(uint64_t{8});      // where its numbers are
  file.Text(records);
  file.Put(texts_at).Put(static_cast<uint64_t>(description.size()));
  file.Put(texts_at + description.size()).Put(uint64_t{4 + 8});
  file.Text(description).Put(uint32_t{8}).Text("machine", 8);
  return file.bytes();
}

std::string SmallPerfData() { return PerfDataOf(PerfRecords()); }

std::string PackedPerfData(size_t piece_bytes) {
  constexpr uint32_t kCompressed = 81;
  const std::string packed = Packed(PackedBy::kZstd, PerfRecords());
  std::string records;
  for (size_t at = 0; at < packed.size(); at += piece_bytes)
    records += PerfRecord(kCompressed, packed.substr(at, piece_bytes));
  return PerfDataOf(records);
}

std::string Packed(PackedBy by, const std::string& bytes) {
  std::string out(std::max(ZSTD_compressBound(bytes.size()), compressBound(bytes.size())), '\0');
  if (by == PackedBy::kZstd) {
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  } else {
    uLongf size = out.size();
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    out.resize(size);
  }
  return out;
}

// A page of CPU 1 that begins behind 3 lost events.
std::string RingPage() {
  constexpr uint64_t kMissedAndStored = uint64_t{3} << 30;
  const auto word = [](uint32_t type, uint32_t delta_ns) { return type | delta_ns << 5; };
  const std::string waking = RawWaking(7, 0x10, 8);
  const std::string change = RawSwitch(7, 1, 8);
  FileBytes records;
  // A long record, time that goes on, padding, a record whose word has its length, an absolute
  // time.
  records.Put(word(0, 100)).Put(static_cast<uint32_t>((waking.size() + 3) / 4 * 4 + 4));
  records.Text(waking, (waking.size() + 3) / 4 * 4);
  records.Put(word(30, 5)).Put(uint32_t{1});
  records.Put(word(29, 10)).Put(uint32_t{8}).Put(uint32_t{0});
  records.Put(word(static_cast<uint32_t>(change.size() / 4), 20)).Text(change);
  records.Put(word(31, 7)).Put(uint32_t{4});
  const std::string back = RawSwitch(8, 0x100, 0);
  records.Put(word(static_cast<uint32_t>(back.size() / 4), 0)).Text(back);
  FileBytes page;
  page.Put(uint64_t{1000}).Put(records.bytes().size() | kMissedAndStored);
  page.Text(records.bytes()).Put(uint64_t{3});
  return std::string(page.bytes()).append(4096 - page.bytes().size(), '\0');
}

std::string DatSection(uint16_t id, const std::string& bytes, uint16_t flags = 0) {
  FileBytes section;
  section.Put(id).Put(flags).Put(uint32_t{0}).Put(static_cast<uint64_t>(bytes.size()));
  return section.Text(bytes).bytes();
}

std::string SmallTraceDat6() {
  FileBytes head;
  head.Text(TracingDescription());
  head.Put(uint32_t{2}).Text("options  ", 10).Put(uint16_t{4}).Put(uint32_t{8}).Text("[local]", 8);
  head.Put(uint16_t{0}).Text("flyrecord", 10).Put(uint64_t{0}).Put(uint64_t{0});
  const uint64_t page_at = (head.bytes().size() + 16 + 4095) / 4096 * 4096;
  head.Put(page_at).Put(uint64_t{4096});
  return std::string(head.bytes()).append(page_at - head.bytes().size(), '\0') + RingPage();
}

std::string SmallTraceDat7() {
  constexpr uint64_t kPageAt = 4096;
  FileBytes formats;
  formats.Put(uint32_t{1}).Text("sched", 6).Put(uint32_t{2});
  for (const std::string& format : EventFormats())
    formats.Put(static_cast<uint64_t>(format.size())).Text(format);
  const std::string section = DatSection(18, formats.bytes());
  FileBytes head;
  head.Text("\x17\x08\x44tracing").Text("7", 2).Put(uint8_t{0}).Put(uint8_t{8});
  head.Put(uint32_t{4096}).Text("none", 5).Text("", 1);
  const uint64_t formats_at = head.bytes().size() + 8;
  head.Put(formats_at + section.size()).Text(section);
  FileBytes options;
  options.Put(uint16_t{18}).Put(uint32_t{8}).Put(formats_at);
  options.Put(uint16_t{3}).Put(uint32_t{8 + 1 + 6 + 4 + 4 + 20}).Put(kPageAt);
  options.Text("", 1).Text("local", 6).Put(uint32_t{4096}).Put(uint32_t{1});
  options.Put(uint32_t{1}).Put(kPageAt).Put(uint64_t{4096});
  options.Put(uint16_t{0}).Put(uint32_t{8}).Put(uint64_t{0});
  head.Text(DatSection(0, options.bytes()));
  return std::string(head.bytes()).append(kPageAt - head.bytes().size(), '\0') + RingPage();
}

std::string PackedChunk(PackedBy by, const std::string& bytes) {
  const std::string packed = Packed(by, bytes);
  FileBytes chunk;
  chunk.Put(static_cast<uint32_t>(packed.size())).Put(static_cast<uint32_t>(bytes.size()));
  return chunk.Text(packed).bytes();
}

std::string PackedTraceDat(PackedBy by) {
  constexpr uint16_t kPacked = 1;
  constexpr uint64_t kSectionHead = 16;
  const std::string algorithm = by == PackedBy::kZstd ? "zstd" : "zlib";
  FileBytes formats;
  formats.Put(uint32_t{1}).Text("sched", 6).Put(uint32_t{2});
  for (const std::string& format : EventFormats())
    formats.Put(static_cast<uint64_t>(format.size())).Text(format);
  FileBytes pages;
  pages.Put(uint32_t{1}).Text(PackedChunk(by, RingPage()));
  const std::string formats_section = DatSection(18, PackedChunk(by, formats.bytes()), kPacked);
  const std::string buffer_section = DatSection(3, pages.bytes(), kPacked);
  FileBytes head;
  head.Text("\x17\x08\x44tracing").Text("7", 2).Put(uint8_t{0}).Put(uint8_t{8});
  head.Put(uint32_t{4096}).Text(algorithm, 5).Text("1", 2);
  const uint64_t formats_at = head.bytes().size() + 8;
  const uint64_t buffer_at = formats_at + formats_section.size();
  head.Put(buffer_at + buffer_section.size()).Text(formats_section).Text(buffer_section);
  FileBytes options;
  options.Put(uint16_t{18}).Put(uint32_t{8}).Put(formats_at);
  options.Put(uint16_t{3}).Put(uint32_t{8 + 1 + 6 + 4 + 4 + 20}).Put(buffer_at);
  options.Text("", 1).Text("local", 6).Put(uint32_t{4096}).Put(uint32_t{1});
  options.Put(uint32_t{1}).Put(buffer_at + kSectionHead);
  options.Put(static_cast<uint64_t>(pages.bytes().size()));
  options.Put(uint16_t{0}).Put(uint32_t{8}).Put(uint64_t{0});
  return head.Text(DatSection(0, PackedChunk(by, options.bytes()), kPacked)).bytes();
}

std::string SmallTraceDat(int version) {
  return version == 7 ? SmallTraceDat7() : SmallTraceDat6();
}

std::string PerfettoPacket(const ftrace::TracePacket& packet) {
  const std::string bytes = packet.SerializeAsString();
  std::string framed(1, '\x0a');
  size_t length = bytes.size();
  for (; length >= 0x80; length >>= 7) framed += static_cast<char>(length | 0x80);
  framed += static_cast<char>(length);
  return framed + bytes;
}

std::string SmallPerfettoTrace() {
  ftrace::TracePacket first;
  first.set_timestamp(900);
  ftrace::ProcessTree::Thread& thread = *first.mutable_process_tree()->add_threads();
  thread.set_tid(7);
  thread.set_tgid(5);
  ftrace::TracePacket second;
  ftrace::FtraceEventBundle& bundle = *second.mutable_ftrace_events();
  bundle.set_cpu(1);
  bundle.set_lost_events(true);
  ftrace::FtraceEvent& issue = *bundle.add_event();
  issue.set_timestamp(2500);
  issue.set_pid(7);
  issue.mutable_block_rq_issue()->set_dev(8 << 20 | 1);
  issue.mutable_block_rq_issue()->set_sector(640);
  issue.mutable_block_rq_issue()->set_nr_sector(8);
  issue.mutable_block_rq_issue()->set_rwbs("R");
  auto& compact = *bundle.mutable_compact_sched();
  for (const char* name : {"worker", "helper", "swapper"}) compact.add_intern_table(name);
  const auto add_switch = [&](uint64_t after_ns, int64_t state, int32_t next, uint32_t name) {
    compact.add_switch_timestamp(after_ns);
    compact.add_switch_prev_state(state);
    compact.add_switch_next_pid(next);
    compact.add_switch_next_comm_index(name);
  };
  add_switch(1000, 0, 7, 0);
  add_switch(2000, 2, 8, 1);
  add_switch(1000, 0x100, 0, 2);
  compact.add_waking_timestamp(2000);
  compact.add_waking_pid(8);
  compact.add_waking_comm_index(1);
  compact.add_waking_common_flags(1);
  return PerfettoPacket(first) + PerfettoPacket(second);
}

}  // namespace gordian::testing
