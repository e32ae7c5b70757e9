// SPDX-License-Identifier: Apache-2.0
// The half of TimelineJoiner that follows each thread: its waits for packets become waits for the
// packets' senders, and for the link from then on.
#include <algorithm>
#include <tuple>
#include <utility>

#include "base/parallel.h"
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

void TimelineJoiner::BeginThreads() {
  Timeline& own = moved_.timeline;
  movers_.resize(own.thread_count());
  for (EntityId thread = 0; thread < movers_.size(); ++thread) {
    const uint32_t first = deliveries_of_thread_[thread];
    movers_[thread].thread = thread;
    movers_[thread].deliveries =
        deliveries_.subspan(first, deliveries_of_thread_[thread + 1] - first);
    Entity& entity = own.entities_[thread];
    entity.unknown_ns = entity.run_ns = entity.runnable_ns = entity.wait_ns = entity.spin_ns = 0;
  }
}

// All that is left of them.
void TimelineJoiner::MoveThreads() {
  ParallelFor(threads_, movers_.size(), [&](size_t thread, int worker) {
    MovePieces(movers_[thread], harvests_[static_cast<size_t>(worker)],
               moved_.timeline.piece_count_[thread]);
    EndThread(movers_[thread]);
  });
}

void TimelineJoiner::MoveWindows(const UseWindow& use_window) {
  Timeline& own = moved_.timeline;
  if (own.on_demand_ == nullptr) return;
  // The pieces of each window, by number; those of a thread are neighbours.
  struct Row {
    Mover* mover = nullptr;
    uint32_t end_piece = 0;
  };
  std::vector<std::vector<uint32_t>> numbers(own.on_demand_->windows());
  for (uint32_t piece = 0; piece < own.pieces_.size(); ++piece)
    numbers[own.on_demand_->WindowOf(piece)].push_back(piece);
  std::vector<Row> rows;
  std::vector<std::span<const ThreadSegment>> pieces;
  for (size_t window = 0; window < numbers.size(); ++window) {
    own.on_demand_->NeedWindow(window);
    rows.clear();
    for (const uint32_t piece : numbers[window]) {
      const auto behind =
          std::upper_bound(own.first_piece_.begin(), own.first_piece_.end(), piece) - 1;
      Mover* const mover = &movers_[static_cast<size_t>(behind - own.first_piece_.begin())];
      if (rows.empty() || rows.back().mover != mover) rows.push_back({.mover = mover});
      rows.back().end_piece = piece - *behind + 1;
    }
    ParallelFor(threads_, rows.size(), [&](size_t i, int worker) {
      MovePieces(*rows[i].mover, harvests_[static_cast<size_t>(worker)], rows[i].end_piece);
    });
    pieces.clear();
    for (const uint32_t piece : numbers[window])
      pieces.push_back(std::exchange(own.pieces_[piece], {}));
    use_window(numbers[window], pieces);
    for (Harvest& harvest : harvests_) harvest.longer.clear();
  }
  own.on_demand_.reset();
  own.piece_starts_ns_.clear();
}

void TimelineJoiner::EndThread(Mover& mover) {
  Timeline& own = moved_.timeline;
  const EntityId thread = mover.thread;
  MoveEntity(thread);
  Entity& entity = own.entities_[thread];
  if (mover.open) TimeOf(entity, mover.open->kind) += entity.end_ns - mover.open->start_ns;
  own.creators_[thread] = node_.NewId(own.creators_[thread]);
  if (own.exits_[thread] != 0) own.exits_[thread] = clock().ToReference(own.exits_[thread]);
}

