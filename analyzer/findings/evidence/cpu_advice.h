// SPDX-License-Identifier: Apache-2.0
// Advice to threads that get no CPU. Stages that know why they get none find it by these words.
#pragma once

namespace gordian {

inline constexpr char kMoreCpus[] =
    "Give it more CPUs, a higher priority, or move other load away.";

}  // namespace gordian
