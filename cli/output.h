// SPDX-License-Identifier: Apache-2.0
// Standard output for verbs that print a lot: buffered, and content when the reader has seen enough
// (`| head`).
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gordian {

class Output {
 public:
  // `fd` stays the caller's. From here on, writing to a pipe without a reader does not end the
  // process. Errors call it `name`.
  explicit Output(int fd, std::string name = "standard output");

  // False once nothing more can be written: the caller stops producing.
  bool Write(std::string_view text);
  // Writes the buffered rest. A reader that went away is no error; a full disk is.
  absl::Status Finish();
  // Nothing more can be written, as far as is known: after Finish, if the reader went away.
  bool is_closed() const { return closed_; }

 private:
  void WriteOut();

  int fd_;
  std::string name_;
  std::string buffer_;
  bool closed_ = false;
  absl::Status status_;
};

}  // namespace gordian
