// SPDX-License-Identifier: Apache-2.0
// The half of TimelineJoiner that follows each thread: its waits for packets become waits for the
// packets' senders, and for the link from then on.
#include <algorithm>
#include <tuple>
#include <utility>

#include "nodes/timeline_joiner.h"

namespace gordian {

MatchedWaits& MatchedWaits::operator+=(const MatchedWaits& other) {
  waits += other.waits;
  wait_ns += other.wait_ns;
  matched += other.matched;
  matched_ns += other.matched_ns;
  tcp += other.tcp;
  tcp_matched += other.tcp_matched;
  other_matched += other.other_matched;
  other_sure += other.other_sure;
  by_last_writer += other.by_last_writer;
  in_mixed_batches += other.in_mixed_batches;
  by_kernel += other.by_kernel;
  not_sent += other.not_sent;
  outside += other.outside;
  without_packet += other.without_packet;
  return *this;
}

// They are in order of time: a counting sort by thread keeps that.
void TimelineJoiner::ShareOutMessages(std::span<const Message> messages) {
  deliveries_of_thread_.assign(node_.threads + 1, 0);
  for (const Message& message : messages) {
    if (message.receiver != kNobody) ++deliveries_of_thread_[message.receiver];
  }
  uint32_t begin = 0;
  for (uint32_t& count : deliveries_of_thread_) begin += std::exchange(count, begin);
  deliveries_ = notes_.Make<Delivery>(begin);
  for (const Message& message : messages) {
    if (message.receiver == kNobody) continue;
    deliveries_[deliveries_of_thread_[message.receiver]++] = {
        .woken_ns = message.woken_ns,
        .received_ns = message.received_ns,
        .sent_ns = message.sent_ns,
        .sender = message.sender,
        .from_node = static_cast<uint16_t>(message.from_node),
        .fate = message.fate,
        .tcp = message.tcp,
        .by_last_writer = message.by_last_writer,
        .sure = message.sure,
        .in_mixed_batch = message.in_mixed_batch};
  }
  // Each begin has become its end, which is the next one's begin.
  uint32_t end = 0;
  for (uint32_t& place : deliveries_of_thread_) end = std::exchange(place, end);
}

void TimelineJoiner::MoveThread(EntityId thread, Harvest& harvest) {
  Timeline& own = moved_.timeline;
  const uint32_t first = deliveries_of_thread_[thread];
  Mover mover{.thread = thread,
              .harvest = harvest,
              .deliveries = deliveries_.subspan(first, deliveries_of_thread_[thread + 1] - first)};
  const std::span pieces =
      std::span(own.pieces_).subspan(own.first_piece_[thread], own.piece_count_[thread]);
  for (size_t i = 0; i < pieces.size(); ++i) {
    // The next piece still has the node's times.
    const uint64_t end_ns =
        i + 1 < pieces.size() ? pieces[i + 1].front().start_ns : own.entities_[thread].end_ns;
    MovePiece(mover, pieces[i], end_ns);
  }
}

// A wait or a spin that began or ended there is open, as at a pause of its own node.
bool TimelineJoiner::Cut(uint64_t raw_start_ns, uint64_t raw_end_ns, ThreadSegment& segment) const {
  const bool begins_in_cut = node_.time.IsCut(raw_start_ns);
  const bool ends_in_cut = node_.time.IsCut(raw_end_ns);
  if (begins_in_cut && clock().ToReference(raw_end_ns) == segment.start_ns) return false;
  if (segment.kind != SegmentKind::kWait && segment.kind != SegmentKind::kSpin) return true;
  if (begins_in_cut) segment.open_start = 1;
  if (!ends_in_cut) return true;
  segment.open_end = 1;
  segment.waker = kNobody;
  segment.cause = WaitCause::kUnknown;
  return true;
}

void TimelineJoiner::MovePiece(Mover& mover, std::span<ThreadSegment>& piece, uint64_t end_ns) {
  std::vector<Inserted> inserted;
  size_t kept = 0;
  for (size_t i = 0; i < piece.size(); ++i) {
    ThreadSegment segment = piece[i];
    const uint64_t raw_start_ns = segment.start_ns;
    const uint64_t raw_end_ns = i + 1 < piece.size() ? piece[i + 1].start_ns : end_ns;
    segment.start_ns = clock().ToReference(raw_start_ns, mover.cursor);
    segment.waker = node_.NewId(segment.waker);
    if (!node_.time.cuts.empty() && !Cut(raw_start_ns, raw_end_ns, segment)) {
      // No piece is empty: the last stays, without a length.
      if (kept == 0 && i + 1 == piece.size())
        piece[kept++] = ThreadSegment{.start_ns = segment.start_ns};
      continue;
    }
    if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kNic) {
      mover.harvest.waits.waits++;
      size_t cursor = mover.cursor;
      mover.harvest.waits.wait_ns += clock().ToReference(raw_end_ns, cursor) - segment.start_ns;
      const Delivery* delivery = DeliveryAt(mover, raw_end_ns);
      ThreadSegment link;
      if (delivery == nullptr) {
        ++mover.harvest.waits.without_packet;
      } else if (EndWait(mover, *delivery, raw_end_ns, segment, link)) {
        inserted.push_back({kept, link});
      }
    }
    piece[kept++] = segment;
  }
  piece = piece.first(kept);
  if (inserted.empty()) return;
  const std::span<ThreadSegment> longer =
      moved_.timeline.memory_.Make<ThreadSegment>(piece.size() + inserted.size());
  size_t filled = 0;
  size_t next = 0;
  for (size_t i = 0; i < piece.size(); ++i) {
    longer[filled++] = piece[i];
    if (next < inserted.size() && inserted[next].behind == i)
      longer[filled++] = inserted[next++].segment;
  }
  piece = longer.first(filled);
}

