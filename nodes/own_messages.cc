// SPDX-License-Identifier: Apache-2.0
#include "nodes/own_messages.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/flows/questions.h"
#include "nodes/messages.h"
#include "nodes/rows_by_thread.h"

namespace gordian {

class OwnMessages {
 public:
  OwnMessages(Timeline& timeline, int threads) : timeline_(timeline) {
    const NodeView view{.timeline = &timeline};
    messages_ = MatchMessages({&view, 1}, threads);
    messages_.EraseIf([](const Message& message) {
      return message.fate != MessageFate::kMatched || message.receiver == kNobody ||
             message.sender == message.receiver;
    });
    // A thread is woken once in a nanosecond; if the records say otherwise, the first counts.
    std::stable_sort(messages_.begin(), messages_.end(), [](const Message& a, const Message& b) {
      return std::tie(a.receiver, a.woken_ns) < std::tie(b.receiver, b.woken_ns);
    });
  }

  uint64_t EndWaits() {
    ForEachThread(std::span<const Message>(messages_), &Message::receiver,
                  [this](EntityId thread, std::span<const Message> messages) {
                    timeline_.ForEachPiece(thread,
                                           [&](std::span<ThreadSegment>& piece, uint64_t end_ns) {
                                             EndWaitsIn(piece, end_ns, messages);
                                           });
                  });
    return ended_;
  }

  // What its flows tell beyond that.
  void NoteQuestions() {
    const FlowTable* const flows = &timeline_.flows_;
    timeline_.questions_ = FindQuestions(timeline_, {&flows, 1});
  }

  void Forget() {
    timeline_.packet_wakes_ = {};
    timeline_.flows_ = {};
  }

 private:
  void EndWaitsIn(std::span<ThreadSegment>& piece, uint64_t end_ns,
                  std::span<const Message>& messages) {
    std::vector<ThreadSegment> longer;  // empty until the first wait is cut
    for (size_t i = 0; i < piece.size(); ++i) {
      ThreadSegment segment = piece[i];
      const uint64_t segment_end_ns = i + 1 < piece.size() ? piece[i + 1].start_ns : end_ns;
      const bool by_packet = segment.kind == SegmentKind::kWait &&
                             segment.cause == WaitCause::kNic && !segment.open_end;
      const Message* message = by_packet ? MessageAt(messages, segment_end_ns) : nullptr;
      const bool cut = message != nullptr && message->sent_ns > segment.start_ns;
      if (cut && longer.empty()) {
        longer.reserve(piece.size() + messages.size());
        longer.assign(piece.begin(), piece.begin() + static_cast<ptrdiff_t>(i));
      }
      if (!cut) {
        if (!longer.empty()) longer.push_back(segment);
        continue;
      }
      ++ended_;
      ThreadSegment delivery = segment;
      segment.waker = message->sender;
      segment.cause = WaitCause::kThread;
      longer.push_back(segment);
      if (message->sent_ns >= segment_end_ns) continue;
      delivery.start_ns = message->sent_ns;
      delivery.open_start = 0;
      longer.push_back(delivery);
    }
    if (longer.empty()) return;
    piece = timeline_.memory_.Make<ThreadSegment>(longer.size());
    std::copy(longer.begin(), longer.end(), piece.begin());
  }

  static const Message* MessageAt(std::span<const Message>& messages, uint64_t end_ns) {
    while (!messages.empty() && messages.front().woken_ns < end_ns) messages = messages.subspan(1);
    const bool found = !messages.empty() && messages.front().woken_ns == end_ns;
    return found ? &messages.front() : nullptr;
  }

  Timeline& timeline_;
  Column<Message> messages_;
  uint64_t ended_ = 0;
};

uint64_t MatchOwnMessages(Timeline& timeline, int threads) {
  OwnMessages own(timeline, threads);
  const uint64_t ended = own.EndWaits();
  own.NoteQuestions();
  own.Forget();
  return ended;
}

}  // namespace gordian
