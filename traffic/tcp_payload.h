// SPDX-License-Identifier: Apache-2.0
// The payload of the packets of one direction of a TCP connection. Records tell a packet's size and
// its first byte's sequence number, but not the size of its header, nor its flags.
//
// The next sequence number tells: if it lies d further, the packet before carried d bytes, if that
// leaves a possible header. So a packet waits for the one after it. Openings and ends count one in
// sequence numbers and carry nothing; as a header's size is a multiple of four, they are told from
// one byte of payload. If no later packet tells it, the header seen last does.
//
// One packet is held; every step ends at once.
#pragma once

#include <cstdint>
#include <optional>

namespace gordian {

struct TcpPacket {
  uint32_t sequence = 0;
  uint32_t tcp_bytes = 0;  // header and payload
  uint32_t ip_bytes = 0;
  // The caller's, handed back with the packet:
  uint32_t span = 0;
  uint32_t process = 0;
  bool begins_message = false;     // if it carries anything
  uint64_t last_payload_turn = 0;  // of its direction, before it
};

struct JudgedPacket {
  TcpPacket packet;
  uint64_t payload_bytes = 0;
  uint64_t unseen_bytes = 0;  // of the last packet: bytes passed over, and never filled in
  bool repeated = false;      // its payload was seen before
};

class TcpPayload {
 public:
  // The packet of which more is known now, the given one or the one before, if any.
  std::optional<JudgedPacket> Add(const TcpPacket& packet);
  // The one that is held.
  std::optional<JudgedPacket> Finish();

  // Whether it begins behind the beginnings of all that were seen.
  bool IsAhead(uint32_t sequence) const;
  // Whether it will be held and carries new bytes, as far as its size tells.
  bool MayBeNews(const TcpPacket& packet) const;
  std::optional<TcpPacket>& held() { return held_; }
  uint32_t header_bytes() const { return exact_header_ != 0 ? exact_header_ : smallest_header_; }
  // Both directions of a connection agree on most options.
  void LearnHeader(uint32_t bytes);

 private:
  enum class Place { kElsewhere, kOlder, kTwin, kNext };
  Place PlaceOf(const TcpPacket& packet) const;
  bool MayCarry(uint32_t tcp_bytes) const { return tcp_bytes > header_bytes(); }
  uint64_t LikelyPayload(const TcpPacket& packet) const;
  int Rank(const TcpPacket& packet) const;
  JudgedPacket JudgeOlder(const TcpPacket& packet);
  JudgedPacket JudgeTwin(const TcpPacket& packet) const;
  JudgedPacket JudgeHeld(uint64_t distance);

  std::optional<TcpPacket> held_;  // the one with the highest sequence number
  uint32_t smallest_header_ = 32;  // timestamps are nearly always on
  uint32_t exact_header_ = 0;      // of the last packet whose payload is certain; 0: none yet
  uint64_t holes_bytes_ = 0;       // passed over, and not filled since
};

}  // namespace gordian