// The wake that ended a wait; null if no packet woke it.
const TimelineJoiner::Delivery* TimelineJoiner::DeliveryAt(Mover& mover, uint64_t end_ns) {
  while (!mover.deliveries.empty() && mover.deliveries.front().woken_ns < end_ns) {
    mover.deliveries = mover.deliveries.subspan(1);
  }
  const bool found = !mover.deliveries.empty() && mover.deliveries.front().woken_ns == end_ns;
  return found ? &mover.deliveries.front() : nullptr;
}

// True if the wait is cut: `link` is then its second part.
bool TimelineJoiner::EndWait(Mover& mover, const Delivery& delivery, uint64_t raw_end_ns,
                             ThreadSegment& wait, ThreadSegment& link) {
  MatchedWaits& waits = mover.harvest.waits;
  waits.tcp += delivery.tcp;
  switch (delivery.fate) {
    case MessageFate::kMatched:
      break;
    case MessageFate::kByKernel:
      ++waits.by_kernel;
      return false;
    case MessageFate::kNotSent:
      ++waits.not_sent;
      return false;
    case MessageFate::kOutside:
      ++waits.outside;
      return false;
    case MessageFate::kWithoutPacket:
      ++waits.without_packet;
      return false;
  }
  const PlannedNode& from = plan_.nodes[delivery.from_node];
  if (&from == &node_ && delivery.sender == mover.thread) {
    // Its own packet came back, so the wait was for the network.
    ++waits.by_kernel;
    return false;
  }
  size_t cursor = mover.cursor;
  const uint64_t woken_ns = clock().ToReference(raw_end_ns, cursor);
  ++waits.matched;
  waits.matched_ns += woken_ns - wait.start_ns;
  waits.tcp_matched += delivery.tcp;
  waits.other_matched += !delivery.tcp;
  waits.other_sure += !delivery.tcp && delivery.sure;
  waits.by_last_writer += delivery.by_last_writer;
  waits.in_mixed_batches += delivery.in_mixed_batch;

  const uint64_t received_ns = clock().ToReference(delivery.received_ns, cursor);
  const uint64_t sent_ns = std::min(
      from.time.clock.ToReference(delivery.sent_ns, mover.harvest.sent_cursors[delivery.from_node]),
      std::min(received_ns, woken_ns));
  const EntityId link_entity = links_[delivery.from_node];
  LinkCounts& link_counts = mover.harvest.links[delivery.from_node];
  ++link_counts.messages;
  if (!delivery.by_last_writer) {
    ++link_counts.timed;
    mover.harvest.transits.push_back({received_ns - sent_ns, delivery.from_node});
  }
  if (&from != &node_ && sent_ns < woken_ns) {
    mover.harvest.flights.push_back({.receiver = node_.NewId(mover.thread),
                                     .sender = from.NewId(delivery.sender),
                                     .sent_ns = sent_ns,
                                     .received_ns = woken_ns});
  }
  if (sent_ns <= wait.start_ns) {
    wait.waker = link_entity;
    wait.cause = WaitCause::kLink;
    return false;
  }
  wait.waker = from.NewId(delivery.sender);
  wait.cause = WaitCause::kThread;
  if (sent_ns >= woken_ns) return false;
  link = ThreadSegment{.start_ns = sent_ns,
                       .waker = link_entity,
                       .state = wait.state,
                       .kind = SegmentKind::kWait,
                       .cause = WaitCause::kLink};
  return true;
}

