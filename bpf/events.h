// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The records that the kernel side puts into the rings, and the state it shares with the recorder.
 *
 * Included by BPF programs (C) and by the recorder (C++). One recorder always runs with the
 * programs it was built with, so these layouts may change at will; files have the layout of
 * schema/trace.proto.
 *
 * Kinds have the numbers of gordian::EventKind. Every record begins with gd_record.
 */
#ifndef GORDIAN_BPF_EVENTS_H
#define GORDIAN_BPF_EVENTS_H

#ifdef __cplusplus
#include <linux/types.h>
#endif

#define GD_MAX_CPUS 1024 /* a power of two: indices are masked with it */
#define GD_COMM_LENGTH 16
#define GD_SOFTIRQ_VECTORS 10
#define GD_LOOPBACKS 8      /* a power of two, too */
#define GD_SOFTIRQ_SLOTS 16 /* a power of two: the verifier wants a mask */
#define GD_COUNTED_CALLS 16 /* different system calls that one recording counts */

enum gd_kind {
  GD_SWITCH = 1,
  GD_WAKE = 2,
  GD_IRQ_RUN = 3,
  GD_BLOCK_ISSUE = 4,
  GD_BLOCK_COMPLETE = 5,
  GD_NET_SEND = 6,
  GD_NET_RECEIVE = 7,
  GD_TASK = 8,
  GD_COUNTED_CALL = 9, /* told as a probe's count */
  GD_FLOW = 11,
  GD_STACK_SAMPLE = 12,
  GD_STACK = 13,
  GD_WAIT_OBJECT = 14,
  GD_WORK = 15,
  GD_LOCAL_MESSAGE = 16,
  GD_KINDS = 17,
};

enum gd_context {
  GD_CONTEXT_THREAD = 0,
  GD_CONTEXT_SOFTIRQ = 1,
  GD_CONTEXT_HARDIRQ = 2,
  GD_CONTEXT_TIMER = 3,
};

enum gd_device_kind {
  GD_DEVICE_NONE = 0,
  GD_DEVICE_DISK = 1,
  GD_DEVICE_NIC = 2,
};

enum gd_stack_mode { GD_STACKS_OFF = 0, GD_STACKS_SAMPLED = 1, GD_STACKS_ALL = 2 };
enum gd_stack_moment { GD_STACK_WAIT = 1, GD_STACK_WAKE = 2, GD_STACK_CPU = 3 };

/* The object of a wait, as far as the thread's system call and the file behind its descriptor
 * tell. */
enum gd_object {
  GD_OBJECT_NONE = 0,
  GD_OBJECT_FUTEX = 1,
  GD_OBJECT_FILE = 2, /* of any type but a socket */
  GD_OBJECT_SOCKET = 3,
  GD_OBJECT_DESCRIPTORS = 4,
  GD_OBJECT_CHILD = 5,
  GD_OBJECT_TIMER = 6,
  GD_OBJECT_FAULT = 7,
};

