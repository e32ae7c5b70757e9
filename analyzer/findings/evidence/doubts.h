// How far a finding can be trusted.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"

namespace gordian {

struct Confidence {
  double value = 1;                 // 0 … 1
  std::vector<std::string> doubts;  // one sentence for each thing that lowers it

  // A part of the trust goes.
  void Doubt(double part, std::string sentence);
};

// Of the recording and of what is known of the members: the same for all kinds.
Confidence SharedDoubts(const Case& it);

// For kinds whose edge to attack is what they rest on.
void DoubtFewWaits(const Case& it, Confidence& confidence);
// For kinds that rest on who waits.
void DoubtIdleWaiters(const Case& it, Confidence& confidence);

}  // namespace gordian
