// SPDX-License-Identifier: Apache-2.0
#include "near/packet_senders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {
TEST(PacketSenders, Nothing) {}
}  // namespace
}  // namespace gordian
