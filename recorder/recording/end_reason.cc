// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/recording.h"

namespace gordian {

const char* EndReasonText(EndReason reason) {
  switch (reason) {
    case EndReason::kAsked:
      return "asked";
    case EndReason::kDaemonStopped:
      return "daemon stopped";
    case EndReason::kDuration:
      return "duration";
    case EndReason::kCommandEnded:
      return "command ended";
    case EndReason::kSizeLimit:
      return "size limit";
    case EndReason::kDiskFull:
      return "disk full";
    case EndReason::kError:
      return "error";
  }
  return "unknown";
}

}  // namespace gordian
