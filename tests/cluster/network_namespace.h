// A network of its own for what runs as a node. It has no name: the kernel takes it back when the
// last process in it and the last descriptor of it are gone, however the test ended.
#pragma once

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"

namespace gordian {

class NetworkNamespace {
 public:
  static absl::StatusOr<NetworkNamespace> Make();

  // While it lives, this thread is in the namespace, and so is what it starts and opens.
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
