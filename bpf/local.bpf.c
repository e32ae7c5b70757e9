// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Data that threads of this machine hand each other without packets: on unix stream sockets and in
 * pipes. Nothing here is attached without --local-messages.
 *
 * Sockets: from 6.3 on tracepoints tell the length of each send and receive, and before a send
 * wakes its receiver that data is ready. Before, the functions themselves are entered (fentry).
 * Pipes: their functions, or where these cannot be entered the system calls, which makes every
 * system call of the node take the kernel's slower way.
 *
 * All of this runs in the thread that sends or receives. */
#include "bpf/path.bpf.h"
#include "bpf/wait_calls.bpf.h"

enum {
  LOCAL_FAMILY_UNIX = 1,
  LOCAL_SOCKET_STREAM = 1,
  LOCAL_FLAG_PEEK = 2, /* MSG_PEEK */
  LOCAL_MODE_TYPE = 0170000,
  LOCAL_MODE_PIPE = 0010000,
  LOCAL_PIPE_FILES = 0x50495045, /* the magic number of pipes that have no path */
  LOCAL_PATH_STEPS = 14,
  LOCAL_SENDS = 4096, /* a power of two */
};
#define LOCAL_IS_PIPE (1ull << 63) /* keeps pipes' numbers apart from sockets' */

struct gd_local_send local_sends[LOCAL_SENDS];

struct gd_local_key {
  __u64 source;
  __u64 destination;
};
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1); /* set to 65536 with --local-messages */
  __type(key, struct gd_local_key);
  __type(value, __u32);
} local_flows SEC(".maps");

static __always_inline struct gd_local_send* send_of(__s32 tid) {
  return &local_sends[tid & (LOCAL_SENDS - 1)];
}

static __always_inline void begin_send(__s32 tid, __u64 receiver) {
  struct gd_local_send* send = send_of(tid);
  if (send->tid == tid && send->receiver == receiver) return; /* its first data counts */
  send->tid = tid;
  send->receiver = receiver;
  send->begun_ns = bpf_ktime_get_ns();
}

/* When it began; now, if that is not known. */
static __always_inline __u64 end_send(__s32 tid, __u64 receiver) {
  __u64 now_ns = bpf_ktime_get_ns();
  struct gd_local_send* send = send_of(tid);
  if (send->tid != tid) return now_ns;
  __u64 begun_ns = send->receiver == receiver ? send->begun_ns : now_ns;
  send->tid = 0;
  return begun_ns < now_ns ? begun_ns : now_ns;
}

static __always_inline __u32 new_flow_id(struct gd_cpu* cpu) {
  __u32 number = __sync_fetch_and_add(&cpu->next_flow, 1) + 1;
  return number * GD_MAX_CPUS + (bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1));
}

static __always_inline struct gd_local_flow* reserve_flow(struct gd_cpu* cpu, __u8 channel,
                                                          __u32 flow_id) {
  struct gd_local_flow* record = reserve(cpu, GD_FLOW, sizeof(*record), COUNT_ATOMIC);
  if (!record) return 0;
  __builtin_memset(record, 0, sizeof(*record));
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_FLOW;
  record->channel = channel;
  record->flow_id = flow_id;
  return record;
}

/* As with flows of packets, a number is told before it is used; one that could not be told is given
 * anew. The two ends often meet a new flow at the same time, on two CPUs: the number that was kept
 * first is that of both, and the other stays one without messages. */
static __always_inline __u32 keep_flow(const struct gd_local_key* key, __u32 flow_id) {
  if (!bpf_map_update_elem(&local_flows, key, &flow_id, BPF_NOEXIST)) return flow_id;
  __u32* kept = bpf_map_lookup_elem(&local_flows, key);
  if (kept) return *kept;
  __sync_fetch_and_add(&this_cpu()->flows_not_kept, 1);
  return flow_id;
}

/* Its time is taken here: after that of the flow, which another CPU may just have told.
 * `begun_ns`: of a send. */
static __always_inline void tell_message(struct gd_cpu* cpu, __u32 flow_id, __s32 tid, bool sent,
                                         __u32 bytes, __u64 begun_ns) {
  struct gd_local_message* record = reserve(cpu, GD_LOCAL_MESSAGE, sizeof(*record), COUNT_ATOMIC);
  if (!record) return;
  __u64 now_ns = bpf_ktime_get_ns();
  record->time_ns = now_ns;
  record->kind = GD_LOCAL_MESSAGE;
  record->sent = sent;
  record->unused = 0;
  record->tid = tid;
  record->flow_id = flow_id;
  record->bytes = bytes;
  record->since_ns = sent ? now_ns - begun_ns : 0;
  submit(record);
}

