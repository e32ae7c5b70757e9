// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/kept_values.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace gordian {
namespace {

std::string BytesOf(const std::array<uint8_t, 16>& address) {
  return {reinterpret_cast<const char*>(address.data()), address.size()};
}

std::array<uint8_t, 16> AddressOf(const std::string& bytes) {
  std::array<uint8_t, 16> address{};
  std::memcpy(address.data(), bytes.data(), std::min(bytes.size(), address.size()));
  return address;
}

}  // namespace

pb::KeptEntity KeptMessageOf(const Entity& entity) {
  pb::KeptEntity told;
  told.set_kind(static_cast<uint32_t>(entity.kind));
  told.set_name(entity.name);
  told.set_tid(entity.tid);
  told.set_tgid(entity.tgid);
  told.set_parent_tid(entity.parent_tid);
  told.set_process_name(entity.process_name);
  told.set_command(entity.command);
  told.set_directory(entity.directory);
  told.set_start_time_ns(entity.start_time_ns);
  told.set_cgroup_id(entity.cgroup_id);
  told.set_container(entity.container);
  told.set_device(entity.device);
  told.set_node(entity.node);
  told.set_kernel_thread(entity.kernel_thread);
  told.set_recorder(entity.recorder);
  told.set_target(entity.target);
  told.set_begin_ns(entity.begin_ns);
  told.set_end_ns(entity.end_ns);
  told.set_run_ns(entity.run_ns);
  told.set_runnable_ns(entity.runnable_ns);
  told.set_wait_ns(entity.wait_ns);
  told.set_spin_ns(entity.spin_ns);
  told.set_unknown_ns(entity.unknown_ns);
  return told;
}

Entity EntityOf(const pb::KeptEntity& told) {
  return {.kind = static_cast<EntityKind>(told.kind()),
          .name = told.name(),
          .tid = told.tid(),
          .tgid = told.tgid(),
          .parent_tid = told.parent_tid(),
          .process_name = told.process_name(),
          .command = told.command(),
          .directory = told.directory(),
          .start_time_ns = told.start_time_ns(),
          .cgroup_id = told.cgroup_id(),
          .container = told.container(),
          .device = told.device(),
          .node = told.node(),
          .kernel_thread = told.kernel_thread(),
          .recorder = told.recorder(),
          .target = told.target(),
          .begin_ns = told.begin_ns(),
          .end_ns = told.end_ns(),
          .run_ns = told.run_ns(),
          .runnable_ns = told.runnable_ns(),
          .wait_ns = told.wait_ns(),
          .spin_ns = told.spin_ns(),
          .unknown_ns = told.unknown_ns()};
}

pb::KeptWaitObject KeptMessageOf(const WaitObjectRecord& object) {
  pb::KeptWaitObject told;
  told.set_object_id(object.object_id);
  told.set_kind(static_cast<uint32_t>(object.kind));
  told.set_call(static_cast<uint32_t>(object.call));
  told.set_shared(object.shared);
  told.set_listening(object.listening);
  told.set_tgid(object.tgid);
  told.set_file_number(object.descriptor);
  told.set_value(object.value);
  told.set_device(object.device);
  told.set_peer_tgid(object.peer_tgid);
  told.set_family(object.family);
  told.set_protocol(object.protocol);
  told.set_local_port(object.local_port);
  told.set_peer_port(object.peer_port);
  told.set_local(BytesOf(object.local));
  told.set_peer(BytesOf(object.peer));
  told.set_path(object.path);
  return told;
}

WaitObjectRecord WaitObjectOf(const pb::KeptWaitObject& told) {
  return {.object_id = told.object_id(),
          .kind = static_cast<WaitObjectKind>(told.kind()),
          .call = static_cast<WaitCall>(told.call()),
          .shared = told.shared(),
          .listening = told.listening(),
          .tgid = told.tgid(),
          .descriptor = told.file_number(),
          .value = told.value(),
          .device = told.device(),
          .peer_tgid = told.peer_tgid(),
          .family = static_cast<uint16_t>(told.family()),
          .protocol = static_cast<uint16_t>(told.protocol()),
          .local_port = static_cast<uint16_t>(told.local_port()),
          .peer_port = static_cast<uint16_t>(told.peer_port()),
          .local = AddressOf(told.local()),
          .peer = AddressOf(told.peer()),
          .path = told.path()};
}

pb::KeptProgramRow KeptMessageOf(const std::vector<Program>& row) {
  pb::KeptProgramRow told;
  for (const Program& program : row) {
    pb::KeptProgram& one = *told.add_programs();
    one.set_start_ns(program.start_ns);
    one.set_name(program.name);
    one.set_command(program.command);
    one.set_directory(program.directory);
  }
  return told;
}

std::vector<Program> ProgramsOf(const pb::KeptProgramRow& told) {
  std::vector<Program> row;
  row.reserve(static_cast<size_t>(told.programs_size()));
  for (const pb::KeptProgram& one : told.programs())
    row.push_back({one.start_ns(), one.name(), one.command(), one.directory()});
  return row;
}

KeptFlow KeptFlowOf(const FlowRecord& flow) {
  return {.flow_id = flow.flow_id,
          .origin_flow_id = flow.origin_flow_id,
          .name_bytes = static_cast<uint32_t>(flow.name.size()),
          .source_port = flow.source_port,
          .destination_port = flow.destination_port,
          .family = flow.family,
          .protocol = flow.protocol,
          .local = flow.local,
          .server = flow.server,
          .source = flow.source,
          .destination = flow.destination};
}

FlowRecord FlowRecordOf(const KeptFlow& flow, std::string_view name) {
  return {.flow_id = flow.flow_id,
          .family = flow.family,
          .protocol = flow.protocol,
          .source_port = flow.source_port,
          .destination_port = flow.destination_port,
          .source = flow.source,
          .destination = flow.destination,
          .origin_flow_id = flow.origin_flow_id,
          .local = flow.local,
          .server = flow.server,
          .name = std::string(name)};
}

}  // namespace gordian
