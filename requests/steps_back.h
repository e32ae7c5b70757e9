// SPDX-License-Identifier: Apache-2.0
// The way back from an answer to its request. Inner to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analyzer/waits/stays.h"
#include "requests/deeds.h"
#include "requests/requests.h"
#include "requests/wait_kinds.h"

namespace gordian {

// What a thread that does this was doing for a request.
RequestStepKind KindOfStay(Stay stay);

// From the first thread to the second.
using HandOver = std::pair<EntityId, EntityId>;
using HandOvers = absl::flat_hash_set<HandOver>;

struct StepsBackInput {
  const Timeline& timeline;
  const WaitKinds& kinds;
  const RequestDeeds& deeds;
  const HandOvers* givers = nullptr;  // threads that hand work to others; null: not known yet
};

class StepsBack {
 public:
  StepsBack(const StepsBackInput& input, RequestStepCounts& counts)
      : input_(input), counts_(counts) {}

  void GoBack(const Request& request);
  // In order of time.
  std::vector<RequestStep> TakeSteps();
  // Whose wakes ended waits that had begun before the request came.
  const std::vector<HandOver>& certain_hand_overs() const { return certain_hand_overs_; }

 private:
  // A wait that is being told by what others did meanwhile.
  struct Within {
    RequestStepKind kind = RequestStepKind::kThread;
    EntityId thread = kNobody;     // who waited
    EntityId waits_for = kNobody;  // for whom
    uint32_t asked = kNoConnection;
  };
  // A request of the thread's own that it slept for.
  struct OwnRequest {
    const Request* asked = nullptr;
    uint64_t sleep_ns = 0;  // when it first slept for it
  };
  // Where the request's own work is.
  struct Place {
    EntityId thread = kNobody;
    uint64_t at_ns = 0;
    uint64_t came_ns = 0;    // when the way back came to this thread
    uint64_t marked_ns = 0;  // the last answer to another request before at_ns; 0: none
    OwnRequest own;          // the last one that was answered before at_ns
    Within later;            // the next wait for events that another thread ended
    uint64_t lower_ns = 0;   // until that answer, or the request's start
    bool slept = false;      // for events, since came_ns
  };

  void GoTo(EntityId thread, uint64_t at_ns);
  // What was known of the thread's deeds is of later times.
  void LookAround();
  OwnRequest LastOwnRequest() const;
  bool IsBehind() const { return place_.marked_ns != 0 && place_.at_ns <= place_.marked_ns; }
  void StepBack();
  bool IsForMessage(EntityId thread, const ThreadSegment& wait) const;
  void TellServer();
  void TellOnCpu(RequestStepKind kind, uint64_t from_ns);
  void TellWait(const StayOfThread& stay, uint64_t from_ns);
  void TellWaitForThread(const StayOfThread& stay, const ThreadSegment& wait, uint64_t from_ns);
  // If that sleep's timer is what the request waited for: since when, as its thread first slept for
  // events with the request at hand then.
  std::optional<uint64_t> WaitedForTimerSince(const StayOfThread& stay) const;
  // Whether the wait was for the answer to a question that the thread had asked for another
  // request.
  bool IsAnswerForOther(const StayOfThread& stay) const;
  void HandOverFrom(EntityId waker, uint64_t woken_ns);
  // The rest of the request's time, from its start on.
  void TellRest(RequestStepKind kind);
  bool IsOfClient(EntityId waker) const;
  WaitKinds::WaitKind KindOfWait(const ThreadSegment& wait);
  // What `thread` and those it waited for did within those times.
  void TellCauses(const Within& within, EntityId thread, uint64_t from_ns, uint64_t until_ns,
                  int depth);
  void Add(const RequestStep& step);

  const StepsBackInput input_;
  RequestStepCounts& counts_;
  Request request_;
  uint64_t floor_ns_ = 0;
  Place place_;
  int depth_ = 0;                   // of requests to servers within each other
  std::vector<RequestStep> steps_;  // backwards
  std::vector<HandOver> certain_hand_overs_;
};

}  // namespace gordian
