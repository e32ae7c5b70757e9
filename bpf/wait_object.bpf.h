/* What a thread waits for: the thing behind the arguments of its system call.
 *
 * Looked at where a wait's stack is taken, while the waiter still is current: so its registers and
 * its table of files are its own. As with stacks, a thing is described once (GD_WAIT_OBJECT) and
 * from then on told by a hash of what makes it that thing; only then its path is walked.
 *
 * Nothing is guessed: a call that is not listed, a descriptor that is not open any more, a 32-bit
 * program's call, or a kernel thread has no object.
 */
#ifndef GORDIAN_BPF_WAIT_OBJECT_H
#define GORDIAN_BPF_WAIT_OBJECT_H

#include "bpf/wait_calls.bpf.h"

struct gd_wait_scratch {
  struct gd_wait_object object;
  char spare[GD_PATH_BYTES]; /* the verifier knows a name's place and its length, not their sum */
};

enum {
  TASK_IO_WORKER = 0x10,
  TASK_USER_WORKER = 0x4000,
  TASK_KERNEL_THREAD = 0x200000,
  TASK_STOPPED_OR_TRACED = 0x4 | 0x8,
  MODE_TYPE = 0170000,
  MODE_SOCKET = 0140000,
  MODE_BLOCK_DEVICE = 0060000,
  MODE_CHARACTER_DEVICE = 0020000,
  ANONYMOUS_INODES = 0x09041934, /* the magic number of their file system */
  FUTEX_IS_PRIVATE = 128,
  FAMILY_UNIX = 1,
  FAMILY_IPV4 = 2,
  FAMILY_IPV6 = 10,
  STATE_LISTENS = 10,
  WAITID_ANY = 0,
  WAITID_CHILD = 1,
  WAITID_GROUP = 2,
  WAITID_DESCRIPTOR = 3,
  SLEEP_UNTIL = 1,
  SELECT_WORDS = 16, /* 1,024 descriptors, as many as select knows */
  PATH_STEPS = 14,   /* components, and mounts on the way */
};

/* What an object's description still needs once it is known to be a new one. */
struct gd_wait_source {
  struct file* file;
  struct sock* unix_socket;
  __u64 name_hash; /* a file that is renamed is told again */
};

static __always_inline struct file* file_behind(struct task_struct* task, __u32 descriptor) {
  struct fdtable* table = BPF_CORE_READ(task, files, fdt);
  if (!table || descriptor >= BPF_CORE_READ(table, max_fds)) return 0;
  struct file** files = BPF_CORE_READ(table, fd);
  struct file* file = 0;
  if (bpf_probe_read_kernel(&file, sizeof(file), files + descriptor)) return 0;
  return file;
}

static __always_inline void find_socket(struct file* file, struct gd_wait_object* object,
                                        struct gd_wait_source* source) {
  struct socket* socket = BPF_CORE_READ(file, private_data);
  struct sock* sock = BPF_CORE_READ(socket, sk);
  if (!sock) return;
  object->object = GD_OBJECT_SOCKET;
  object->family = BPF_CORE_READ(sock, __sk_common.skc_family);
  object->protocol = BPF_CORE_READ(sock, sk_protocol);
  object->listening = BPF_CORE_READ(sock, __sk_common.skc_state) == STATE_LISTENS;
  if (object->family == FAMILY_UNIX) {
    source->unix_socket = sock;
    struct pid* peer = BPF_CORE_READ(sock, sk_peer_pid);
    if (peer) object->peer_tgid = BPF_CORE_READ(peer, numbers[0].nr);
    return;
  }
  if (object->family != FAMILY_IPV4 && object->family != FAMILY_IPV6) return;
  object->local_port = BPF_CORE_READ(sock, __sk_common.skc_num);
  object->peer_port = __builtin_bswap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
  if (object->family == FAMILY_IPV4) {
    BPF_CORE_READ_INTO((__u32*)object->local, sock, __sk_common.skc_rcv_saddr);
    BPF_CORE_READ_INTO((__u32*)object->peer, sock, __sk_common.skc_daddr);
  } else if (bpf_core_field_exists(sock->__sk_common.skc_v6_daddr)) {
    BPF_CORE_READ_INTO((struct in6_addr*)object->local, sock, __sk_common.skc_v6_rcv_saddr);
    BPF_CORE_READ_INTO((struct in6_addr*)object->peer, sock, __sk_common.skc_v6_daddr);
  }
}

