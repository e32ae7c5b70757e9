// SPDX-License-Identifier: Apache-2.0
// Tells one file's content from all others by its place and its times, without reading it: the key
// of what is kept about it on disk (disk_cache.h).
//
// A build-id is what a file says of itself, and anybody may make a file that says the same. Device,
// inode and time of change are what the kernel says. On a file system that root mounted, only root
// can choose them.
#pragma once

#include <string>

namespace gordian {

// Empty if others than root might choose the place and the times: network file systems, those that
// a user's program serves (FUSE), images of disks (loop devices), mounts that a user made for
// himself; and for deleted files, which nobody will run again. `proc`: the kernel's process tree.
std::string FileIdentity(int file, const std::string& proc);

}  // namespace gordian
