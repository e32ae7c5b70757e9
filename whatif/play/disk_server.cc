// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/disk_server.h"

#include <cmath>

namespace gordian {

DiskServer::DiskServer(const Score& score, const std::vector<double>& factors)
    : score_(score),
      factors_(factors),
      disks_(score.disks.size()),
      complete_(score.requests.size()),
      first_waiter_(score.requests.size(), kNobody),
      next_waiter_(score.threads(), kNobody) {}

uint64_t DiskServer::ServiceOf(uint32_t request) const {
  const DiskRequest& asked = score_.requests[request];
  if (factors_.empty() || factors_[asked.disk] == 1) return asked.service_ns;
  return static_cast<uint64_t>(
      std::llround(static_cast<double>(asked.service_ns) * factors_[asked.disk]));
}

void DiskServer::Begin(Disk& disk, uint64_t now_ns) {
  if (disk.serving++ == 0) disk.since_ns = now_ns;
}

bool DiskServer::Ask(uint32_t request, uint64_t now_ns) {
  const DiskRequest& asked = score_.requests[request];
  Disk& disk = disks_[asked.disk];
  if (ServiceOf(request) == 0 && disk.queue.empty()) {
    MarkComplete(request);
    return false;
  }
  if (!asked.unseen && disk.serving >= score_.disks[asked.disk].slots) {
    disk.queue.push_back(request);
    return false;
  }
  Begin(disk, now_ns);
  return true;
}

void DiskServer::MarkComplete(uint32_t request) {
  complete_[request] = 1;
  for (EntityId thread = first_waiter_[request]; thread != kNobody;
       thread = std::exchange(next_waiter_[thread], kNobody))
    released_.push_back(thread);
  first_waiter_[request] = kNobody;
}

std::vector<uint32_t> DiskServer::Complete(uint32_t request, uint64_t now_ns) {
  Disk& disk = disks_[score_.requests[request].disk];
  MarkComplete(request);
  if (--disk.serving == 0) disk.busy_ns += now_ns - disk.since_ns;
  std::vector<uint32_t> begun;
  if (!disk.queue.empty() && disk.serving < score_.disks[score_.requests[request].disk].slots) {
    begun.push_back(disk.queue.front());
    disk.queue.pop_front();
    Begin(disk, now_ns);
  }
  return begun;
}

std::vector<uint64_t> DiskServer::BusyUntil(uint64_t now_ns) const {
  std::vector<uint64_t> busy_ns;
  busy_ns.reserve(disks_.size());
  for (const Disk& disk : disks_)
    busy_ns.push_back(disk.busy_ns + (disk.serving > 0 ? now_ns - disk.since_ns : 0));
  return busy_ns;
}

}  // namespace gordian