static __always_inline void find_file(struct task_struct* task, __s32 descriptor,
                                      struct gd_wait_object* object,
                                      struct gd_wait_source* source) {
  struct file* file = file_behind(task, descriptor);
  if (!file) return;
  struct inode* inode = BPF_CORE_READ(file, f_inode);
  object->mode = BPF_CORE_READ(inode, i_mode);
  object->value = BPF_CORE_READ(inode, i_ino);
  __u16 type = object->mode & MODE_TYPE;
  if (type == MODE_SOCKET) {
    find_socket(file, object, source);
    return;
  }
  object->object = GD_OBJECT_FILE;
  source->file = file;
  source->name_hash = BPF_CORE_READ(file, f_path.dentry, d_name.hash_len);
  if (BPF_CORE_READ(inode, i_sb, s_magic) == ANONYMOUS_INODES) {
    object->anonymous = 1;
    object->tgid = BPF_CORE_READ(task, tgid);
    object->descriptor = descriptor;
  } else if (type == MODE_BLOCK_DEVICE || type == MODE_CHARACTER_DEVICE) {
    object->device = BPF_CORE_READ(inode, i_rdev);
  } else {
    object->device = BPF_CORE_READ(inode, i_sb, s_dev);
    object->generation = BPF_CORE_READ(inode, i_generation);
  }
}

/* To three digits, so that lengths that hardly differ are one object. */
static __always_inline __u64 rounded_length(__u64 length_ns) {
  __u64 scale = 1;
  for (__u32 i = 0; i < 16; i++) {
    if (length_ns / scale < 1000) break;
    scale *= 10;
  }
  return (length_ns + scale / 2) / scale * scale;
}

static __always_inline void set_timer(struct gd_wait_object* object, __u64 length_ns) {
  object->object = GD_OBJECT_TIMER;
  object->value = rounded_length(length_ns);
}

/* `unit_ns`: of the second number, which is microseconds for select. */
static __always_inline void find_timer(__u64 address, __u64 unit_ns,
                                       struct gd_wait_object* object) {
  __u64 length[2];
  if (!address || bpf_probe_read_user(length, sizeof(length), (const void*)address)) return;
  set_timer(object, length[0] * 1000000000 + length[1] * unit_ns);
}

/* One descriptor is told as what it is, more by how many there are, none is a sleep. */
static __always_inline void find_polled(struct task_struct* task, struct gd_user_call* call,
                                        struct gd_wait_object* object,
                                        struct gd_wait_source* source) {
  __u64 count = call->argument[1];
  if (count == 0) {
    if (object->call == GD_CALL_PPOLL)
      find_timer(call->argument[2], 1, object);
    else if ((__s32)call->argument[2] >= 0)
      set_timer(object, (__u64)(__u32)call->argument[2] * 1000000);
    return;
  }
  if (count == 1) {
    __s32 descriptor;
    if (!bpf_probe_read_user(&descriptor, sizeof(descriptor), (const void*)call->argument[0]))
      find_file(task, descriptor, object, source);
    return;
  }
  object->object = GD_OBJECT_DESCRIPTORS;
  object->value = count;
}

static __always_inline __u32 bits_in(__u64 word) {
  word -= word >> 1 & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return word * 0x0101010101010101ull >> 56;
}

/* How many are watched for reading or for writing; one that is watched for both counts once. */
static __always_inline __u32 count_selected(__u64 highest, __u64 readers, __u64 writers) {
  __u32 selected = 0;
  for (__u32 i = 0; i < SELECT_WORDS; i++) {
    if (i * 64 >= highest) break;
    __u64 read = 0, written = 0;
    if (readers) bpf_probe_read_user(&read, sizeof(read), (const void*)(readers + i * 8));
    if (writers) bpf_probe_read_user(&written, sizeof(written), (const void*)(writers + i * 8));
    __u64 word = read | written;
    if (highest - i * 64 < 64) word &= (1ull << (highest - i * 64)) - 1;
    selected += bits_in(word);
  }
  return selected;
}

static __always_inline void find_selected(struct gd_user_call* call,
                                          struct gd_wait_object* object) {
  __u32 selected = count_selected(call->argument[0], call->argument[1], call->argument[2]);
  if (selected) {
    object->object = GD_OBJECT_DESCRIPTORS;
    object->value = selected;
  } else {
    find_timer(call->argument[4], object->call == GD_CALL_SELECT ? 1000 : 1, object);
  }
}

