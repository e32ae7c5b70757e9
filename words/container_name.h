// SPDX-License-Identifier: Apache-2.0
// A short name for people from a cgroup's path.
#pragma once

#include <string>
#include <string_view>

namespace gordian {

// The container, else the service or scope, else the innermost slice that `path` (below the cgroup2
// mount) names:
//   /system.slice/docker-<64 hex>.scope                     docker/<first 12 hex>
//   /kubepods.slice/…-pod<uid>.slice/cri-containerd-<hex>.scope  kubernetes/<12 hex>
//   /machine.slice/libpod-<hex>.scope                       podman/<12 hex>
//   /lxc.payload.web                                        lxc/web
//   /system.slice/nginx.service                             nginx.service
// A path that is none of these is its own name, without the leading slash; the root has the empty
// name.
std::string ContainerName(std::string_view path);

// The same of containers; empty for services, slices, and everything else.
std::string ContainerOf(std::string_view path);

// All digits of the innermost container's id; empty where it has none (lxc/web).
std::string ContainerIdOf(std::string_view path);

}  // namespace gordian