/* The numbers of gordian::WaitCall. */
enum gd_call {
  GD_CALL_NONE = 0,
  GD_CALL_READ,
  GD_CALL_WRITE,
  GD_CALL_PREAD64,
  GD_CALL_PWRITE64,
  GD_CALL_READV,
  GD_CALL_WRITEV,
  GD_CALL_PREADV,
  GD_CALL_PWRITEV,
  GD_CALL_PREADV2,
  GD_CALL_PWRITEV2,
  GD_CALL_FSYNC,
  GD_CALL_FDATASYNC,
  GD_CALL_SYNC_FILE_RANGE,
  GD_CALL_FALLOCATE,
  GD_CALL_FTRUNCATE,
  GD_CALL_GETDENTS64,
  GD_CALL_LSEEK,
  GD_CALL_FLOCK,
  GD_CALL_FCNTL,
  GD_CALL_IOCTL,
  GD_CALL_CONNECT,
  GD_CALL_ACCEPT,
  GD_CALL_ACCEPT4,
  GD_CALL_SENDTO,
  GD_CALL_RECVFROM,
  GD_CALL_SENDMSG,
  GD_CALL_RECVMSG,
  GD_CALL_SENDMMSG,
  GD_CALL_RECVMMSG,
  GD_CALL_SHUTDOWN,
  GD_CALL_SENDFILE,
  GD_CALL_SPLICE,
  GD_CALL_COPY_FILE_RANGE,
  GD_CALL_EPOLL_WAIT,
  GD_CALL_EPOLL_PWAIT,
  GD_CALL_EPOLL_PWAIT2,
  GD_CALL_IO_URING_ENTER,
  GD_CALL_POLL,
  GD_CALL_PPOLL,
  GD_CALL_SELECT,
  GD_CALL_PSELECT6,
  GD_CALL_FUTEX,
  GD_CALL_FUTEX_WAITV,
  GD_CALL_FUTEX_WAIT,
  GD_CALL_WAIT4,
  GD_CALL_WAITID,
  GD_CALL_NANOSLEEP,
  GD_CALL_CLOCK_NANOSLEEP,
  GD_CALLS,
};

enum gd_path_state {
  GD_PATH_CUT = 0,   /* more stands before it */
  GD_PATH_WHOLE = 1, /* from the waiter's root directory on */
  GD_PATH_NAME = 2,  /* no path but a name, of what lies in no directory */
};
#define GD_PATH_BYTES 128 /* a power of two */
#define GD_PATH_COMPONENTS 8

#define GD_COMMAND_BYTES 256 /* a power of two, as is the next */
#define GD_DIRECTORY_BYTES 256

#define GD_KERNEL_FRAMES 48
#define GD_USER_FRAMES 96

/* Interrupts that have no irq number get one that no device has. */
enum gd_pseudo_irq {
  GD_IRQ_MAX_REAL = 0xfeff,
  GD_IRQ_LOCAL_TIMER = 0xff01,
  GD_IRQ_CALL_FUNCTION = 0xff02,
  GD_IRQ_WORK = 0xff03,
};

/* The records that the programs write. Between nothing and everything: births, names and deaths of
 * threads, so that a recording that pauses still knows all threads. */
enum gd_recording { GD_RECORD_NOTHING = 0, GD_RECORD_IDENTITIES = 1, GD_RECORD_ALL = 2 };

struct gd_record {
  __u64 time_ns;
  __u8 kind;
};

struct gd_switch {
  __u64 time_ns;
  __u8 kind;
  __u8 preempted;
  __u16 unused;
  __s32 prev_tid;
  __s32 next_tid;
  __u32 prev_state;
};

/* In one byte: bit fields would be read from the ring before they are written. */
enum gd_wake_how {
  GD_CONTEXT_MASK = 0x0f,
  GD_WAKER_IS_CAUSE = 0x10,
  GD_DEVICE_KIND_SHIFT = 5,
};

struct gd_wake {
  __u64 time_ns;
  __u8 kind;
  __u8 how; /* gd_context | GD_WAKER_IS_CAUSE | gd_device_kind << GD_DEVICE_KIND_SHIFT */
  __u16 vector;
  __s32 wakee_tid;
  __s32 waker_tid;
  __u32 device; /* of an interface the index in its network namespace */
  __u32 flow_id;
  __u32 network; /* of an interface: the inode of its network namespace */
};

struct gd_irq_run {
  __u64 time_ns; /* its end */
  __u8 kind;
  __u8 hard;
  __u8 woke;
  __u8 unused;
  __u32 vector;
  __u64 duration_ns;
};

struct gd_block {
  __u64 time_ns;
  __u8 kind;
  __u8 operation; /* gordian::BlockOperation */
  __u16 unused;
  __s32 tid;
  __u64 sector;
  __u64 service_ns;
  __u32 device;
  __u32 bytes;
};

