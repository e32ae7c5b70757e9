// SPDX-License-Identifier: Apache-2.0
// What a rank's allocator may keep of memory that is free.
#pragma once

namespace gordian {

// From now on, of the whole process: blocks of a megabyte and more are given back as they are
// freed. By itself the allocator of glibc learns from each larger block that was freed to keep
// blocks up to 32 MiB, and twice as much at its end: which unit a rank made last then decides how
// much it holds.
void GiveBackFreedBlocks();

}  // namespace gordian