/* Unix sockets. */

static __always_inline __u64 inode_of(struct sock* sock) {
  return BPF_CORE_READ(sock, sk_socket, file, f_inode, i_ino);
}

/* False if it is bound to none. A socket that was accepted has the address of the one that
 * listened. */
static __always_inline bool take_address(struct unix_sock* socket, struct gd_local_flow* record) {
  struct unix_address* address = BPF_CORE_READ(socket, addr);
  if (!address) return false;
  __s32 length = BPF_CORE_READ(address, len) - (__s32)sizeof(__u16); /* the family comes first */
  if (length <= 0 || length >= GD_PATH_BYTES) return false;
  __u32 bytes = length & (GD_PATH_BYTES - 1);
  if (bpf_probe_read_kernel(record->path, bytes, &address->name[0].sun_path)) return false;
  record->path_bytes = bytes;
  return true;
}

static __always_inline __u32 tell_socket_flow(struct gd_cpu* cpu, struct sock* source,
                                              struct sock* destination,
                                              const struct gd_local_key* key) {
  __u32 flow_id = new_flow_id(cpu);
  struct gd_local_flow* record = reserve_flow(cpu, GD_LOCAL_UNIX, flow_id);
  if (!record) return 0;
  record->source.number = key->source;
  record->source.inode = inode_of(source);
  record->destination.number = key->destination;
  record->destination.inode = inode_of(destination);
  record->path_state = GD_PATH_NAME;
  bool source_bound = take_address((void*)source, record);
  if (!source_bound)
    record->server =
        take_address((void*)destination, record) ? GD_SERVER_DESTINATION : GD_SERVER_NOT_KNOWN;
  else if (!BPF_CORE_READ((struct unix_sock*)destination, addr))
    record->server = GD_SERVER_SOURCE;
  submit(record);
  return keep_flow(key, flow_id);
}

/* Of a stream socket's data, which goes to its peer or comes from it. `length`: the call's result.
 */
static __always_inline int on_socket(struct sock* sock, int length, bool sent) {
  __s32 tid = current_tid();
  struct unix_sock* socket = bpf_skc_to_unix_sock(sock);
  if (!socket) return 0;
  struct sock* peer = socket->peer;
  __u64 begun_ns = sent ? end_send(tid, (__u64)peer) : 0;
  if (length <= 0 || !peer) return 0;
  if (only_targets && role_of(tid) == 0) return 0;
  struct gd_local_key key;
  __u64 own = bpf_get_socket_cookie(sock);
  __u64 other = bpf_get_socket_cookie(peer);
  key.source = sent ? own : other;
  key.destination = sent ? other : own;
  struct gd_cpu* cpu = this_cpu();
  __u32* known = bpf_map_lookup_elem(&local_flows, &key);
  __u32 flow_id = known  ? *known
                  : sent ? tell_socket_flow(cpu, sock, peer, &key)
                         : tell_socket_flow(cpu, peer, sock, &key);
  if (flow_id) tell_message(cpu, flow_id, tid, sent, length, begun_ns);
  return 0;
}

