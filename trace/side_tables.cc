#include "trace/side_tables.h"

#include <algorithm>

#include "trace/column.h"
#include "trace/name_table.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxTaskChange = static_cast<uint64_t>(TaskChange::kExit);
constexpr size_t kAddressBytes = std::tuple_size_v<decltype(FlowRecord::source)>;

bool IsKnownFamily(uint64_t family) {
  return family == static_cast<uint64_t>(FlowFamily::kUnknown) ||
         family == static_cast<uint64_t>(FlowFamily::kIpv4) ||
         family == static_cast<uint64_t>(FlowFamily::kIpv6);
}

// A value coded as difference. Unsigned, so that nonsense wraps around instead of being undefined.
uint64_t Difference(uint64_t coded) { return static_cast<uint64_t>(UnZigZag(coded)); }

// The part of an object that only sockets have, in the order of the sockets.
class SocketColumns {
 public:
  explicit SocketColumns(const pb::WaitObjectColumns& columns)
      : family_(columns.family()),
        protocol_(columns.protocol()),
        local_port_(columns.local_port()),
        peer_port_(columns.peer_port()),
        peer_tgid_(columns.peer_tgid()),
        local_(columns.local()),
        peer_(columns.peer()) {}

  bool Holds(size_t count) const {
    return family_.Holds(count) && protocol_.Holds(count) && local_port_.Holds(count) &&
           peer_port_.Holds(count) && peer_tgid_.Holds(count) &&
           local_.size() == count * kAddressBytes && peer_.size() == count * kAddressBytes;
  }

  void ReadNext(WaitObjectRecord& object) {
    const size_t row = next_row_++;
    object.family = static_cast<uint16_t>(family_[row]);
    object.protocol = static_cast<uint16_t>(protocol_[row]);
    object.local_port = static_cast<uint16_t>(local_port_[row]);
    object.peer_port = static_cast<uint16_t>(peer_port_[row]);
    object.peer_tgid = static_cast<int32_t>(UnZigZag(peer_tgid_[row]));
    std::copy_n(local_.begin() + row * kAddressBytes, kAddressBytes, object.local.begin());
    std::copy_n(peer_.begin() + row * kAddressBytes, kAddressBytes, object.peer.begin());
  }

 private:
  ColumnView family_, protocol_, local_port_, peer_port_, peer_tgid_;
  const std::string& local_;
  const std::string& peer_;
  size_t next_row_ = 0;
};

}  // namespace

absl::Status ReadTasks(const pb::TaskColumns& columns, size_t count,
                       std::vector<std::string_view>& scratch, std::vector<TaskRecord>& tasks) {
  const ColumnView change(columns.change()), tid_delta(columns.tid_delta());
  const ColumnView tgid_distance(columns.tgid_distance());
  const ColumnView parent_tid_delta(columns.parent_tid_delta());
  const ColumnView namespaced_distance(columns.namespaced_distance()), state(columns.state());
  const ColumnView start_time_delta_ns(columns.start_time_delta_ns());
  const ColumnView cgroup_delta(columns.cgroup_delta()), comm(columns.comm());
  for (const ColumnView* column :
       {&change, &tid_delta, &tgid_distance, &parent_tid_delta, &namespaced_distance, &state,
        &start_time_delta_ns, &cgroup_delta, &comm}) {
    if (!column->Holds(count)) return absl::DataLossError("tasks have columns of other lengths");
  }
  const ColumnView switches(columns.switches());
  if (columns.has_switches() && !switches.Holds(count))
    return absl::DataLossError("tasks have columns of other lengths");
  if (auto status = ReadNameTable(columns.comms(), scratch); !status.ok()) return status;

  tasks.resize(count);
  uint64_t tid = 0, parent_tid = 0, start_time_ns = 0, cgroup_id = 0;
  for (size_t i = 0; i < count; ++i) {
    if (change[i] >> 2 > kMaxTaskChange || comm[i] >= scratch.size()) {
      return absl::DataLossError("a task's change or name is out of range");
    }
    tid += Difference(tid_delta[i]);
    parent_tid += Difference(parent_tid_delta[i]);
    start_time_ns += Difference(start_time_delta_ns[i]);
    cgroup_id += Difference(cgroup_delta[i]);
    TaskRecord& task = tasks[i];
    task.change = static_cast<TaskChange>(change[i] >> 2);
    task.recorder = (change[i] & 2) != 0;
    task.kernel_thread = (change[i] & 1) != 0;
    task.tid = static_cast<int32_t>(tid);
    task.tgid = static_cast<int32_t>(tid - Difference(tgid_distance[i]));
    task.parent_tid = static_cast<int32_t>(parent_tid);
    task.namespaced_tid = static_cast<int32_t>(tid - Difference(namespaced_distance[i]));
    task.state = static_cast<uint32_t>(state[i]);
    task.switches.reset();
    if (columns.has_switches() && switches[i] > 0) task.switches = switches[i] - 1;
    task.start_time_ns = start_time_ns;
    task.cgroup_id = cgroup_id;
    task.comm.assign(scratch[comm[i]]);
  }
  return absl::OkStatus();
}

