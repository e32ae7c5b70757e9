// SPDX-License-Identifier: Apache-2.0
#include "traffic/tcp_payload.h"

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

constexpr int64_t kSmallestHeader = 20;
constexpr int64_t kLargestHeader = 60;
// A packet further ahead, or behind, is of another connection between the same ports.
constexpr int64_t kFarAhead = int64_t{64} << 20;
constexpr int64_t kFarBehind = int64_t{16} << 20;

int64_t Distance(uint32_t from, uint32_t to) { return static_cast<int32_t>(to - from); }

// An acknowledgement that lists what arrived out of order is larger than others by these, and an
// opening by 8.
bool LooksLikeOptions(uint32_t excess) {
  return excess == 8 || excess == 12 || excess == 20 || excess == 28 || excess == 36;
}

}  // namespace

uint64_t TcpPayload::LikelyPayload(const TcpPacket& packet) const {
  return packet.tcp_bytes - std::min(packet.tcp_bytes, header_bytes());
}

void TcpPayload::LearnHeader(uint32_t bytes) {
  if (bytes >= kSmallestHeader) smallest_header_ = std::min(smallest_header_, bytes);
}

bool TcpPayload::IsAhead(uint32_t sequence) const {
  return !held_.has_value() || Distance(held_->sequence, sequence) > 0;
}

// Of packets at the same sequence number, how sure it is that one carries payload.
int TcpPayload::Rank(const TcpPacket& packet) const {
  if (!MayCarry(packet.tcp_bytes)) return 0;
  return LooksLikeOptions(packet.tcp_bytes - header_bytes()) ? 1 : 2;
}

// One that begins before the held one: late, or again.
JudgedPacket TcpPayload::JudgeOlder(const TcpPacket& packet) {
  const uint64_t payload = LikelyPayload(packet);
  const bool late = holes_bytes_ >= payload;
  if (late) holes_bytes_ -= payload;
  return {.packet = packet, .payload_bytes = payload, .repeated = payload > 0 && !late};
}

// The lesser of two at the same sequence number.
JudgedPacket TcpPayload::JudgeTwin(const TcpPacket& packet) const {
  const bool carries = Rank(packet) == 2;
  return {
      .packet = packet, .payload_bytes = carries ? LikelyPayload(packet) : 0, .repeated = carries};
}

TcpPayload::Place TcpPayload::PlaceOf(const TcpPacket& packet) const {
  if (!held_) return Place::kElsewhere;
  const int64_t distance = Distance(held_->sequence, packet.sequence);
  if (distance > kFarAhead || distance < -kFarBehind) return Place::kElsewhere;
  if (distance == 0) return Place::kTwin;
  const bool within_held = distance > 0 && held_->tcp_bytes - distance > kLargestHeader;
  return distance < 0 || within_held ? Place::kOlder : Place::kNext;
}

bool TcpPayload::MayBeNews(const TcpPacket& packet) const {
  const Place place = PlaceOf(packet);
  if (!MayCarry(packet.tcp_bytes) || place == Place::kOlder) return false;
  return place != Place::kTwin || Rank(packet) > Rank(*held_);
}

// The held one, now that the next one is known to begin `distance` behind it.
JudgedPacket TcpPayload::JudgeHeld(uint64_t distance) {
  const int64_t header = int64_t{held_->tcp_bytes} - static_cast<int64_t>(distance);
  JudgedPacket judged = {.packet = *held_};
  if (header >= kSmallestHeader - 1) {
    const uint32_t opens_or_ends = header % 4 == 3 ? 1 : 0;
    judged.payload_bytes = distance - opens_or_ends;
    if (judged.payload_bytes > 0) exact_header_ = static_cast<uint32_t>(header) + opens_or_ends;
    return judged;
  }
  judged.payload_bytes = std::min(LikelyPayload(*held_), distance);
  holes_bytes_ += distance - judged.payload_bytes;
  return judged;
}

std::optional<JudgedPacket> TcpPayload::Add(const TcpPacket& packet) {
  const Place place = PlaceOf(packet);
  LearnHeader(packet.tcp_bytes);
  std::optional<JudgedPacket> judged;
  switch (place) {
    case Place::kElsewhere:
      judged = Finish();
      held_ = packet;
      return judged;
    case Place::kOlder:
      return JudgeOlder(packet);
    case Place::kTwin: {
      TcpPacket lesser = packet;
      if (std::pair(Rank(packet), packet.tcp_bytes) > std::pair(Rank(*held_), held_->tcp_bytes))
        std::swap(lesser, *held_);
      return JudgeTwin(lesser);
    }
    case Place::kNext:
      judged = JudgeHeld(static_cast<uint64_t>(Distance(held_->sequence, packet.sequence)));
      held_ = packet;
      return judged;
  }
  return judged;
}

std::optional<JudgedPacket> TcpPayload::Finish() {
  if (!held_) return std::nullopt;
  JudgedPacket judged = {
      .packet = *held_, .payload_bytes = LikelyPayload(*held_), .unseen_bytes = holes_bytes_};
  held_.reset();
  holes_bytes_ = 0;
  return judged;
}

}  // namespace gordian
