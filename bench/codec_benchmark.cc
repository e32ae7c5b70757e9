// SPDX-License-Identifier: Apache-2.0
// The cost of a scheduler event in the codec: time to encode, time to decode, bytes in the file.
// Run: ninja -C build/release codec_benchmark && build/release/bench/codec_benchmark
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "bench/messaging_stream.h"
#include "trace/block_decoder.h"
#include "trace/block_encoder.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

void Require(bool is_true) {
  if (!is_true) std::abort();
}

EncodedBlock Encode(BlockEncoder& encoder, const EventBlock& block) {
  const auto encoded = encoder.EncodeEvents(block, 0, block.events.size(), BlockKind::kEvents, 0);
  Require(encoded.ok());
  return *encoded;
}

void ReportEvents(benchmark::State& state, const EncodedBlock& encoded) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * encoded.header.events));
  state.counters["bytes_per_event"] =
      static_cast<double>(encoded.bytes.size()) / encoded.header.events;
}

void BM_EncodeMessaging(benchmark::State& state) {
  const EventBlock block = MessagingBlock(static_cast<size_t>(state.range(0)), 1);
  BlockEncoder encoder;
  EncodedBlock encoded = Encode(encoder, block);
  for (auto _ : state) {
    encoded = Encode(encoder, block);
    benchmark::DoNotOptimize(encoded.bytes.data());
  }
  ReportEvents(state, encoded);
}
BENCHMARK(BM_EncodeMessaging)->Arg(1024)->Arg(4096)->Arg(16384)->Arg(65536);

void BM_DecodeMessaging(benchmark::State& state) {
  const EventBlock block = MessagingBlock(static_cast<size_t>(state.range(0)), 1);
  BlockEncoder encoder;
  const EncodedBlock encoded = Encode(encoder, block);
  BlockDecoder decoder;
  EventBlock decoded;
  for (auto _ : state) {
    Require(decoder.DecodeEvents(encoded.header, encoded.bytes.subspan(kBlockHeaderBytes), decoded)
                .ok());
    benchmark::DoNotOptimize(decoded.events.data());
  }
  ReportEvents(state, encoded);
}
BENCHMARK(BM_DecodeMessaging)->Arg(1024)->Arg(4096)->Arg(16384)->Arg(65536);

// Reading a whole session in order of time: files, decoding, merging.
void BM_MergeSession(benchmark::State& state) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "session", {});
  Require(writer.ok());
  constexpr size_t kEventsPerBlock = 16384;
  constexpr uint32_t kBlocks = 64;
  const auto cpus = static_cast<uint32_t>(state.range(0));
  for (uint32_t cpu = 0; cpu < cpus; ++cpu) {
    uint64_t begin_ns = 0;
    for (uint32_t i = 0; i < kBlocks / cpus; ++i) {
      EventBlock block = MessagingBlock(kEventsPerBlock, cpu * kBlocks + i);
      block.cpu = static_cast<uint16_t>(cpu);
      for (TraceEvent& event : block.events) event.time_ns += begin_ns;
      begin_ns = block.events.back().time_ns - block.events.front().time_ns + begin_ns;
      Require((*writer)->AppendEvents(block).ok());
    }
  }
  for (auto _ : state) {
    auto reader = SessionReader::Open(directory / "session");
    Require(reader.ok());
    MergedEvents events(**reader);
    uint64_t times_ns = 0;
    while (events.Next()) times_ns += events.event().time_ns;
    benchmark::DoNotOptimize(times_ns);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kBlocks * kEventsPerBlock));
}
BENCHMARK(BM_MergeSession)->Arg(1)->Arg(2)->Arg(16)->Arg(64);

}  // namespace
}  // namespace gordian

BENCHMARK_MAIN();