absl::Status ReadFlows(const pb::FlowColumns& columns, size_t count,
                       std::vector<FlowRecord>& flows) {
  const ColumnView flow_id_delta(columns.flow_id_delta()), family(columns.family());
  const ColumnView protocol(columns.protocol()), source_port(columns.source_port());
  const ColumnView destination_port(columns.destination_port());
  for (const ColumnView* column :
       {&flow_id_delta, &family, &protocol, &source_port, &destination_port}) {
    if (!column->Holds(count)) return absl::DataLossError("flows have columns of other lengths");
  }
  if (columns.source().size() != count * kAddressBytes ||
      columns.destination().size() != count * kAddressBytes) {
    return absl::DataLossError("flows have not one address each");
  }
  flows.resize(count);
  uint64_t flow_id = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsKnownFamily(family[i])) return absl::DataLossError("a flow is of an unknown family");
    flow_id += Difference(flow_id_delta[i]);
    FlowRecord& flow = flows[i];
    flow.flow_id = static_cast<uint32_t>(flow_id);
    flow.family = static_cast<FlowFamily>(family[i]);
    flow.protocol = static_cast<uint8_t>(protocol[i]);
    flow.source_port = static_cast<uint16_t>(source_port[i]);
    flow.destination_port = static_cast<uint16_t>(destination_port[i]);
    std::copy_n(columns.source().begin() + i * kAddressBytes, kAddressBytes, flow.source.begin());
    std::copy_n(columns.destination().begin() + i * kAddressBytes, kAddressBytes,
                flow.destination.begin());
  }
  return absl::OkStatus();
}

absl::Status ReadStacks(const pb::StackColumns& columns, size_t count,
                        std::vector<StackRecord>& stacks) {
  const ColumnView stack_id_delta(columns.stack_id_delta()), tgid_delta(columns.tgid_delta());
  const ColumnView kernel_frames(columns.kernel_frames()), user_frames(columns.user_frames());
  const ColumnView address_delta(columns.address_delta());
  for (const ColumnView* column : {&stack_id_delta, &tgid_delta, &kernel_frames, &user_frames}) {
    if (!column->Holds(count)) return absl::DataLossError("stacks have columns of other lengths");
  }
  uint64_t addresses = 0;
  for (size_t i = 0; i < count; ++i) {
    if (kernel_frames[i] > kMaxStackFrames || user_frames[i] > kMaxStackFrames - kernel_frames[i])
      return absl::DataLossError("a stack has too many frames");
    addresses += kernel_frames[i] + user_frames[i];
  }
  if (!address_delta.Holds(addresses))
    return absl::DataLossError("stacks have not one address for each frame");

  stacks.resize(count);
  uint64_t stack_id = 0, tgid = 0, address = 0;
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    StackRecord& stack = stacks[i];
    stack_id += Difference(stack_id_delta[i]);
    tgid += Difference(tgid_delta[i]);
    stack.stack_id = static_cast<uint32_t>(stack_id);
    stack.tgid = static_cast<int32_t>(tgid);
    stack.kernel.resize(kernel_frames[i]);
    stack.user.resize(user_frames[i]);
    for (auto* part : {&stack.kernel, &stack.user})
      for (uint64_t& frame : *part) {
        address += Difference(address_delta[next++]);
        frame = address;
      }
  }
  return absl::OkStatus();
}

absl::Status ReadWaitObjects(const pb::WaitObjectColumns& columns, size_t count,
                             std::vector<std::string_view>& scratch,
                             std::vector<WaitObjectRecord>& objects) {
  const ColumnView object_id_delta(columns.object_id_delta()), kind(columns.kind());
  const ColumnView call(columns.call()), tgid_delta(columns.tgid_delta());
  const ColumnView descriptor(columns.file_descriptor()), value_delta(columns.value_delta());
  const ColumnView device(columns.device()), path(columns.path());
  for (const ColumnView* column :
       {&object_id_delta, &kind, &call, &tgid_delta, &descriptor, &value_delta, &device, &path}) {
    if (!column->Holds(count))
      return absl::DataLossError("wait objects have columns of other lengths");
  }
  if (auto status = ReadNameTable(columns.paths(), scratch); !status.ok()) return status;
  size_t sockets = 0;
  for (size_t i = 0; i < count; ++i)
    sockets += kind[i] == static_cast<uint64_t>(WaitObjectKind::kSocket) ? 1 : 0;
  SocketColumns socket_columns(columns);
  if (!socket_columns.Holds(sockets))
    return absl::DataLossError("wait objects have columns of sockets of other lengths");

  objects.resize(count);
  uint64_t object_id = 0, tgid = 0, value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (path[i] >= scratch.size())
      return absl::DataLossError("a wait object's path is out of range");
    object_id += Difference(object_id_delta[i]);
    tgid += Difference(tgid_delta[i]);
    value += Difference(value_delta[i]);
    WaitObjectRecord& object = objects[i];
    object.object_id = static_cast<uint32_t>(object_id);
    object.kind = static_cast<WaitObjectKind>(kind[i] <= kMaxWaitObjectKind ? kind[i] : 0);
    object.call = static_cast<WaitCall>(call[i] >> 2 < WaitCallCount() ? call[i] >> 2 : 0);
    object.listening = (call[i] & 2) != 0;
    object.shared = (call[i] & 1) != 0;
    object.tgid = static_cast<int32_t>(tgid);
    object.descriptor = static_cast<int32_t>(descriptor[i]);
    object.value = value;
    object.device = static_cast<uint32_t>(device[i]);
    object.path.assign(scratch[path[i]]);
    if (object.kind == WaitObjectKind::kSocket) socket_columns.ReadNext(object);
  }
  return absl::OkStatus();
}

absl::Status ReadNames(const pb::NameTable& table, std::vector<std::string_view>& scratch,
                       std::vector<std::string>& names) {
  if (auto status = ReadNameTable(table, scratch); !status.ok()) return status;
  names.assign(scratch.begin(), scratch.end());
  return absl::OkStatus();
}

}  // namespace gordian
