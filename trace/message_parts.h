// SPDX-License-Identifier: Apache-2.0
// Where the large columns of a message begin and end in its bytes.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gordian {

// The borders of the texts and packed numbers of at least `least_bytes` in a serialized message of
// that type, at any depth, in order. What does not parse has no borders.
void FindPartBorders(const google::protobuf::Descriptor& type, std::span<const uint8_t> message,
                     size_t least_bytes, std::vector<size_t>& borders);

}  // namespace gordian