static __always_inline void find_futex(struct task_struct* task, struct gd_user_call* call,
                                       struct gd_wait_object* object) {
  __u64 flags = call->argument[object->call == GD_CALL_FUTEX ? 1 : 3];
  object->value = call->argument[0];
  if (object->call == GD_CALL_FUTEX_WAITV) { /* of several: the first tells them apart */
    struct {
      __u64 expected;
      __u64 address;
      __u32 flags;
      __u32 unused;
    } first;
    if (bpf_probe_read_user(&first, sizeof(first), (const void*)call->argument[0])) return;
    object->value = first.address;
    flags = first.flags;
  }
  object->object = GD_OBJECT_FUTEX;
  object->tgid = BPF_CORE_READ(task, tgid);
  object->shared = !(flags & FUTEX_IS_PRIVATE);
}

/* Children are told as wait4 does: the child's id, -1 any, -g one of process group g, 0 one of the
 * own. */
static __always_inline void find_child(struct task_struct* task, struct gd_user_call* call,
                                       struct gd_wait_object* object,
                                       struct gd_wait_source* source) {
  __s64 child = (__s32)call->argument[0];
  if (object->call == GD_CALL_WAITID) {
    __s64 id = (__s32)call->argument[1];
    if (child == WAITID_DESCRIPTOR) {
      find_file(task, id, object, source);
      return;
    }
    child = child == WAITID_CHILD ? id : child == WAITID_GROUP ? -id : -1;
  }
  object->object = GD_OBJECT_CHILD;
  object->value = (__u64)child;
}

static __always_inline void find_object(struct task_struct* task, struct gd_user_call* call,
                                        struct gd_wait_object* object,
                                        struct gd_wait_source* source) {
  switch (object->call) {
    case GD_CALL_FUTEX:
    case GD_CALL_FUTEX_WAITV:
    case GD_CALL_FUTEX_WAIT:
      find_futex(task, call, object);
      break;
    case GD_CALL_POLL:
    case GD_CALL_PPOLL:
      find_polled(task, call, object, source);
      break;
    case GD_CALL_SELECT:
    case GD_CALL_PSELECT6:
      find_selected(call, object);
      break;
    case GD_CALL_WAIT4:
    case GD_CALL_WAITID:
      find_child(task, call, object, source);
      break;
    case GD_CALL_NANOSLEEP:
      find_timer(call->argument[0], 1, object);
      break;
    case GD_CALL_CLOCK_NANOSLEEP:
      if (call->argument[1] & SLEEP_UNTIL)
        object->object = GD_OBJECT_TIMER; /* its length depends on when it was asked for */
      else
        find_timer(call->argument[2], 1, object);
      break;
    default:
      find_file(task, call->argument[0], object, source);
  }
}

