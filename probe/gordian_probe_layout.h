// SPDX-License-Identifier: Apache-2.0
/* The file that a process speaks through: /dev/shm/gordian-probe.PID.NUMBER
 * (docs/design-probes.md).
 *
 *   0      struct gordian_probe_header, one page
 *   4096   struct gordian_probe_ring, one per ring
 *   then   the rings: records_per_ring records each
 *
 * Numbers are in the machine's byte order. C and C++; the Java and Python modules have the same
 * offsets written out. Fields are only added, in the gaps; another layout is another version. */
#ifndef GORDIAN_PROBE_LAYOUT_H
#define GORDIAN_PROBE_LAYOUT_H

#include <stdint.h>

#define GORDIAN_PROBE_MAGIC UINT64_C(0x31626f7270647267) /* "grdprob1" */
#define GORDIAN_PROBE_VERSION 1u

enum {
  GORDIAN_PROBE_HEADER_BYTES = 4096,
  GORDIAN_PROBE_RINGS = 128,
  GORDIAN_PROBE_RECORDS = 8192, /* of a ring; a power of two */
  GORDIAN_PROBE_NAME_BYTES = 48,
  GORDIAN_PROBE_KEY_BYTES = 56,
  GORDIAN_PROBE_TEXT_BYTES = GORDIAN_PROBE_NAME_BYTES + GORDIAN_PROBE_KEY_BYTES,
};

struct gordian_probe_header {
  uint64_t magic; /* stored last: before, the file is nobody's */
  uint32_t version;
  uint32_t header_bytes; /* where the struct gordian_probe_ring begin */
  uint32_t rings;
  uint32_t records_per_ring;
  uint32_t record_bytes;
  int32_t pid;            /* in its own pid namespace … */
  uint64_t pid_namespace; /* … which is this inode; 0: not known */
  uint64_t created_ns;    /* CLOCK_MONOTONIC */
  uint8_t reserved0[80];
  /* The recorder's only word, on a cache line of its own. */
  uint64_t record_until_ns;
  uint8_t reserved1[56];
  uint64_t dropped; /* words of threads that had no ring */
  uint8_t reserved2[3896];
};

/* A cache line. Written by the ring's one thread alone, except `owner`. */
struct gordian_probe_ring {
  /* Records begun and ended, in all. Record n stands at n % records_per_ring; it is whole if
   * n < ended and, when it has been copied, begun <= n + records_per_ring. */
  uint64_t begun;
  uint64_t ended;
  uint64_t dropped; /* words of signal handlers that came in the middle of another */
  uint32_t owner;   /* the thread's id in its own pid namespace; 0: free */
  uint32_t reserved0;
  uint8_t reserved1[32];
};

struct gordian_probe_record {
  uint64_t time_ns;
  uint64_t value;
  int32_t tid; /* in its own pid namespace */
  uint8_t kind;
  uint8_t name_bytes;
  uint8_t key_bytes;
  uint8_t reserved0;
  char text[GORDIAN_PROBE_TEXT_BYTES]; /* the name, then the key */
};

#define GORDIAN_PROBE_FILE_BYTES                                       \
  (GORDIAN_PROBE_HEADER_BYTES +                                        \
   GORDIAN_PROBE_RINGS * (uint64_t)sizeof(struct gordian_probe_ring) + \
   GORDIAN_PROBE_RINGS * GORDIAN_PROBE_RECORDS * (uint64_t)sizeof(struct gordian_probe_record))

/* The file that a recorder leaves in /dev/shm, root's or the process's own uid's: one uint64_t, the
 * time until which processes that begin meanwhile must record. */
#define GORDIAN_PROBE_DIRECTORY "/dev/shm"
#define GORDIAN_PROBE_PREFIX "gordian-probe."
#define GORDIAN_PROBE_MARK "gordian-recording"
/* No deadline is believed to be further away than this. */
#define GORDIAN_PROBE_LONGEST_NS UINT64_C(3000000000)

#ifdef __cplusplus
#define GORDIAN_PROBE_STATIC_ASSERT static_assert
#else
#define GORDIAN_PROBE_STATIC_ASSERT _Static_assert
#endif
GORDIAN_PROBE_STATIC_ASSERT(sizeof(struct gordian_probe_header) == GORDIAN_PROBE_HEADER_BYTES,
                            "a page");
GORDIAN_PROBE_STATIC_ASSERT(sizeof(struct gordian_probe_ring) == 64, "a cache line");
GORDIAN_PROBE_STATIC_ASSERT(sizeof(struct gordian_probe_record) == 128, "two cache lines");

#endif
