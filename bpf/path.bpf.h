// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The path of a file or directory, as the current thread would name it.
 *
 * Nothing is locked: another thread may rename a part meanwhile. Every read is one that the kernel
 * checks; at worst a name is another one's.
 */
#ifndef GORDIAN_BPF_PATH_H
#define GORDIAN_BPF_PATH_H

#include "bpf/state.bpf.h"

/* False if it does not fit. `capacity` is a power of two. Behind `text` lie capacity bytes more
 * that the verifier may believe to be written. */
static __always_inline bool append_name(struct dentry* dentry, char* text, __u32 capacity,
                                        __u16* text_bytes) {
  __u32 length = BPF_CORE_READ(dentry, d_name.hash_len) >> 32;
  __u32 used = *text_bytes;
  if (length >= capacity || used >= capacity || used + length >= capacity) return false;
  const unsigned char* name = BPF_CORE_READ(dentry, d_name.name);
  asm volatile("" : "+r"(used), "+r"(length)); /* keeps the masks, for the verifier */
  used &= capacity - 1;
  length &= capacity - 1;
  if (bpf_probe_read_kernel(text + used, length, name)) return false;
  *text_bytes = used + length + 1;
  return true;
}

/* The names from `dentry` outwards, each with a NUL behind it, over the borders of mounts, to the
 * root directory of the task. `text` is zeroed. Ends after `components` names (0: no such bound,
 * and less work for the verifier), or `steps` steps. */
static __always_inline __u8 write_names(struct task_struct* task, struct dentry* dentry,
                                        struct vfsmount* mount, char* text, __u32 capacity,
                                        __u16* text_bytes, __u32 components, __u32 steps) {
  struct dentry* root_dentry = BPF_CORE_READ(task, fs, root.dentry);
  struct vfsmount* root_mount = BPF_CORE_READ(task, fs, root.mnt);
  __u32 named = 0;
  for (__u32 i = 0; i < steps; i++) {
    if (dentry == root_dentry && mount == root_mount) return GD_PATH_WHOLE;
    struct dentry* parent = BPF_CORE_READ(dentry, d_parent);
    if (dentry == BPF_CORE_READ(mount, mnt_root)) {
      struct mount* inner = (void*)mount - bpf_core_field_offset(struct mount, mnt);
      struct mount* outer = BPF_CORE_READ(inner, mnt_parent);
      if (outer == inner)
        return GD_PATH_WHOLE; /* of all mounts: what lies outside the task's root,
                                 or was moved */
      dentry = BPF_CORE_READ(inner, mnt_mountpoint);
      mount = (void*)outer + bpf_core_field_offset(struct mount, mnt);
      continue;
    }
    if (components && named++ == components) return GD_PATH_CUT;
    if (!append_name(dentry, text, capacity, text_bytes)) return GD_PATH_CUT;
    if (parent == dentry) return GD_PATH_NAME;
    dentry = parent;
  }
  return GD_PATH_CUT;
}

#endif
