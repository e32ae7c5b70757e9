// SPDX-License-Identifier: Apache-2.0
#include "cli/session_names.h"

#include "fmt/format.h"
#include "trace/interface_name.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

using NumberedNames = absl::flat_hash_map<uint32_t, std::string>;

std::string_view Find(const NumberedNames& names, uint32_t number) {
  const auto found = names.find(number);
  return found == names.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

SessionNames::SessionNames(SessionReader& session) {
  const pb::Session& about = session.session();
  for (const pb::Disk& disk : about.disks()) disks_[disk.device()] = CleanText(disk.name());
  for (const pb::Interface& interface : about.interfaces()) {
    interfaces_[interface.index()] = CleanText(InterfaceName(interface));
  }
  for (const pb::Irq& irq : about.irqs()) irqs_[irq.number()] = CleanText(irq.name());

  const EventStream* stream = session.tasks();
  if (stream == nullptr) return;
  EventBlock block;
  for (size_t i = 0; i < stream->blocks().size(); ++i) {
    if (!stream->Read(i, block).ok()) continue;  // the printer of its events counts it
    for (const TaskRecord& task : block.tasks) comms_.try_emplace(task.tid, CleanText(task.comm));
  }
}

void SessionNames::Learn(const TaskRecord& task) {
  if (!task.comm.empty()) comms_[task.tid] = CleanText(task.comm);
}

std::string_view SessionNames::Comm(int32_t tid) const {
  if (tid == 0) return "idle";
  const auto found = comms_.find(tid);
  return found == comms_.end() ? std::string_view() : std::string_view(found->second);
}

std::string SessionNames::Thread(int32_t tid) const {
  if (tid == 0) return "idle";
  const std::string_view comm = Comm(tid);
  return fmt::format("{}/{}", comm.empty() ? "?" : comm, tid);
}

std::string SessionNames::Disk(uint32_t device) const {
  const std::string_view name = Find(disks_, device);
  if (!name.empty()) return std::string(name);
  return fmt::format("{}:{}", device >> 20, device & ((1u << 20) - 1));
}

std::string SessionNames::Interface(uint32_t index) const {
  const std::string_view name = Find(interfaces_, index);
  return name.empty() ? fmt::format("interface {}", index) : std::string(name);
}

std::string_view SessionNames::Irq(uint32_t number) const { return Find(irqs_, number); }

}  // namespace gordian
