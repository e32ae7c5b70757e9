// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/host.h"

#include <dirent.h>
#include <ifaddrs.h>
#include <net/if_arp.h>
#include <sys/utsname.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/sources/address_text.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/net_usage.h"
#include "recorder/sources/text_fields.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

std::string Text(const std::string& path) { return ReadSmallFile(path).value_or(""); }

uint64_t Number(const std::string& path) { return ParseNumber(Text(path)).value_or(0); }

// The names in a folder, sorted.
std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// One more than the highest CPU of "0-3,8-11": the streams of a trace are numbered by CPU, so holes
// count.
uint32_t CpusUpTo(std::string_view list) {
  constexpr uint32_t kMostCpus = 8192;  // the kernel's own limit
  const size_t last = list.find_last_of("-,");
  const std::string_view number = last == list.npos ? list : list.substr(last + 1);
  const std::optional<uint32_t> highest = ParseNumber<uint32_t>(number);
  return highest && *highest < kMostCpus ? *highest + 1 : 0;
}

uint64_t MemoryBytes(const SystemPaths& paths) {
  const std::string meminfo = Text(paths.proc + "/meminfo");
  std::string_view line = meminfo;
  if (TakeField(line) != "MemTotal:") return 0;
  return TakeNumber(line).value_or(0) * 1024;
}

void FillMachine(const SystemPaths& paths, pb::Host& host) {
  host.set_hostname(Text(paths.proc + "/sys/kernel/hostname"));
  host.set_boot_id(ReadBootId(paths));
  host.set_kernel_release(Text(paths.proc + "/sys/kernel/osrelease"));
  utsname name{};
  if (uname(&name) == 0) host.set_machine(name.machine);
  host.set_cpus(CpusUpTo(Text(paths.sys + "/devices/system/cpu/possible")));
  host.set_memory_bytes(MemoryBytes(paths));
}

void FillDisks(const SystemPaths& paths, pb::Session& session) {
  constexpr uint64_t kSectorBytes = 512;
  for (const std::string& name : Names(paths.sys + "/block")) {
    const std::string folder = paths.sys + "/block/" + name;
    const uint64_t sectors = Number(folder + "/size");
    if (sectors == 0) continue;  // unused loop and ram devices
    const std::string device = Text(folder + "/dev");
    const size_t colon = device.find(':');
    if (colon == device.npos) continue;
    const auto major = ParseNumber<uint32_t>(std::string_view(device).substr(0, colon));
    const auto minor = ParseNumber<uint32_t>(std::string_view(device).substr(colon + 1));
    if (!major || !minor) continue;
    pb::Disk* disk = session.add_disks();
    disk->set_device(DiskId(*major, *minor));
    disk->set_name(name);
    std::replace(disk->mutable_name()->begin(), disk->mutable_name()->end(), '!', '/');
    disk->set_size_bytes(sectors * kSectorBytes);
    disk->set_rotational(Number(folder + "/queue/rotational") == 1);
  }
}

// The kernel's addresses, for interfaces that `session` has already.
void FillAddresses(pb::Session& session) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const std::string address = entry->ifa_addr ? AddressText(entry->ifa_addr) : "";
    if (address.empty()) continue;
    for (pb::Interface& interface : *session.mutable_interfaces()) {
      if (interface.name() == entry->ifa_name) interface.add_addresses(address);
    }
  }
  freeifaddrs(list);
}

void FillInterfaces(const SystemPaths& paths, pb::Session& session) {
  for (const std::string& name : Names(paths.sys + "/class/net")) {
    const std::string folder = paths.sys + "/class/net/" + name;
    const uint64_t index = Number(folder + "/ifindex");
    if (index == 0) continue;  // not an interface (bonding_masters)
    pb::Interface* interface = session.add_interfaces();
    interface->set_index(static_cast<uint32_t>(index));
    interface->set_name(name);
    interface->set_bits_per_second(InterfaceBitsPerSecond(paths, name));
    interface->set_loopback(Number(folder + "/type") == ARPHRD_LOOPBACK);
  }
  FillAddresses(session);
}

// " 36: 0 43618 PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0": after one count per CPU the chip, the
// chip's own number, on some machines the trigger, and the driver that asked for it. Without the
// last the chip is the name.
std::string IrqName(std::string_view line, size_t cpus) {
  for (size_t cpu = 0; cpu < cpus; ++cpu) TakeField(line);
  const std::string_view chip = TakeField(line);
  std::string_view rest = line;
  std::string_view field = TakeField(rest);
  while (!field.empty() &&
         ((field[0] >= '0' && field[0] <= '9') || field == "Level" || field == "Edge")) {
    line = rest;
    field = TakeField(rest);
  }
  const size_t start = line.find_first_not_of(" \t");
  return std::string(start == line.npos ? chip : line.substr(start));
}

void FillIrqs(const SystemPaths& paths, pb::Session& session) {
  const std::optional<std::string> text =
      ReadSmallFile(paths.proc + "/interrupts", /*max_bytes=*/16 << 20);
  if (!text) return;
  std::string_view rest = *text;
  std::string_view title = TakeLine(rest);
  size_t cpus = 0;
  while (!TakeField(title).empty()) ++cpus;
  while (!rest.empty()) {
    std::string_view line = TakeLine(rest);
    std::string_view label = TakeField(line);
    if (!label.ends_with(':')) continue;
    label.remove_suffix(1);
    const std::optional<uint32_t> number =
        ParseNumber<uint32_t>(label);  // not NMI, LOC and the like
    if (!number) continue;
    pb::Irq* irq = session.add_irqs();
    irq->set_number(*number);
    irq->set_name(IrqName(line, cpus));
  }
}

}  // namespace

std::string ReadBootId(const SystemPaths& paths) {
  return Text(paths.proc + "/sys/kernel/random/boot_id");
}

void FillHost(const SystemPaths& paths, pb::Session& session) {
  session.clear_disks();
  session.clear_interfaces();
  session.clear_irqs();
  session.clear_host();
  FillMachine(paths, *session.mutable_host());
  FillDisks(paths, session);
  FillInterfaces(paths, session);
  FillIrqs(paths, session);
}

}  // namespace gordian
