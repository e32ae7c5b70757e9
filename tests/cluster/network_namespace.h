// SPDX-License-Identifier: Apache-2.0
// A network of its own for a node. It has no name: the kernel takes it back when the last process
// in it and the last descriptor of it are gone, even if the test crashed.
#pragma once

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"

namespace gordian {

class NetworkNamespace {
 public:
  static absl::StatusOr<NetworkNamespace> Make();

  // While it lives, this thread is in the namespace, and so are its children and descriptors.
  class Inside {
   public:
    explicit Inside(const NetworkNamespace& network);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    const FileDescriptor before_;
  };

 private:
  explicit NetworkNamespace(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  FileDescriptor descriptor_;
};

}  // namespace gordian