struct gd_net {
  __u64 time_ns;
  __u8 kind;
  __u8 in_softirq;
  __u16 unused;
  __s32 tid;
  __u32 flow_id;
  __u32 interface; /* its index in its network namespace, … */
  __u32 bytes;
  __u32 sequence;
  __u32 network; /* … and the inode of that */
  __u32 unused_too;
};

struct gd_task {
  __u64 time_ns;
  __u8 kind;
  __u8 change; /* gordian::TaskChange */
  __u8 kernel_thread;
  __u8 unused;
  __s32 tid;
  __s32 tgid;
  __s32 parent_tid;
  __s32 namespaced_tid;
  __u32 state;
  __u64 start_time_ns;
  __u64 cgroup_id;
  __u64 switches; /* how often it left a CPU; told of those alive, else 0 */
  char comm[GD_COMM_LENGTH];
};

/* At exec, if command lines are recorded; else that is a gd_task alone. */
struct gd_exec {
  struct gd_task task;
  __u32 argument_bytes; /* of all arguments; the first of them are below */
  __u16 command_bytes;  /* 0: they could not be read */
  __u16 directory_bytes;
  __u8 directory_state; /* gd_path_state */
  __u8 unused[7];
  char command[GD_COMMAND_BYTES];     /* arguments, each with a NUL behind it */
  char directory[GD_DIRECTORY_BYTES]; /* names, innermost first, each with a NUL behind it */
};

struct gd_flow_key {
  __u8 family; /* gordian::FlowFamily */
  __u8 protocol;
  __u16 source_port;
  __u16 destination_port;
  __u16 unused;
  __u8 source[16];
  __u8 destination[16];
};

struct gd_flow {
  __u64 time_ns;
  __u8 kind;
  __u8 unused[3];
  __u32 flow_id;
  struct gd_flow_key key;
  __u32 origin_flow_id; /* its packets were sent in that flow, and got new addresses; 0: none did */
  __u32 unused_too;
};

/* The numbers of gordian::LocalChannel and LocalServer. */
enum gd_local_channel { GD_LOCAL_UNIX = 1, GD_LOCAL_PIPE = 2 };
enum gd_local_server { GD_SERVER_NOT_KNOWN = 0, GD_SERVER_SOURCE = 1, GD_SERVER_DESTINATION = 2 };

struct gd_local_end {
  __u64 number; /* of a socket its cookie, of a pipe its inode and device */
  __u64 inode;  /* 0: not known */
};

/* Of the kind GD_FLOW, too: it is longer than a gd_flow. */
struct gd_local_flow {
  __u64 time_ns;
  __u8 kind;
  __u8 channel; /* gd_local_channel */
  __u8 server;  /* gd_local_server */
  __u8 path_state;
  __u32 flow_id;
  struct gd_local_end source;
  struct gd_local_end destination;
  __u16 path_bytes;
  __u16 unused[3];
  char path[GD_PATH_BYTES];  /* as in gd_wait_object */
  char spare[GD_PATH_BYTES]; /* the verifier knows a name's place and its length, not their sum */
};

struct gd_local_message {
  __u64 time_ns;
  __u8 kind;
  __u8 sent;
  __u16 unused;
  __s32 tid;
  __u32 flow_id;
  __u32 bytes;
  __u64 since_ns; /* sent: how long before its first data could be read */
};

/* A thread's send that is under way. Threads whose ids share an entry lose each other's: the time
 * of such a send is that of its end. */
struct gd_local_send {
  __s32 tid;
  __u32 unused;
  __u64 receiver; /* the address of its socket; 0: not known yet */
  __u64 begun_ns;
};

struct gd_counted_call {
  __u64 time_ns; /* of its return */
  __u8 kind;
  __u8 call; /* which of those that are counted */
  __u16 unused;
  __s32 tid;
};

