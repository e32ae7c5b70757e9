// SPDX-License-Identifier: Apache-2.0
// How far a finding can be trusted.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"

namespace gordian {

struct Confidence {
  double value = 1;                 // 0 … 1
  std::vector<std::string> doubts;  // one sentence for each thing that lowers it

  // Takes away a part of the trust.
  void Doubt(double part, std::string sentence);
};

// Doubts about the recording and the members: the same for all kinds.
Confidence SharedDoubts(const Case& it);

// For kinds that rest on their edge to attack.
void DoubtFewWaits(const Case& it, Confidence& confidence);
// For kinds that rest on the threads that wait.
void DoubtIdleWaiters(const Case& it, Confidence& confidence);

}  // namespace gordian
