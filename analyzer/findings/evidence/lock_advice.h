// SPDX-License-Identifier: Apache-2.0
// Advice on a lock that is likely, as long as nobody knows what the waits are for. Stages that know
// it from samples find the advice by these words, and settle it.
#pragma once

namespace gordian {

inline constexpr char kIfOneSyncsForAll[] = "If one thread writes or syncs for all";
inline constexpr char kIfForALock[] = " meanwhile. If that is for a lock: let ";

}  // namespace gordian