static __always_inline __u64 mix(__u64 hash, __u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

static __always_inline __u64 hash_object(const struct gd_wait_object* object,
                                         const struct gd_wait_source* source) {
  __u64 hash =
      mix(0x13198a2e03707344ull, object->object | object->call << 8 | object->shared << 16 |
                                     object->listening << 17 | (__u64)object->mode << 32);
  hash = mix(hash, (__u32)object->tgid | (__u64)object->descriptor << 32);
  hash = mix(hash, object->value);
  hash = mix(hash, object->device | (__u64)object->generation << 32);
  hash = mix(hash, source->name_hash);
  if (object->object == GD_OBJECT_SOCKET) {
    hash = mix(hash, object->family | (__u64)object->protocol << 16 |
                         (__u64)object->local_port << 32 | (__u64)object->peer_port << 48);
    for (__u32 i = 0; i < 2; i++) {
      hash = mix(hash, ((const __u64*)object->local)[i]);
      hash = mix(hash, ((const __u64*)object->peer)[i]);
    }
    hash = mix(hash, object->peer_tgid);
  }
  return hash ? hash : 1;
}

/* False if it does not fit. */
static __always_inline bool append_name(struct dentry* dentry, struct gd_wait_object* object) {
  __u32 length = BPF_CORE_READ(dentry, d_name.hash_len) >> 32;
  __u32 used = object->path_bytes;
  if (length >= GD_PATH_BYTES || used >= GD_PATH_BYTES || used + length >= GD_PATH_BYTES)
    return false;
  const unsigned char* name = BPF_CORE_READ(dentry, d_name.name);
  asm volatile("" : "+r"(used), "+r"(length)); /* keeps the masks, for the verifier */
  used &= GD_PATH_BYTES - 1;
  length &= GD_PATH_BYTES - 1;
  if (bpf_probe_read_kernel(object->path + used, length, name)) return false;
  object->path_bytes = used + length + 1;
  return true;
}

/* From the file outwards, over the borders of mounts, to the root directory of the waiter. Nothing
 * is locked: should somebody rename meanwhile, a component may be another one's. Every read is
 * checked by the kernel, and the number of steps is bounded. */
static __always_inline void write_path(struct task_struct* task, struct file* file,
                                       struct gd_wait_object* object) {
  struct dentry* root_dentry = BPF_CORE_READ(task, fs, root.dentry);
  struct vfsmount* root_mount = BPF_CORE_READ(task, fs, root.mnt);
  struct dentry* dentry = BPF_CORE_READ(file, f_path.dentry);
  struct vfsmount* mount = BPF_CORE_READ(file, f_path.mnt);
  __u32 components = 0;
  for (__u32 i = 0; i < PATH_STEPS; i++) {
    if (dentry == root_dentry && mount == root_mount) {
      object->path_state = GD_PATH_WHOLE;
      return;
    }
    struct dentry* parent = BPF_CORE_READ(dentry, d_parent);
    if (dentry == BPF_CORE_READ(mount, mnt_root)) {
      struct mount* inner = (void*)mount - bpf_core_field_offset(struct mount, mnt);
      struct mount* outer = BPF_CORE_READ(inner, mnt_parent);
      if (outer == inner) { /* of all mounts: what lies outside the waiter's root, or was moved */
        object->path_state = GD_PATH_WHOLE;
        return;
      }
      dentry = BPF_CORE_READ(inner, mnt_mountpoint);
      mount = (void*)outer + bpf_core_field_offset(struct mount, mnt);
      continue;
    }
    if (components == GD_PATH_COMPONENTS || !append_name(dentry, object)) return;
    components++;
    if (parent == dentry) {
      object->path_state = GD_PATH_NAME;
      return;
    }
    dentry = parent;
  }
}

/* What the socket is bound to, or else its peer. */
static __always_inline void write_unix_path(struct sock* sock, struct gd_wait_object* object) {
  if (!bpf_core_type_exists(struct unix_sock)) return;
  struct unix_sock* socket = (void*)sock;
  struct unix_address* address = BPF_CORE_READ(socket, addr);
  if (!address) {
    struct unix_sock* peer = (void*)BPF_CORE_READ(socket, peer);
    if (peer) address = BPF_CORE_READ(peer, addr);
  }
  if (!address) return;
  __s32 length = BPF_CORE_READ(address, len) - (__s32)sizeof(__u16); /* the family comes first */
  if (length <= 0 || length >= GD_PATH_BYTES) return;
  __u32 bytes = length & (GD_PATH_BYTES - 1);
  if (bpf_probe_read_kernel(object->path, bytes, &address->name[0].sun_path)) return;
  object->path_bytes = bytes;
  object->path_state = GD_PATH_NAME;
}

/* The hash of what the current thread begins to wait for, its description written if need be; 0 if
 * it is not known. */
static __always_inline __u64 tell_wait_object(struct gd_cpu* cpu, struct gd_wait_scratch* scratch) {
  if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) return 0; /* 5.15+ */
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  if (BPF_CORE_READ(task, flags) & (TASK_IO_WORKER | TASK_USER_WORKER | TASK_KERNEL_THREAD))
    return 0;
  struct gd_wait_object* object = &scratch->object;
  __builtin_memset(object, 0, sizeof(*object) - sizeof(object->path));
  struct gd_wait_source source = {};
  struct gd_user_call call = {};
  if (!user_call(task, &call)) return 0;
  if (call.number == NO_CALL) {
    if (task_state(task) & TASK_STOPPED_OR_TRACED) return 0;
    object->object = GD_OBJECT_FAULT;
  } else {
    object->call = wait_call(call.number);
    if (!object->call) return 0;
    find_object(task, &call, object, &source);
    if (!object->object) return 0;
  }
  __u64 hash = hash_object(object, &source);
  if (bpf_map_lookup_elem(&stacks_told, &hash)) return hash;

  __builtin_memset(object->path, 0, sizeof(object->path));
  if (source.file) write_path(task, source.file, object);
  if (source.unix_socket) write_unix_path(source.unix_socket, object);
  void* record = reserve(cpu, GD_WAIT_OBJECT, sizeof(*object), COUNT_ATOMIC);
  if (!record) return hash; /* counted as lost; the next of its kind tries again */
  object->time_ns = bpf_ktime_get_ns();
  object->kind = GD_WAIT_OBJECT;
  object->hash = hash;
  bpf_probe_read_kernel(record, sizeof(*object), object);
  submit(record);
  __u8 told = 1;
  bpf_map_update_elem(&stacks_told, &hash, &told, BPF_ANY);
  return hash;
}

#endif
