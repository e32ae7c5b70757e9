/* Block devices: what was asked of each disk, by whom, and when it was done. */
#include "bpf/state.bpf.h"

struct inflight {
  __u64 issue_ns; /* 0: not yet issued */
  __u64 sector;
  __u32 device;
  __u32 bytes;
  __s32 tid;
  __u8 operation;
  __u8 told;     /* its issue was recorded */
  __u8 requeued; /* the driver had no room and gave it back: it will be issued again */
};

/* A request's fields change while it is served, so what it was is kept from its issue to its
 * completion. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, __u64);
  __type(value, struct inflight);
} requests SEC(".maps") __weak;

/* The thread that last asked a disk to empty its cache. The request that does it is the kernel's
 * own, made on behalf of all who asked meanwhile and issued by a worker: it is told as the last
 * asker's. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1024);
  __type(key, __u32);
  __type(value, __s32);
} flush_askers SEC(".maps") __weak;

enum req_flag_bits { __REQ_PREFLUSH };

static __always_inline bool asks_for_flush(__u32 command) {
  return command & (1u << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH));
}

static __always_inline __u32 device_of(struct request* request) {
  struct gendisk* disk = request_disk(request);
  return (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

/* The same where the verifier knows the request's type: plain loads instead of helper calls. */
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
SEC("raw_tp/block_io_start")
int BPF_PROG(raw_block_start, struct request* request) {
  __u64 key = (__u64)request;
  struct inflight started = {.tid = current_tid()};
  bpf_map_update_elem(&requests, &key, &started, BPF_ANY);
  if (asks_for_flush(BPF_CORE_READ(request, cmd_flags))) {
    __u32 device = device_of(request);
    bpf_map_update_elem(&flush_askers, &device, &started.tid, BPF_ANY);
  }
  return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_issue, struct request* request) {
  __u64 key = (__u64)request;
  struct inflight issued = {};
  struct inflight* started = bpf_map_lookup_elem(&requests, &key);
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
    __s32* asker = bpf_map_lookup_elem(&flush_askers, &issued.device);
    if (asker) issued.tid = *asker;
  }
  issued.told = !only_targets || role_of(issued.tid) != 0;
  if (started)
    *started = issued; /* nobody else asks for it before it is done */
  else if (bpf_map_update_elem(&requests, &key, &issued, BPF_ANY))
    __sync_fetch_and_add(&this_cpu()->requests_not_kept, 1);
  if (issued.told) emit(GD_BLOCK_ISSUE, &issued, issued.issue_ns, 0);
  return 0;
}

SEC("raw_tp/block_rq_requeue")
int BPF_PROG(raw_block_requeue, struct request* request) {
  __u64 key = (__u64)request;
  struct inflight* found = bpf_map_lookup_elem(&requests, &key);
  if (found && found->issue_ns) found->requeued = 1;
  return 0;
}

/* Tells the wakes that follow in this interrupt whose they are. */
static __always_inline void tag_interrupt(__u32 device) {
  struct gd_cpu* cpu = this_cpu();
  if (cpu->in_hardirq)
    cpu->hard_disk = device;
  else if (cpu->in_softirq)
    cpu->soft_disk = device;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_complete, struct request* request, int error, unsigned int bytes) {
  __u64 key = (__u64)request;
  struct inflight* found = bpf_map_lookup_elem(&requests, &key);
  if (!found) {
    /* Issued before we came: what it was is still known, except by whom and since when. Without
     * bytes it is somebody's wish for a flush, which the disk never saw: the flush itself had a
     * request of its own. */
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
    bpf_map_delete_elem(&requests, &key);
    return 0;
  }
  tag_interrupt(found->device);
  /* A part of a request may be done before the rest: it is complete with its last part. */
  if (bytes < request->__data_len) return 0;
  struct inflight done = *found;
  bpf_map_delete_elem(&requests, &key);
  __u64 now_ns = bpf_ktime_get_ns();
  if (done.told) emit(GD_BLOCK_COMPLETE, &done, now_ns, now_ns - done.issue_ns);
  return 0;
}
