// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all.
//
// It is written without a name, and gets its name when it is complete. A process that is killed, or
// fails, leaves neither a half-written file nor a leftover beside it. An older file of that name
// stays as it was until then.
// "-" is standard output; a pipe, a terminal or a device is written as it comes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/output.h"

namespace gordian {

class OutputFile {
 public:
  // Fails now rather than after minutes of work if the place cannot be written.
  static absl::StatusOr<OutputFile> Open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  // False once nothing more can be written; Finish tells why.
  bool Write(std::string_view bytes) { return output_.Write(bytes); }
  // Everything is in the file, but not yet under its name.
  absl::Status Finish();
  // After Finish.
  absl::Status Place();

 private:
  OutputFile(std::string path, int fd, bool direct);
  absl::Status LinkAs(const std::string& name) const;

  std::string path_;
  int fd_;
  bool direct_;  // written as it comes
  Output output_;
};

// Finishes all, then places all: if one cannot be written, no file appears.
absl::Status PlaceTogether(std::span<OutputFile> files);

}  // namespace gordian
