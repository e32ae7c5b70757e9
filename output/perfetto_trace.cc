// SPDX-License-Identifier: Apache-2.0
#include "output/perfetto_trace.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "output/perfetto.pb.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr uint32_t kSequence = 1;  // all our packets are one sequence
constexpr uint32_t kForgetInterned = 1;
constexpr uint32_t kUsesInterned = 2;
constexpr uint8_t kPacketTag = 0x0a;  // field 1 of Trace, length-delimited

// Tracks of threads and devices, of processes, of the findings and of the path, without a clash. 0
// is taken.
uint64_t TrackUuid(uint32_t track) { return (1ull << 32) + track; }
uint64_t ProcessUuid(int32_t pid) { return (2ull << 32) + static_cast<uint32_t>(pid); }
constexpr uint64_t kFindingsUuid = 3ull << 32;
constexpr uint64_t kPathUuid = 4ull << 32;
constexpr uint64_t kFurtherUuid = 5ull << 32;

}  // namespace

PerfettoTrace::PerfettoTrace(Sink sink) : sink_(std::move(sink)) {
  perfetto::TracePacket packet;
  packet.set_sequence_flags(kForgetInterned);
  Write(packet);
}

void PerfettoTrace::Write(perfetto::TracePacket& packet) {
  packet.set_trusted_packet_sequence_id(kSequence);
  bytes_.clear();
  {
    google::protobuf::io::StringOutputStream stream(&bytes_);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.WriteVarint32(kPacketTag);
    coded.WriteVarint64(packet.ByteSizeLong());
    packet.SerializeToCodedStream(&coded);
  }
  sink_(bytes_);
}

void PerfettoTrace::AddThread(uint32_t track, int32_t tid, int32_t pid, std::string_view name,
                              std::string_view process) {
  if (processes_.insert(pid).second) {
    perfetto::TracePacket packet;
    perfetto::TrackDescriptor* descriptor = packet.mutable_track_descriptor();
    descriptor->set_uuid(ProcessUuid(pid));
    descriptor->mutable_process()->set_pid(pid);
    descriptor->mutable_process()->set_process_name(CleanText(process));
    Write(packet);
  }
  perfetto::TracePacket packet;
  perfetto::TrackDescriptor* descriptor = packet.mutable_track_descriptor();
  descriptor->set_uuid(TrackUuid(track));
  descriptor->set_parent_uuid(ProcessUuid(pid));
  descriptor->mutable_thread()->set_pid(pid);
  descriptor->mutable_thread()->set_tid(tid);
  descriptor->mutable_thread()->set_thread_name(CleanText(name));
  Write(packet);
}

void PerfettoTrace::AddDevice(uint32_t track, std::string_view name) {
  NameTrack(TrackUuid(track), name);
}

void PerfettoTrace::NameTrack(uint64_t track, std::string_view name) {
  perfetto::TracePacket packet;
  packet.mutable_track_descriptor()->set_uuid(track);
  packet.mutable_track_descriptor()->set_name(CleanText(name));
  Write(packet);
}

uint64_t PerfettoTrace::AddGroup(std::string_view name) {
  const uint64_t track = kFurtherUuid + further_tracks_++;
  NameTrack(track, name);
  return track;
}

uint64_t PerfettoTrace::AddTrack(uint64_t group, std::string_view name) {
  const uint64_t track = kFurtherUuid + further_tracks_++;
  perfetto::TracePacket packet;
  packet.mutable_track_descriptor()->set_uuid(track);
  packet.mutable_track_descriptor()->set_parent_uuid(group);
  packet.mutable_track_descriptor()->set_name(CleanText(name));
  Write(packet);
  return track;
}

uint64_t PerfettoTrace::AddCounter(uint64_t group, std::string_view name, std::string_view unit) {
  const uint64_t track = kFurtherUuid + further_tracks_++;
  perfetto::TracePacket packet;
  packet.mutable_track_descriptor()->set_uuid(track);
  packet.mutable_track_descriptor()->set_parent_uuid(group);
  packet.mutable_track_descriptor()->set_name(CleanText(name));
  packet.mutable_track_descriptor()->mutable_counter()->set_unit_name(CleanText(unit));
  Write(packet);
  return track;
}

