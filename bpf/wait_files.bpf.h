// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The object behind a file descriptor of the current thread: the file and its path, or the socket
 * and its peer.
 *
 * Nothing is locked: another thread may close the descriptor or rename the file meanwhile. Every
 * read is one that the kernel checks; at worst a number or a name is another one's.
 */
#ifndef GORDIAN_BPF_WAIT_FILES_H
#define GORDIAN_BPF_WAIT_FILES_H

#include "bpf/path.bpf.h"
#include "bpf/stack_scratch.bpf.h"

enum {
  MODE_TYPE = 0170000,
  MODE_SOCKET = 0140000,
  MODE_BLOCK_DEVICE = 0060000,
  MODE_CHARACTER_DEVICE = 0020000,
  ANONYMOUS_INODES = 0x09041934, /* the magic number of their file system */
  FAMILY_UNIX = 1,
  FAMILY_IPV4 = 2,
  FAMILY_IPV6 = 10,
  STATE_LISTENS = 10,
  PATH_STEPS = 14, /* components, and mounts on the way */
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

static __always_inline void write_path(struct task_struct* task, struct file* file,
                                       struct gd_wait_object* object) {
  struct dentry* dentry = BPF_CORE_READ(file, f_path.dentry);
  struct vfsmount* mount = BPF_CORE_READ(file, f_path.mnt);
  object->path_state = write_names(task, dentry, mount, object->path, GD_PATH_BYTES,
                                   &object->path_bytes, GD_PATH_COMPONENTS, PATH_STEPS);
}

/* The socket's bound address, or else its peer. */
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

#endif
