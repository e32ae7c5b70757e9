// What a scheduler event costs in the codec: time to encode, time to decode, bytes in the file.
// Run: ninja -C build/release codec_benchmark && build/release/bench/codec_benchmark
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "bench/messaging_stream.h"
#include "proto/block_decoder.h"
#include "proto/block_encoder.h"

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

}  // namespace
}  // namespace gordian

BENCHMARK_MAIN();
