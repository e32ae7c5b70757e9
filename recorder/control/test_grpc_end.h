// SPDX-License-Identifier: Apache-2.0
// Waits for the threads of gRPC at the end of a test program: what they hold of OpenSSL's memory is
// freed with them, and would look like a leak on a busy machine.
#pragma once

#include <grpc/grpc.h>
#include <gtest/gtest.h>

namespace gordian {

class GrpcEnd : public ::testing::Environment {
 public:
  void TearDown() override {
    grpc_init();
    grpc_shutdown_blocking();
  }
};

}  // namespace gordian