static __always_inline bool is_unix_stream(struct sock* sock) {
  return sock->__sk_common.skc_family == LOCAL_FAMILY_UNIX && sock->sk_type == LOCAL_SOCKET_STREAM;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(local_ready, struct sock* sock) {
  if (is_unix_stream(sock)) begin_send(current_tid(), (__u64)sock);
  return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(local_send, struct sock* sock, int length) {
  return is_unix_stream(sock) ? on_socket(sock, length, true) : 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(local_receive, struct sock* sock, int length, int flags) {
  if (!is_unix_stream(sock) || flags & LOCAL_FLAG_PEEK) return 0;
  return on_socket(sock, length, false);
}

SEC("fentry/unix_stream_sendmsg")
int BPF_PROG(enter_socket_send, struct socket* socket) {
  struct unix_sock* own = bpf_skc_to_unix_sock(socket->sk);
  if (own) begin_send(current_tid(), (__u64)own->peer);
  return 0;
}

SEC("fexit/unix_stream_sendmsg")
int BPF_PROG(leave_socket_send, struct socket* socket, void* message, __u64 size, int result) {
  struct sock* sock = socket->sk;
  return sock ? on_socket(sock, result, true) : 0;
}

SEC("fexit/unix_stream_recvmsg")
int BPF_PROG(leave_socket_receive, struct socket* socket, void* message, __u64 size, int flags,
             int result) {
  struct sock* sock = socket->sk;
  return sock && !(flags & LOCAL_FLAG_PEEK) ? on_socket(sock, result, false) : 0;
}

/* Pipes. */

static __always_inline __u32 tell_pipe_flow(struct gd_cpu* cpu, struct file* file,
                                            struct inode* inode, const struct gd_local_key* key) {
  __u32 flow_id = new_flow_id(cpu);
  struct gd_local_flow* record = reserve_flow(cpu, GD_LOCAL_PIPE, flow_id);
  if (!record) return 0;
  record->source.number = record->destination.number = key->source;
  record->source.inode = record->destination.inode = BPF_CORE_READ(inode, i_ino);
  if (BPF_CORE_READ(inode, i_sb, s_magic) != LOCAL_PIPE_FILES)
    record->path_state =
        write_names((struct task_struct*)bpf_get_current_task(), BPF_CORE_READ(file, f_path.dentry),
                    BPF_CORE_READ(file, f_path.mnt), record->path, GD_PATH_BYTES,
                    &record->path_bytes, GD_PATH_COMPONENTS, LOCAL_PATH_STEPS);
  submit(record);
  return keep_flow(key, flow_id);
}

static __always_inline int on_pipe(struct file* file, __s64 length, bool sent) {
  __s32 tid = current_tid();
  __u64 begun_ns = sent ? end_send(tid, 0) : 0;
  if (length <= 0) return 0;
  struct inode* inode = BPF_CORE_READ(file, f_inode);
  if ((BPF_CORE_READ(inode, i_mode) & LOCAL_MODE_TYPE) != LOCAL_MODE_PIPE) return 0;
  if (only_targets && role_of(tid) == 0) return 0;
  __u64 device = BPF_CORE_READ(inode, i_sb, s_dev);
  struct gd_local_key key;
  key.source = LOCAL_IS_PIPE | (device << 40 ^ BPF_CORE_READ(inode, i_ino));
  key.destination = LOCAL_IS_PIPE | BPF_CORE_READ(inode, i_generation);
  struct gd_cpu* cpu = this_cpu();
  __u32* known = bpf_map_lookup_elem(&local_flows, &key);
  __u32 flow_id = known ? *known : tell_pipe_flow(cpu, file, inode, &key);
  if (flow_id) tell_message(cpu, flow_id, tid, sent, (__u32)length, begun_ns);
  return 0;
}

SEC("fentry/pipe_write")
int BPF_PROG(enter_pipe_write) {
  begin_send(current_tid(), 0);
  return 0;
}

SEC("fexit/pipe_write")
int BPF_PROG(leave_pipe_write, struct kiocb* call, void* from, __s64 result) {
  return on_pipe(call->ki_filp, result, true);
}

SEC("fexit/pipe_read")
int BPF_PROG(leave_pipe_read, struct kiocb* call, void* to, __s64 result) {
  return on_pipe(call->ki_filp, result, false);
}

/* The same where functions cannot be entered: the place of its attachment tells which call it is.
 */
struct local_call_return {
  __u64 common;
  __s32 number;
  __u32 unused;
  __s64 result;
};

SEC("tracepoint")
int local_write_begins(void* context) {
  begin_send(current_tid(), 0);
  return 0;
}

static __always_inline int on_call(struct local_call_return* returned, bool sent) {
  if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) return 0;
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  struct gd_user_call call = {};
  if (returned->result <= 0 || !user_call(task, &call)) return 0;
  struct fdtable* table = BPF_CORE_READ(task, files, fdt);
  __u32 descriptor = (__u32)call.argument[0];
  if (!table || descriptor >= BPF_CORE_READ(table, max_fds)) return 0;
  struct file* file = 0;
  struct file** files = BPF_CORE_READ(table, fd);
  if (bpf_probe_read_kernel(&file, sizeof(file), files + descriptor) || !file) return 0;
  return on_pipe(file, returned->result, sent);
}

SEC("tracepoint")
int local_write_ends(struct local_call_return* returned) { return on_call(returned, true); }

SEC("tracepoint")
int local_read_ends(struct local_call_return* returned) { return on_call(returned, false); }
