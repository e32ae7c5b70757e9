// SPDX-License-Identifier: Apache-2.0
// The critical path of a job. It is no matter of vertices: the room path/ finds it, and
// report/job_path_report judges it. So the table has only its names.
#include "analyzer/findings/kinds/kinds.h"

namespace gordian {

KindRow PathKind() {
  return {.kind = FindingKind::kPath,
          .facts = {.name = "path",
                    .in_words = "the critical path",
                    .if_gone = "if this loss were gone",
                    .of_job = true}};
}

}  // namespace gordian
