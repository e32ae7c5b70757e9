# SPDX-License-Identifier: Apache-2.0
# Writes a source that tells the commit of SOURCE_DIR, only if that has changed: nothing is compiled or linked again
# otherwise. A source without a repository (an archive) tells none.
# -DSOURCE_DIR=… -DOUTPUT=… -P BuildCommit.cmake
find_program(git git)
set(commit "")
if(git)
  execute_process(COMMAND "${git}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "base/build_commit.h"

namespace gordian {
std::string_view BuildCommit() { return "@commit@"; }
}  // namespace gordian
]])