void PerfettoTrace::AddCount(uint64_t counter, uint64_t time_ns, double value) {
  perfetto::TracePacket packet;
  packet.set_timestamp(time_ns);
  packet.mutable_track_event()->set_type(perfetto::TrackEvent::COUNTER);
  packet.mutable_track_event()->set_track_uuid(counter);
  packet.mutable_track_event()->set_double_counter_value(value);
  Write(packet);
}

uint64_t PerfettoTrace::Intern(std::string_view name) {
  const auto found = name_numbers_.find(name);
  if (found != name_numbers_.end()) return found->second;
  const uint64_t number = name_numbers_.size() + 1;
  name_numbers_.emplace(name, number);
  perfetto::TracePacket packet;
  packet.set_sequence_flags(kUsesInterned);
  perfetto::EventName* event_name = packet.mutable_interned_data()->add_event_names();
  event_name->set_iid(number);
  event_name->set_name(CleanText(name));
  Write(packet);
  return number;
}

void PerfettoTrace::AddState(uint32_t track, uint64_t start_ns, uint64_t end_ns,
                             std::string_view state, uint64_t arrow) {
  AddSlice(TrackUuid(track), start_ns, end_ns, state, arrow);
}

void PerfettoTrace::AddSlice(uint64_t track, uint64_t start_ns, uint64_t end_ns,
                             std::string_view what, uint64_t arrow) {
  const uint64_t name = Intern(what);
  perfetto::TracePacket packet;
  packet.set_timestamp(start_ns);
  packet.set_sequence_flags(kUsesInterned);
  perfetto::TrackEvent* event = packet.mutable_track_event();
  event->set_type(perfetto::TrackEvent::SLICE_BEGIN);
  event->set_track_uuid(track);
  event->set_name_iid(name);
  if (arrow != 0) event->add_terminating_flow_ids(arrow);
  Write(packet);

  packet.set_timestamp(end_ns);
  event->Clear();
  event->set_type(perfetto::TrackEvent::SLICE_END);
  event->set_track_uuid(track);
  Write(packet);
}

uint64_t PerfettoTrace::AddWake(uint32_t waker_track, uint64_t time_ns, std::string_view whom) {
  const uint64_t name = Intern(std::string("wakes ").append(whom));
  perfetto::TracePacket packet;
  packet.set_timestamp(time_ns);
  packet.set_sequence_flags(kUsesInterned);
  perfetto::TrackEvent* event = packet.mutable_track_event();
  event->set_type(perfetto::TrackEvent::INSTANT);
  event->set_track_uuid(TrackUuid(waker_track));
  event->set_name_iid(name);
  event->add_flow_ids(++arrows_);
  Write(packet);
  return arrows_;
}

void PerfettoTrace::AddFindings(const pb::Report& report, uint64_t start_ns, uint64_t end_ns) {
  NameTrack(kFindingsUuid, "Findings");
  // Nested, so that each has a row; the last to begin is the first to end.
  for (const pb::Finding& finding : report.findings()) {
    perfetto::TracePacket packet;
    packet.set_timestamp(start_ns);
    packet.mutable_track_event()->set_type(perfetto::TrackEvent::SLICE_BEGIN);
    packet.mutable_track_event()->set_track_uuid(kFindingsUuid);
    packet.mutable_track_event()->set_name(CleanText(finding.title()));
    Write(packet);
  }
  for (int i = 0; i < report.findings_size(); ++i) {
    perfetto::TracePacket packet;
    packet.set_timestamp(end_ns);
    packet.mutable_track_event()->set_type(perfetto::TrackEvent::SLICE_END);
    packet.mutable_track_event()->set_track_uuid(kFindingsUuid);
    Write(packet);
  }
}

// The states have the names that threads' states have, but running goes without saying.
void PerfettoTrace::AddPath(const pb::PathStretch& stretch, uint64_t start_ns, uint64_t end_ns) {
  if (!std::exchange(has_path_track_, true)) NameTrack(kPathUuid, "Critical path");
  const std::string program = absl::StrCat(stretch.program(), stretch.pid() > 0 ? "/" : "",
                                           stretch.pid() > 0 ? absl::StrCat(stretch.pid()) : "");
  const std::string what =
      stretch.state() == "run" ? program : absl::StrCat(program, ": ", stretch.state());
  AddSlice(kPathUuid, start_ns, end_ns, what, 0);
}

}  // namespace gordian
