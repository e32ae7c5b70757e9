// SPDX-License-Identifier: Apache-2.0
// A listening TCP socket.
#pragma once

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "recorder/control/network_address.h"

namespace gordian {

class TcpListener {
 public:
  // The host must be an address of this machine, 0.0.0.0 or ::, not a name. Port 0: any free one.
  static absl::StatusOr<TcpListener> Open(const NetworkAddress& address);

  int number() const { return socket_.number(); }
  const NetworkAddress& address() const { return address_; }  // with the port it really has
  // The next connection, close-on-exec and non-blocking; invalid if there is none just now.
  FileDescriptor Accept() const;

 private:
  TcpListener(NetworkAddress address, FileDescriptor socket)
      : address_(std::move(address)), socket_(std::move(socket)) {}

  NetworkAddress address_;
  FileDescriptor socket_;
};

}  // namespace gordian
