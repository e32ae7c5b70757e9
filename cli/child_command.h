// SPDX-License-Identifier: Apache-2.0
// The COMMAND of `gordian record -- COMMAND…`: a process that waits before its exec until the
// recording has begun, so that the recording misses nothing of it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_descriptor.h"

namespace gordian {

class ChildCommand {
 public:
  // Forks. Call before any thread is started. The child gets back the signal mask `mask_of_child`.
  static absl::StatusOr<ChildCommand> Prepare(std::vector<std::string> words,
                                              const sigset_t& mask_of_child);
  ChildCommand(ChildCommand&& other) noexcept;
  ChildCommand& operator=(ChildCommand&&) = delete;
  // A child that was never let go, or still runs, is ended (SIGTERM, and SIGKILL if it does not
  // heed that in 5 s).
  ~ChildCommand();

  pid_t pid() const { return pid_; }
  // Lets it exec. NotFound if there is no such program, PermissionDenied if it cannot be run.
  absl::Status Go();
  // How it ended (a status of waitpid), if it has.
  std::optional<int> Poll();
  // Ends it if it still runs, and waits for that.
  void End();
  // One by one: SIGTERM, or SIGKILL with `at_once`. Nothing if it has ended.
  void AskToEnd(bool at_once);

 private:
  ChildCommand(pid_t pid, FileDescriptor gate, FileDescriptor failure, std::string program);

  pid_t pid_;
  FileDescriptor gate_;     // a byte lets the child go; closing it ends the child
  FileDescriptor failure_;  // the child's errno if its exec failed; closed by a successful exec
  std::string program_;
  std::optional<int> ended_;
};

// As a shell tells it: 128 and the signal's number if one killed it.
int ExitCodeOf(int wait_status);
// "exited with 3", "was killed by SIGSEGV"; empty for a plain success.
std::string DescribeFailure(int wait_status);

}  // namespace gordian
