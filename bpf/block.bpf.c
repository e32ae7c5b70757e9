// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Block devices: the requests to each disk, the threads that made them, and their completions. */
#include "bpf/state.bpf.h"

struct inflight {
  __u64 request;  /* its address; 0: the place is free */
  __u64 issue_ns; /* 0: not yet issued */
  __u64 sector;
  __u32 device;
  __u32 bytes;
  __s32 tid;
  __u8 operation;
  __u8 told;     /* its issue was recorded */
  __u8 requeued; /* the driver had no room and gave it back: it will be issued again */
};

/* A request's fields change while it is served, so they are kept from its issue to its completion:
 * in one of a few places from the one that its address's sum gives. The kernel makes its requests
 * once and uses them again and again, so the places are seldom too few; and the plain loads of an
 * array cost a part of a hash table's helpers. */
enum { REQUESTS = 16384, PLACES_OF_ONE = 8 };
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, REQUESTS);
  __type(key, __u32);
  __type(value, struct inflight);
} requests SEC(".maps") __weak;

static __always_inline struct inflight* place(const struct request* request, __u32 which) {
  /* Of a pointer the verifier lets us reckon with the low half only. */
  __u32 sum = (__u32)(__u64)request * 0x9e3779b1u;
  __u32 index = ((sum >> 18) + which) & (REQUESTS - 1);
  _Static_assert(REQUESTS == 1 << (32 - 18), "as many as the sum can tell apart");
  return bpf_map_lookup_elem(&requests, &index);
}

/* The time when the recording last went on after a pause: an earlier request may have been
 * completed, and its memory used again, unseen. */
__u64 requests_known_since_ns __weak;

static __always_inline struct inflight* find_request(const struct request* request) {
  for (__u32 i = 0; i < PLACES_OF_ONE; i++) {
    struct inflight* here = place(request, i);
    if (!here || here->request != (__u64)request) continue;
    if (!here->issue_ns || here->issue_ns >= requests_known_since_ns) return here;
    *(volatile __u64*)&here->request = 0;
    return 0;
  }
  return 0;
}

/* Its place, all else in it 0; null if all are taken. Other CPUs may take places for other requests
 * meanwhile. A leftover of an earlier use of this request, whose end was not seen, is used if it is
 * met. If not, it stands further behind, and a search always finds the first. */
static __always_inline struct inflight* keep_request(const struct request* request) {
  struct inflight* kept = 0;
  for (__u32 i = 0; i < PLACES_OF_ONE; i++) {
    struct inflight* here = place(request, i);
    if (!here) continue; /* never */
    __u64 holds = here->request;
    if (!holds) holds = __sync_val_compare_and_swap(&here->request, 0, (__u64)request);
    if (holds && holds != (__u64)request) continue;
    kept = here;
    break;
  }
  if (!kept) return 0;
  __builtin_memset((char*)kept + sizeof(kept->request), 0, sizeof(*kept) - sizeof(kept->request));
  return kept;
}

static __always_inline void forget_request(struct inflight* kept) {
  *(volatile __u64*)&kept->request = 0;
}

/* The thread that last asked a disk to empty its cache, and which disk, as one word. The request
 * that does it is the kernel's own, made on behalf of all threads that asked meanwhile and issued
 * by a worker: it is told as the last asker's. If two disks meet in a place, the last one counts,
 * and the other's flush is told as its issuer's. */
enum { FLUSHED_DISKS = 1024 };
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, FLUSHED_DISKS);
  __type(key, __u32);
  __type(value, __u64);
} flush_askers SEC(".maps") __weak;

static __always_inline volatile __u64* flush_asker(__u32 device) {
  __u32 index = (device ^ device >> 14) & (FLUSHED_DISKS - 1);
  return bpf_map_lookup_elem(&flush_askers, &index);
}

static __always_inline void note_flush_asker(__u32 device, __s32 tid) {
  volatile __u64* asker = flush_asker(device);
  if (asker) *asker = (__u64)device << 32 | (__u32)tid;
}

static __always_inline __s32 flush_asker_or(__u32 device, __s32 issuer) {
  volatile __u64* noted = flush_asker(device);
  __u64 asker = noted ? *noted : 0;
  return asker && asker >> 32 == device ? (__s32)asker : issuer;
}

enum req_flag_bits { __REQ_PREFLUSH };

static __always_inline bool asks_for_flush(__u32 command) {
  return command & (1u << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH));
}