void TimelineJoiner::TakeHarvest() {
  deliveries_ = {};  // each has ended its wait
  for (const Harvest& harvest : harvests_) moved_.waits += harvest.waits;
  TakeFlights();
  TakeLinks();
}

void TimelineJoiner::TakeFlights() {
  Column<MessageFlight>& flights = moved_.timeline.flights_;
  if (harvests_.size() == 1) {
    flights = std::move(harvests_.front().flights);
  } else {
    flights = Column<MessageFlight>(notes_);
    for (Harvest& harvest : harvests_) {
      flights.Append(harvest.flights);
      harvest.flights = {};
    }
  }
  const auto before = [](const MessageFlight& a, const MessageFlight& b) {
    return std::tuple(a.receiver, a.received_ns, a.sent_ns, a.sender) <
           std::tuple(b.receiver, b.received_ns, b.sent_ns, b.sender);
  };
  // Of one worker they nearly always are in order.
  if (!std::is_sorted(flights.begin(), flights.end(), before))
    std::sort(flights.begin(), flights.end(), before);
}

void TimelineJoiner::TakeLinks() {
  std::vector<LinkCounts> counts(plan_.nodes.size());
  size_t all = 0;
  for (const Harvest& harvest : harvests_) {
    for (size_t from = 0; from < counts.size(); ++from) {
      counts[from].messages += harvest.links[from].messages;
      counts[from].timed += harvest.links[from].timed;
      all += harvest.links[from].timed;
    }
  }
  // By sender's node, a counting sort: filled[from] is where its next one goes.
  const std::span<uint64_t> transits_ns = notes_.Make<uint64_t>(all);
  std::vector<size_t> filled;
  size_t begin = 0;
  for (const LinkCounts& count : counts) {
    filled.push_back(begin);
    begin += count.timed;
  }
  for (Harvest& harvest : harvests_) {
    for (const Transit& transit : harvest.transits)
      transits_ns[filled[transit.from_node]++] = transit.ns;
    harvest.transits = {};
  }
  for (uint32_t from = 0; from < counts.size(); ++from) {
    if (counts[from].messages == 0) continue;
    NodeLink link{.from = from,
                  .to = number_,
                  .messages = counts[from].messages,
                  .timed_messages = counts[from].timed};
    if (link.timed_messages != 0) {
      const std::span<uint64_t> own =
          transits_ns.subspan(filled[from] - counts[from].timed, counts[from].timed);
      const auto median = own.begin() + static_cast<ptrdiff_t>(own.size() / 2);
      std::nth_element(own.begin(), median, own.end());
      link.median_ns = *median;
      link.shortest_ns = *std::min_element(own.begin(), median + 1);
      link.longest_ns = *std::max_element(median, own.end());
    }
    moved_.links.push_back(link);
  }
}

}  // namespace gordian
