// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The few kernel structures the programs look into, with only the members they read.
 *
 * Written by hand instead of a generated vmlinux.h: the build then needs no BTF of the build
 * machine, gives the same object everywhere, and a reader sees at once what we depend on. The
 * members' true places are found when the programs load (CO-RE); `___old` flavours stand for what
 * members were called in older kernels.
 */
#ifndef GORDIAN_BPF_KERNEL_TYPES_H
#define GORDIAN_BPF_KERNEL_TYPES_H

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/types.h>

typedef _Bool bool;
#define true 1
#define false 0

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
  __u64 id;
};

struct cgroup_subsys_state {
  struct cgroup* cgroup;
  struct cgroup_subsys_state* parent;
};

struct cgroup {
  struct cgroup_subsys_state self;
  struct kernfs_node* kn;
};

struct css_set {
  struct cgroup* dfl_cgrp;
};

struct upid {
  int nr;
};

struct pid {
  unsigned int level;
  struct upid numbers[1];
};

struct sched_entity {
  unsigned char sched_delayed; /* 6.12+ */
};

struct qstr {
  __u64 hash_len;
  const unsigned char* name;
};

struct dentry {
  struct dentry* d_parent;
  struct qstr d_name;
};

struct super_block {
  __u32 s_dev;
  unsigned long s_magic;
};

struct inode {
  __u16 i_mode;
  struct super_block* i_sb;
  unsigned long i_ino;
  __u32 i_rdev;
  __u32 i_generation;
};

struct vfsmount {
  struct dentry* mnt_root;
};

struct mount {
  struct mount* mnt_parent;
  struct dentry* mnt_mountpoint;
  struct vfsmount mnt;
};

struct path {
  struct vfsmount* mnt;
  struct dentry* dentry;
};

struct file {
  struct path f_path;
  struct inode* f_inode;
  void* private_data;
};

struct fdtable {
  unsigned int max_fds;
  struct file** fd;
};

struct files_struct {
  struct fdtable* fdt;
};

struct fs_struct {
  struct path root;
  struct path pwd;
};

struct mm_struct {
  unsigned long arg_start;
  unsigned long arg_end;
};

struct in6_addr {
  __u8 bytes[16];
};

struct socket;

struct sock_common {
  __u32 skc_daddr;
  __u32 skc_rcv_saddr;
  __u16 skc_dport;
  __u16 skc_num;
  unsigned short skc_family;
  volatile unsigned char skc_state;
  struct in6_addr skc_v6_daddr; /* with IPv6 built in */
  struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
  struct sock_common __sk_common;
  __u16 sk_type;
  __u16 sk_protocol;
  struct socket* sk_socket;
  struct pid* sk_peer_pid;
};

struct socket {
  struct file* file;
  struct sock* sk;
};

struct kiocb {
  struct file* ki_filp;
};

struct sockaddr_un {
  __u16 sun_family;
  char sun_path[108];
};

struct unix_address {
  int len; /* of name */
  struct sockaddr_un name[0];
};

struct unix_sock {
  struct unix_address* addr;
  struct sock* peer;
};

struct thread_info {
  __u32 status; /* x86 */
};

struct workqueue_struct {
  char name[24]; /* 32 since 6.8 */
};

struct pool_workqueue {
  struct workqueue_struct* wq;
};

struct worker {
  struct pool_workqueue* current_pwq;
};

struct kthread {
  void* data;
};

struct work_struct {
  void* func;
};

struct task_struct {
  void* worker_private; /* of a kernel thread its struct kthread; 5.17+ */
  struct thread_info thread_info;
  struct files_struct* files;
  struct fs_struct* fs;
  struct mm_struct* mm;
  unsigned int __state; /* 5.14+ */
  unsigned int flags;
  int on_rq;
  struct sched_entity se;
  int pid;
  int tgid;
  struct task_struct* real_parent;
  struct task_struct* group_leader;
  struct pid* thread_pid;
  __u64 start_time;
  unsigned long nvcsw;
  unsigned long nivcsw;
  char comm[16];
  struct css_set* cgroups;
};

struct task_struct___old {
  long state; /* before 5.14 */
};

struct linux_binprm;

struct gendisk {
  int major;
  int first_minor;
};

struct request_queue {
  struct gendisk* disk; /* 5.15+ */
};

struct request {
  struct request_queue* q;
  unsigned int cmd_flags;
  unsigned int __data_len;
  __u64 __sector;
};

struct request___old {
  struct gendisk* rq_disk; /* before 5.17 */
};

struct irq_data {
  unsigned int irq;
};

struct irq_desc {
  struct irq_data irq_data;
};

struct ns_common {
  unsigned int inum;
};

struct net {
  struct ns_common ns;
};

typedef struct {
  struct net* net;
} possible_net_t;

struct device {
  struct device* parent;
};

struct net_device {
  unsigned int flags;
  int ifindex;
  possible_net_t nd_net;
  struct device dev;
};

struct sk_buff {
  struct net_device* dev;
  unsigned int len;
  __u32 hash;
  __u16 protocol;
  __u16 transport_header;
  __u16 network_header;
  unsigned char* head;
};

struct iphdr {
  __u8 ihl : 4; /* little-endian; CO-RE finds the true place */
  __u16 frag_off;
  __u8 protocol;
  __u32 saddr;
  __u32 daddr;
};

struct tcphdr { /* of UDP, too, as far as the ports */
  __u16 source;
  __u16 dest;
  __u32 seq;
};

struct seq_file;

struct bpf_iter_meta {
  struct seq_file* seq;
};

struct bpf_iter__task {
  struct bpf_iter_meta* meta;
  struct task_struct* task;
};

#pragma clang attribute pop

#endif