#define GD_QUEUE_BYTES 32
#define GD_FUNCTION_BYTES 48

struct gd_work {
  __u64 time_ns; /* when it was summed up */
  __u8 kind;
  __u8 unused[3];
  __s32 tid;
  __u64 duration_ns;
  __u32 runs;
  __u32 unused_too;
  char queue[GD_QUEUE_BYTES];
  char function[GD_FUNCTION_BYTES];
};

/* What a worker does at present. Only itself writes it; workers whose ids share an entry tell more
 * and shorter stretches. */
struct gd_worker {
  __s32 tid;
  __u32 runs;
  __u64 function;
  __u64 queue;
  __u64 told_ns;     /* since when it is summed up */
  __u64 started_ns;  /* of the run at hand; 0: none */
  __u64 duration_ns; /* of the runs that ended */
  char queue_name[GD_QUEUE_BYTES];
};

struct gd_stack_sample {
  __u64 time_ns;
  __u8 kind;
  __u8 moment;
  __u8 weight_log2;
  __u8 unused;
  __s32 tid;
  __u64 hash;        /* of a gd_stack; 0: there was none */
  __u64 object_hash; /* of a gd_wait_object; 0: not known */
};

struct gd_stack {
  __u64 time_ns;
  __u8 kind;
  __u8 exact; /* every user address is right: none was guessed */
  __u8 kernel_frames;
  __u8 user_frames;
  __s32 tgid; /* 0: no user frames */
  __u64 hash;
  __u64 hidden_caller;            /* between the first and the second of user; 0: there is none */
  __u64 kernel[GD_KERNEL_FRAMES]; /* only as many as the frames above are filled */
  __u64 user[GD_USER_FRAMES];
};

struct gd_wait_object {
  __u64 time_ns;
  __u8 kind;
  __u8 object; /* gd_object */
  __u8 call;   /* gd_call */
  __u8 path_state;
  __s32 tgid; /* futex, anonymous file: whose address or descriptor that is; else 0 */
  __u64 hash;
  __u64 value;      /* futex: address; file, socket: inode; descriptors: how many; child: as it was
                       asked for; timer: nanoseconds, 0: until a given time */
  __u32 device;     /* file: its file system's, or its own where it is one */
  __u32 generation; /* inodes are used again */
  __u16 mode;       /* file */
  __u8 shared;      /* futex: not private to the process */
  __u8 anonymous;   /* file: without an inode of its own (eventfd, epoll, …) */
  __s32 descriptor; /* anonymous file */
  __u16 family;     /* socket: AF_… */
  __u16 protocol;
  __u16 local_port;
  __u16 peer_port;
  __s32 peer_tgid; /* unix socket */
  __u8 listening;
  __u8 unused;
  __u16 path_bytes;
  __u8 local[16];
  __u8 peer[16];
  /* File: names, innermost first, each with a NUL behind it. Unix socket: its bound address. */
  char path[GD_PATH_BYTES];
};

/* How often an event happens, and of how many one is chosen: 2^shift. */
struct gd_rate {
  __u64 window_start; /* in ticks of the kernel */
  __u32 seen;
  __u32 shift;
};

struct gd_stack_cost {
  __u64 window_start; /* in ticks of the kernel */
  __u64 spent_ns;
};

struct gd_run_total {
  __u64 count;
  __u64 duration_ns;
};

/* A packet that was sent over an interface without hardware, and told: loopback, or a way between
 * two network namespaces. */
struct gd_loopback {
  __u64 skb;  /* its address; 0: none here */
  __u32 hash; /* loopback */
  __u32 bytes;
  __u32 flow_id;
  __u32 sequence; /* the others */
  __s32 tid;      /* the others: its sender */
};