void TimelineJoiner::MovePieces(Mover& mover, Harvest& harvest, uint32_t end_piece) {
  Timeline& own = moved_.timeline;
  Entity& entity = own.entities_[mover.thread];
  const size_t first = own.first_piece_[mover.thread];
  const auto begin_of = [&](uint32_t piece) {  // the next piece still has the node's times
    return own.piece_starts_ns_.empty() ? own.pieces_[first + piece].front().start_ns
                                        : own.piece_starts_ns_[first + piece];
  };
  for (; mover.piece < end_piece; ++mover.piece) {
    std::span<ThreadSegment>& piece = own.pieces_[first + mover.piece];
    const bool is_last = mover.piece + 1 == own.piece_count_[mover.thread];
    MovePiece(mover, harvest, piece, is_last ? entity.end_ns : begin_of(mover.piece + 1));
    for (const ThreadSegment& segment : piece) {
      if (mover.open) TimeOf(entity, mover.open->kind) += segment.start_ns - mover.open->start_ns;
      mover.open = segment;
    }
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

void TimelineJoiner::MovePiece(Mover& mover, Harvest& harvest, std::span<ThreadSegment>& piece,
                               uint64_t end_ns) {
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
      harvest.waits.waits++;
      size_t cursor = mover.cursor;
      harvest.waits.wait_ns += clock().ToReference(raw_end_ns, cursor) - segment.start_ns;
      Delivery* const delivery = TakeDeliveryAt(mover, raw_end_ns);
      ThreadSegment link;
      if (delivery == nullptr) {
        ++harvest.waits.without_packet;
      } else if (EndWait(mover, harvest, *delivery, raw_end_ns, segment, link)) {
        inserted.push_back({kept, link});
      }
    }
    piece[kept++] = segment;
  }
  piece = piece.first(kept);
  if (inserted.empty()) return;
  const std::span<ThreadSegment> longer = RoomFor(piece.size() + inserted.size(), harvest);
  size_t filled = 0;
  size_t next = 0;
  for (size_t i = 0; i < piece.size(); ++i) {
    longer[filled++] = piece[i];
    if (next < inserted.size() && inserted[next].behind == i)
      longer[filled++] = inserted[next++].segment;
  }
  piece = longer.first(filled);
}

std::span<ThreadSegment> TimelineJoiner::RoomFor(size_t segments, Harvest& harvest) {
  if (by_window_) return harvest.longer.emplace_back(segments);
  return moved_.timeline.memory_.Make<ThreadSegment>(segments);
}

// The wake that ended a wait, which ends no other one; null if no packet woke it.
TimelineJoiner::Delivery* TimelineJoiner::TakeDeliveryAt(Mover& mover, uint64_t end_ns) {
  std::span<Delivery>& left = mover.deliveries;
  while (!left.empty() && left.front().woken_ns < end_ns) left = left.subspan(1);
  if (left.empty() || left.front().woken_ns != end_ns) return nullptr;
  Delivery* const taken = &left.front();
  left = left.subspan(1);
  return taken;
}

// True if the wait is cut: `link` is then its second part.
bool TimelineJoiner::EndWait(Mover& mover, Harvest& harvest, Delivery& delivery,
                             uint64_t raw_end_ns, ThreadSegment& wait, ThreadSegment& link) {
  MatchedWaits& waits = harvest.waits;
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
      from.time.clock.ToReference(delivery.sent_ns, harvest.sent_cursors[delivery.from_node]),
      std::min(received_ns, woken_ns));
  const EntityId link_entity = links_[delivery.from_node];
  LinkCounts& link_counts = harvest.links[delivery.from_node];
  ++link_counts.messages;
  delivery.is_timed = !delivery.by_last_writer;
  if (delivery.is_timed) ++link_counts.timed;
  delivery.received_ns = received_ns - sent_ns;
  delivery.sent_ns = sent_ns;
  delivery.woken_ns = woken_ns;
  delivery.is_flight = &from != &node_ && sent_ns < woken_ns;
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
  for (const Harvest& harvest : harvests_) moved_.waits += harvest.waits;
  TakeFlights();
  TakeLinks();
  deliveries_ = {};  // each has ended its wait
}

void TimelineJoiner::TakeFlights() {
  Column<MessageFlight>& flights = moved_.timeline.flights_;
  flights = Column<MessageFlight>(notes_);
  for (EntityId thread = 0; thread < movers_.size(); ++thread) {
    const uint32_t first = deliveries_of_thread_[thread];
    for (const Delivery& delivery :
         deliveries_.subspan(first, deliveries_of_thread_[thread + 1] - first)) {
      if (!delivery.is_flight) continue;
      flights.push_back({.receiver = node_.NewId(thread),
                         .sender = plan_.nodes[delivery.from_node].NewId(delivery.sender),
                         .sent_ns = delivery.sent_ns,
                         .received_ns = delivery.woken_ns});
    }
  }
  const auto before = [](const MessageFlight& a, const MessageFlight& b) {
    return std::tuple(a.receiver, a.received_ns, a.sent_ns, a.sender) <
           std::tuple(b.receiver, b.received_ns, b.sent_ns, b.sender);
  };
  // They nearly always are in order.
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
  for (const Delivery& delivery : deliveries_)
    if (delivery.is_timed) transits_ns[filled[delivery.from_node]++] = delivery.received_ns;
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