static __always_inline __u32 device_of(struct request* request) {
  struct gendisk* disk = request_disk(request);
  return (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

/* The same if the verifier knows the request's type: plain loads instead of helper calls. */
static __always_inline __u32 typed_device_of(struct request* request) {
  if (bpf_core_field_exists(((struct request___old*)request)->rq_disk)) return device_of(request);
  struct gendisk* disk = request->q->disk;
  return (__u32)disk->major << 20 | (__u32)disk->first_minor;
}

/* The low bits of cmd_flags: REQ_OP_*. Values as in gordian::BlockOperation. */
static __always_inline __u8 operation_of(__u32 command) {
  switch (command & 0xff) {
    case 0:
      return 1; /* read */
    case 1:
      return 2; /* write */
    case 2:
      return 3; /* flush */
    case 3:
    case 5:
      return 4; /* discard, secure erase */
  }
  return 0;
}

static __always_inline void emit(enum gd_kind kind, const struct inflight* request, __u64 now_ns,
                                 __u64 service_ns) {
  struct gd_block* record = reserve(this_cpu(), kind, sizeof(*record), COUNT_ATOMIC);
  if (!record) return;
  record->time_ns = now_ns;
  record->kind = kind;
  record->operation = request->operation;
  record->unused = 0;
  record->tid = request->tid;
  record->sector = request->sector;
  record->service_ns = service_ns;
  record->device = request->device;
  record->bytes = request->bytes;
  submit(record);
}

/* 6.5+: fires in the thread that submitted the request; the issue itself may come later, from a
 * kernel worker. */
SEC("tp_btf/block_io_start")
int BPF_PROG(block_start, struct request* request) {
  __s32 tid = current_tid();
  struct inflight* started = keep_request(request);
  if (started) started->tid = tid;
  if (asks_for_flush(request->cmd_flags)) note_flush_asker(typed_device_of(request), tid);
  return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_issue, struct request* request) {
  struct inflight issued = {.request = (__u64)request};
  struct inflight* started = find_request(request);
  if (started && started->requeued) {
    /* In flight since its first issue: a second one would never be completed. */
    started->requeued = 0;
    return 0;
  }
  issued.tid = started && !started->issue_ns ? started->tid : current_tid();
  issued.issue_ns = bpf_ktime_get_ns();
  issued.sector = request->__sector;
  issued.device = typed_device_of(request);
  issued.bytes = request->__data_len;
  issued.operation = operation_of(request->cmd_flags);
  if (issued.operation == 3) {
    issued.sector = 0;
    issued.tid = flush_asker_or(issued.device, issued.tid);
  }
  issued.told = !only_targets || role_of(issued.tid) != 0;
  if (!started) started = keep_request(request);
  if (started)
    *started = issued; /* nobody else asks for it before it is done */
  else
    __sync_fetch_and_add(&this_cpu()->requests_not_kept, 1);
  if (issued.told) emit(GD_BLOCK_ISSUE, &issued, issued.issue_ns, 0);
  return 0;
}

SEC("raw_tp/block_rq_requeue")
int BPF_PROG(raw_block_requeue, struct request* request) {
  struct inflight* found = find_request(request);
  if (found && found->issue_ns) found->requeued = 1;
  return 0;
}

/* Tells the wakes that follow in this interrupt their device. */
static __always_inline void tag_interrupt(__u32 device) {
  struct gd_cpu* cpu = this_cpu();
  if (cpu->in_hardirq)
    cpu->hard_disk = device;
  else if (cpu->in_softirq)
    cpu->soft_disk = device;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_complete, struct request* request, int error, unsigned int bytes) {
  struct inflight* found = find_request(request);
  if (!found) {
    /* Issued before we came: all is still known except its thread and its time. Without bytes it is
     * a thread's wish for a flush, which the disk never saw: the flush itself had a request of its
     * own. */
    struct inflight unseen = {
        .sector = request->__sector,
        .device = typed_device_of(request),
        .bytes = bytes,
        .operation = operation_of(request->cmd_flags),
    };
    tag_interrupt(unseen.device);
    if (bytes && !only_targets) emit(GD_BLOCK_COMPLETE, &unseen, bpf_ktime_get_ns(), 0);
    return 0;
  }
  if (!found->issue_ns) {
    tag_interrupt(typed_device_of(request));
    forget_request(found);
    return 0;
  }
  tag_interrupt(found->device);
  /* A part of a request may be done before the rest: it is complete with its last part. */
  if (bytes < request->__data_len) return 0;
  struct inflight done = *found;
  forget_request(found);
  __u64 now_ns = bpf_ktime_get_ns();
  if (done.told) emit(GD_BLOCK_COMPLETE, &done, now_ns, now_ns - done.issue_ns);
  return 0;
}
