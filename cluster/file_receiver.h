// SPDX-License-Identifier: Apache-2.0
// One file on its way here: written beside its place, checked as a whole, then put there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "schema/control.pb.h"

namespace gordian {

class FileReceiver {
 public:
  // Whether the file is there already, as large and as old as `wanted` says: it was checked when it
  // came.
  static bool IsThere(const std::string& directory, const pb::SessionFile& wanted);
  // How much of it is there from an earlier attempt.
  static uint64_t PartialBytes(const std::string& directory, const pb::SessionFile& wanted);

  // Goes on with what an earlier attempt left.
  static absl::StatusOr<FileReceiver> Open(const std::string& directory,
                                           const pb::SessionFile& wanted);
  ~FileReceiver();
  FileReceiver(FileReceiver&&) noexcept;
  FileReceiver& operator=(FileReceiver&&) = delete;

  uint64_t received_bytes() const { return received_bytes_; }
  absl::Status Append(std::string_view data);
  // `xxh3_128`: of the whole file, as the node read it. DataLoss, and nothing kept, if the received
  // file's checksum differs.
  absl::Status Place(std::string_view xxh3_128);

 private:
  struct Hash;
  FileReceiver(const std::string& directory, const pb::SessionFile& wanted, FileDescriptor file);
  absl::Status HashWhatIsThere();

  std::string part_path_;
  std::string path_;
  pb::SessionFile wanted_;
  FileDescriptor file_;
  uint64_t received_bytes_ = 0;
  std::unique_ptr<Hash> hash_;
};

}  // namespace gordian
