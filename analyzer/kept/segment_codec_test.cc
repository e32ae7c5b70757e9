// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/segment_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <vector>

namespace gordian {
namespace {

using Pieces = std::vector<std::vector<ThreadSegment>>;

ThreadSegment AnySegment() {
  ThreadSegment segment;
  segment.start_ns = *rc::gen::element<uint64_t>(0, 1, 127, 128, 5'000'000, UINT64_MAX);
  if (*rc::gen::inRange(0, 2) > 0) segment.start_ns = *rc::gen::arbitrary<uint64_t>();
  segment.waker = *rc::gen::element<EntityId>(EntityId{kNobody}, 0u, 1u, 127u, 300u, kNobody - 1);
  segment.state = *rc::gen::inRange(0, 2) > 0 ? *rc::gen::arbitrary<uint16_t>() : uint16_t{1};
  segment.kind = static_cast<SegmentKind>(*rc::gen::inRange(0, 5));
  segment.cause = static_cast<WaitCause>(*rc::gen::inRange(0, 16));
  segment.open_start = *rc::gen::inRange(0, 2) > 0;
  segment.open_end = *rc::gen::inRange(0, 2) > 0;
  return segment;
}

Pieces AnyPieces() {
  Pieces pieces(*rc::gen::inRange<size_t>(0, 5));
  for (std::vector<ThreadSegment>& piece : pieces) {
    piece.resize(*rc::gen::inRange<size_t>(1, 300));
    for (ThreadSegment& segment : piece) segment = AnySegment();
  }
  return pieces;
}

std::vector<std::byte> Encoded(const Pieces& pieces) {
  std::vector<std::span<const ThreadSegment>> spans(pieces.begin(), pieces.end());
  std::vector<std::byte> bytes;
  EncodeSegments(spans, bytes);
  return bytes;
}

// Pieces of the same lengths, in which only the first starts are known.
Pieces Empty(const Pieces& pieces) {
  Pieces empty;
  for (const std::vector<ThreadSegment>& piece : pieces) {
    empty.emplace_back(piece.size());
    empty.back().front().start_ns = piece.front().start_ns;
  }
  return empty;
}

bool Decode(std::span<const std::byte> bytes, Pieces& pieces) {
  std::vector<std::span<ThreadSegment>> spans(pieces.begin(), pieces.end());
  return DecodeSegments(bytes, spans);
}

bool AreEqual(const ThreadSegment& a, const ThreadSegment& b) {
  return a.start_ns == b.start_ns && a.waker == b.waker && a.state == b.state && a.kind == b.kind &&
         a.cause == b.cause && a.open_start == b.open_start && a.open_end == b.open_end;
}

RC_GTEST_PROP(SegmentCodec, GivesBackAnySegments, ()) {
  const Pieces pieces = AnyPieces();
  Pieces decoded = Empty(pieces);
  RC_ASSERT(Decode(Encoded(pieces), decoded));
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t k = 0; k < pieces[i].size(); ++k) RC_ASSERT(AreEqual(pieces[i][k], decoded[i][k]));
  }
}

RC_GTEST_PROP(SegmentCodec, RefusesWhatIsCutOrTooLong, ()) {
  const Pieces pieces = AnyPieces();
  std::vector<std::byte> bytes = Encoded(pieces);
  Pieces decoded = Empty(pieces);
  bytes.push_back(std::byte{0});
  RC_ASSERT(!Decode(bytes, decoded));
  bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size() - 1));
  RC_ASSERT(!Decode(bytes, decoded));
}

// Whatever they are, the decoder stays within them.
RC_GTEST_PROP(SegmentCodec, ReadsAnyBytesWithoutHarm, ()) {
  const Pieces pieces = AnyPieces();
  std::vector<std::byte> bytes = Encoded(pieces);
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes && !bytes.empty(); ++i)
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::arbitrary<uint8_t>());
  Pieces decoded = Empty(pieces);
  Decode(bytes, decoded);
}

ThreadSegment Segment(uint64_t start_ns, SegmentKind kind, uint16_t state, EntityId waker) {
  ThreadSegment segment;
  segment.start_ns = start_ns;
  segment.kind = kind;
  segment.state = state;
  segment.waker = waker;
  return segment;
}

// A cycle of a thread: it waits, is ready, runs.
TEST(SegmentCodec, TakesFewBytes) {
  Pieces pieces(1);
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint64_t start_ns = i * 50'000;
    pieces[0].push_back(Segment(start_ns, SegmentKind::kWait, 1, 17));
    pieces[0].push_back(Segment(start_ns + 30'000, SegmentKind::kRunnable, 0, kNobody));
    pieces[0].push_back(Segment(start_ns + 32'000, SegmentKind::kRun, 3, kNobody));
  }
  EXPECT_LE(Encoded(pieces).size(), 3000u * 5);
}

}  // namespace
}  // namespace gordian
