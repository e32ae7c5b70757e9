// SPDX-License-Identifier: Apache-2.0
// The system calls that a process that only computes may still make.
#pragma once

namespace gordian {

// From here on this process can read and write its open files, and use memory; any other call fails
// with EPERM. False if the kernel refuses. On machines whose calls are not listed here it does
// nothing, and limits remain the only bars.
bool EnterJailFilter();

}  // namespace gordian
