// SPDX-License-Identifier: Apache-2.0
// The file beside probe files that tells processes which begin from now on to record from their
// first word. All recorders share it: each holds a lock on it, and the last one takes it away.
#pragma once

#include <cstdint>

#include "trace/file_io.h"

namespace gordian {

class RecordingMark {
 public:
  // Says "until then" in the directory's mark, unless it says later already. Another user's mark is
  // in the way, as processes would not believe it: it is replaced, if the directory allows that. If
  // this fails (a full file system), processes begin to record when their file is found.
  void Ask(const FileHandle& directory, uint64_t until_ns);

  // Whether no other recorder needs the mark; then it is gone. A user who holds a lock on it can
  // only make it stay, with a time that has passed.
  bool End(const FileHandle& directory);

 private:
  bool IsInPlace(const FileHandle& directory) const;
  void Open(const FileHandle& directory);

  FileHandle file_;
};

}  // namespace gordian
