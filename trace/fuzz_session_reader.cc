// SPDX-License-Identifier: Apache-2.0
// libFuzzer: with any bytes in a session's files, reading them neither crashes nor takes memory
// without bounds, and the events keep the reader's promises. Run: scripts/fuzz [SECONDS]
//
// The first byte of an input chooses the kind of the rest. Chance would never pass the hash of a
// header and the checksum of a frame, so two of the choices put both around the input.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

#include "trace/block_encoder.h"
#include "trace/column.h"
#include "trace/event_schema.h"
#include "trace/file_io.h"
#include "trace/fuzz_inputs.h"
#include "trace/session_reader.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

void Require(bool is_true) {
  if (!is_true) std::abort();
}

// Every event may be used without checks: Read promises that.
void RequireUsable(const EventBlock& block) {
  Require(!block.names.empty() && block.names[0].empty());
  uint64_t time_before_ns = 0;
  for (const TraceEvent& event : block.events) {
    Require(event.time_ns >= time_before_ns && event.cpu == block.cpu);
    time_before_ns = event.time_ns;
    const void* record = RecordOf(event, block);
    Require(record != nullptr);
    for (const EventField& field : FindSchema(event.kind)->fields) {
      if (!field.is_stored() || !field.member.is_number()) continue;
      const uint64_t number = field.member.get(record);
      Require(!field.IsNameOf(record) || number < block.names.size());
      Require(number >= field.min && number <= field.max);
    }
  }
}

// The events read can be written, and read again with the same number of events.
void RequireRoundTrip(const EventBlock& block) {
  if (block.events.empty()) return;
  static BlockEncoder encoder;  // the same for all inputs: its memory is large
  const auto encoded = encoder.EncodeEvents(block, 0, block.events.size(), BlockKind::kEvents, 0);
  // Names that many events share may be too long once for all of them, but nothing else is wrong
  // with a block.
  if (absl::IsOutOfRange(encoded.status())) return;
  Require(encoded.ok());
  static BlockDecoder decoder;
  EventBlock again;
  Require(
      decoder.DecodeEvents(encoded->header, encoded->bytes.subspan(kBlockHeaderBytes), again).ok());
  Require(again.events.size() == block.events.size() && again.tasks == block.tasks &&
          again.flows == block.flows && again.stacks == block.stacks &&
          again.wait_objects == block.wait_objects);
}

void ReadAll(const std::string& session) {
  const auto reader = SessionReader::Open(session);
  if (!reader.ok()) {
    Require(!reader.status().message().empty());
    return;
  }
  EventBlock block;
  const auto read_stream = [&](const EventStream& stream) {
    for (size_t i = 0; i < stream.blocks().size(); ++i) {
      if (!stream.Read(i, block).ok()) continue;
      RequireUsable(block);
      RequireRoundTrip(block);
    }
  };
  for (const auto& cpu : (*reader)->cpus()) read_stream(*cpu);
  if ((*reader)->tasks() != nullptr) read_stream(*(*reader)->tasks());
  MergedEvents events(**reader);
  while (events.Next()) Require(events.event().cpu == events.block().cpu);
  if (const auto resources = (*reader)->ReadResources(); resources.ok()) {
    for (const pb::ResourceBlock& resource_block : *resources) {
      for (const pb::ResourceSample& sample : resource_block.samples()) {
        Require(sample.resource() < static_cast<uint32_t>(resource_block.resources_size()));
      }
    }
  }
}

// A block with a true header and frame around `message`.
std::string WrapMessage(const std::string& message, BlockHeader header) {
  std::vector<uint8_t> block(kBlockHeaderBytes);
  static FrameCompressor compressor;
  const std::span raw(reinterpret_cast<const uint8_t*>(message.data()), message.size());
  Require(compressor.Compress(raw, block).ok());
  header.raw_bytes = static_cast<uint32_t>(message.size());
  header.payload_bytes = static_cast<uint32_t>(block.size() - kBlockHeaderBytes);
  WriteBlockHeader(header, std::span(block).first<kBlockHeaderBytes>());
  return {block.begin(), block.end()};
}

// The header's counts follow the message, as far as it makes sense, so that decoding gets past
// them.
std::string WrapEvents(const std::string& bytes) {
  BlockHeader header{.kind = BlockKind::kEvents, .first_time_ns = 1'000};
  header.last_time_ns = header.first_time_ns;
  if (pb::EventBlock message; message.ParseFromString(bytes)) {
    header.events = static_cast<uint32_t>(message.kinds().size());
    const ColumnView time_delta_ns(message.time_delta_ns());
    if (time_delta_ns.Holds(header.events)) {
      for (size_t i = 0; i < header.events; ++i) header.last_time_ns += time_delta_ns[i];
    }
  }
  return WrapMessage(bytes, header);
}

std::string WrapResources(const std::string& bytes) {
  BlockHeader header{.kind = BlockKind::kResources, .cpu = kNoCpu};
  if (pb::ResourceBlock message; message.ParseFromString(bytes)) {
    header.events = static_cast<uint32_t>(message.samples_size());
  }
  return WrapMessage(bytes, header);
}

void ReadInput(FuzzInput choice, const std::string& bytes) {
  static const TemporaryDirectory directory;
  const std::string session = directory / std::to_string(static_cast<int>(choice));
  std::filesystem::create_directory(session);
  switch (choice) {
    case FuzzInput::kSegment:
      WriteWholeFile(session + "/cpu-000.trace", bytes);
      break;
    case FuzzInput::kEvents:
      WriteWholeFile(session + "/cpu-000.trace", WrapEvents(bytes));
      break;
    case FuzzInput::kResources:
      WriteWholeFile(session + "/resources.trace", WrapResources(bytes));
      break;
    case FuzzInput::kSession:
      WriteWholeFile(session + "/session.pb", bytes);
      break;
    default:
      return;
  }
  ReadAll(session);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  gordian::ReadInput(gordian::FuzzInput{data[0]},
                     std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  return 0;
}
