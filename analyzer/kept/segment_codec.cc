// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/segment_codec.h"

#include <cstdint>
#include <cstring>

#include "absl/container/flat_hash_map.h"

namespace gordian {
namespace {

constexpr size_t kFormBytes = 4;
constexpr uint8_t kHasWaker = 0x80;

// All of a segment but its start, and whether there is a waker.
uint32_t FormOf(const ThreadSegment& segment) {
  const uint32_t marks =
      static_cast<uint32_t>(segment.cause) | static_cast<uint32_t>(segment.open_start) << 4 |
      static_cast<uint32_t>(segment.open_end) << 5 | (segment.waker != kNobody ? kHasWaker : 0u);
  return segment.state | static_cast<uint32_t>(segment.kind) << 16 | marks << 24;
}

bool HasWaker(uint32_t form) { return (form >> 24 & kHasWaker) != 0; }

ThreadSegment SegmentOf(uint32_t form) {
  const uint32_t marks = form >> 24;
  ThreadSegment segment;
  segment.state = static_cast<uint16_t>(form);
  segment.kind = static_cast<SegmentKind>(form >> 16 & 0xff);
  segment.cause = static_cast<WaitCause>(marks & 0xf);
  segment.open_start = marks >> 4 & 1;
  segment.open_end = marks >> 5 & 1;
  return segment;
}

bool IsForm(uint32_t form) {
  return (form >> 16 & 0xff) <= static_cast<uint32_t>(SegmentKind::kSpin) && (form >> 30 & 1) == 0;
}

void AddNumber(uint64_t number, std::vector<std::byte>& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
  bytes.push_back(static_cast<std::byte>(number));
}

// What is behind the end reads as zero, and is told.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool has_ended_early() const { return has_ended_early_; }
  bool is_at_end() const { return at_ == end_; }

  uint32_t Byte() {
    if (at_ == end_) {
      has_ended_early_ = true;
      return 0;
    }
    return std::to_integer<uint32_t>(*at_++);
  }
  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Byte();
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    has_ended_early_ = true;
    return 0;
  }
  uint32_t Word() {
    uint32_t word = 0;
    for (int shift = 0; shift < 32; shift += 8) word |= Byte() << shift;
    return word;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool has_ended_early_ = false;
};

}  // namespace

void EncodeSegments(std::span<const std::span<const ThreadSegment>> pieces,
                    std::vector<std::byte>& bytes) {
  absl::flat_hash_map<uint32_t, size_t> number_of_form;
  std::vector<uint32_t> forms;
  for (const std::span<const ThreadSegment> piece : pieces) {
    for (const ThreadSegment& segment : piece) {
      const uint32_t form = FormOf(segment);
      if (number_of_form.try_emplace(form, forms.size()).second) forms.push_back(form);
    }
  }
  AddNumber(forms.size(), bytes);
  for (const uint32_t form : forms) {
    for (size_t i = 0; i < kFormBytes; ++i)
      bytes.push_back(static_cast<std::byte>(form >> (8 * i)));
  }
  for (const std::span<const ThreadSegment> piece : pieces) {
    uint64_t before_ns = piece.front().start_ns;
    for (const ThreadSegment& segment : piece) {
      AddNumber(number_of_form.at(FormOf(segment)), bytes);
      AddNumber(segment.start_ns - before_ns, bytes);
      before_ns = segment.start_ns;
      if (segment.waker != kNobody) AddNumber(segment.waker, bytes);
    }
  }
}

bool DecodeSegments(std::span<const std::byte> bytes,
                    std::span<const std::span<ThreadSegment>> pieces) {
  ByteReader reader(bytes);
  const uint64_t count = reader.Number();
  if (count > bytes.size() / kFormBytes) return false;
  std::vector<uint32_t> forms(count);
  for (uint32_t& form : forms) {
    form = reader.Word();
    if (!IsForm(form)) return false;
  }
  for (const std::span<ThreadSegment> piece : pieces) {
    uint64_t start_ns = piece.front().start_ns;
    for (ThreadSegment& segment : piece) {
      const uint64_t number = reader.Number();
      if (number >= forms.size()) return false;
      const uint32_t form = forms[number];
      start_ns += reader.Number();
      segment = SegmentOf(form);
      segment.start_ns = start_ns;
      if (HasWaker(form)) segment.waker = static_cast<EntityId>(reader.Number());
    }
    if (reader.has_ended_early()) return false;
  }
  return !reader.has_ended_early() && reader.is_at_end();
}

}  // namespace gordian