/* The state of one CPU, kept by the programs that run on it; the recorder only reads. */
/* A CPU's ring. Its memory is cut into chunks, so that no element of the map is large; positions
 * only grow, and say where in which chunk. A record lies in one piece: the part that does not fit
 * before the end of a chunk goes on in the spare bytes behind it. In front of each record stands
 * this word, 0 until the record is whole. The reader leaves zeros in the place of a record it
 * took. */
struct gd_ring_header {
  __u32 written;
  __u32 bytes; /* with this; the next record begins at a multiple of 8 */
};

struct gd_ring_read {
  __u64 end;
} __attribute__((aligned(64))); /* another CPU writes it */

#define GD_RING_CHUNK_BYTES (1u << 18) /* a smaller ring is one chunk */
#define GD_RING_SPARE_BYTES 4096u      /* longer than any record */

struct gd_cpu {
  /* Interrupt context. Attaching in the middle of an interrupt would leave these wrong forever, so
   * every switch (which never happens inside an interrupt) clears them. */
  __u8 in_hardirq;
  __u8 in_softirq;
  __u8 hard_timer; /* an expiring timer is being served in the hardirq … */
  __u8 soft_timer; /* … or in the softirq, or outside of both as far as we know */
  __u8 hard_woke;
  __u8 soft_woke;
  __u16 softirq_vector;
  __u32 irq;
  __u64 hardirq_start_ns;
  __u64 softirq_start_ns;

  /* Every record counts here: kept beside the above, on the lines that are warm anyway. */
  __u64 ring_end; /* what is before it is taken, or written */
  __u32 ring_first_chunk;
  __u32 has_ring;        /* 0: the CPU was offline at the start */
  __u64 random;          /* the state of a generator; 0: not begun */
  __u32 stack_tightness; /* half as many stacks, a quarter, … */
  __u64 produced[GD_KINDS];

  /* The device whose completion or packet is being served, until the interrupt ends. */
  __u32 hard_disk; /* 0: none */
  __u32 soft_disk;
  __u32 packet_interface; /* 0: none */
  __u32 packet_network;   /* the inode of its network namespace */
  __u32 packet_flow;
  __s32 packet_sender; /* tid that sent it, if it did not leave this machine; 0: not known */
  __u32 packet_bytes;
  __u32 packet_sequence;
  __u8 packet_told;      /* its receive record was written, or is not needed */
  __s32 loopback_sender; /* the thread that last sent over loopback on this CPU without leaving it
                            since */

  struct gd_loopback loopbacks[GD_LOOPBACKS]; /* on their way, by address */

  __u32 next_flow; /* ids are handed out per CPU */

  struct gd_run_total softirqs[GD_SOFTIRQ_SLOTS]; /* by vector */
  struct gd_run_total local_timer;

  __u64 lost[GD_KINDS];
  __u64 left_out[GD_KINDS]; /* by the kernel, as programs of ours saw */
  __u64 sample_due_ns;      /* when the last sample of running threads was due; 0: none yet */
  __u64 samples_missed;     /* before that */
  __u64 flows_not_kept;     /* the flow table was full */
  __u64 requests_not_kept;  /* the table of disk requests was full */
  __u64 targets_not_kept;   /* the table of --only's threads could not take one */
  __u64 irq_runs_not_kept;  /* the table of interrupts' totals was full */
} __attribute__((aligned(64)));

/* In tests alone (test_window_rounds): how often an interrupt's program wrote while an interrupted
 * one did. */
#define GD_TEST_WINDOW_ROUNDS 64
struct gd_test_windows {
  __u64 interrupted;       /* between the record's place and its end */
  __u64 plain_interrupted; /* the same in programs that no interrupt can interrupt: never */
  __u64 taken_again;       /* while the record's place was looked for */
};

struct gd_irq_key {
  __u32 cpu;
  __u32 irq;
};

/* Membership of a thread in the analysis' targets, for --only. */
enum gd_role {
  GD_ROLE_TARGET = 1,
  GD_ROLE_WAKER = 2, /* woke a target once: what it does explains the target's waits */
};

#endif
