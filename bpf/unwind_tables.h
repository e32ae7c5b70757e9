// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The way from a function to its caller, as the recorder tells it to the kernel side: tables of
 * rows in memory that both see. Plain C, for both.
 *
 * unwind_processes   tgid -> which set of mappings, and its generation
 * unwind_mappings    set -> struct gd_unwind_mappings: ranges of addresses, sorted
 * unwind_chunks      chunk -> struct gd_unwind_chunk: rows of the files mapped there, sorted
 */
#ifndef GORDIAN_BPF_UNWIND_TABLES_H
#define GORDIAN_BPF_UNWIND_TABLES_H

#include <linux/types.h>

/* As gordian::UnwindRule says them. */
enum gd_unwind_rule {
  GD_UNWIND_NONE = 0,
  GD_UNWIND_END = 1,
  GD_UNWIND_STACK = 2,
  GD_UNWIND_FRAME = 3,
  GD_UNWIND_PLT = 4,
  GD_UNWIND_REALIGNED = 5,
  GD_UNWIND_SIGNAL = 6,
};

/* As gordian::UnwindRow. */
struct gd_unwind_row {
  __u32 address; /* less the range's bias */
  __s16 cfa_words;
  __s8 frame_words;
  __u8 rule;
};

/* Chunks are made as they are needed, of one size, so that a range names its rows by one number.
 * 32,768 rows of 8 bytes: 256 KiB each, 32 MiB in all. */
#define GD_UNWIND_CHUNK_ROWS 32768u
#define GD_UNWIND_CHUNKS 128u
struct gd_unwind_chunk {
  struct gd_unwind_row rows[GD_UNWIND_CHUNK_ROWS];
};

/* In place of a chunk: */
#define GD_UNWIND_OUTSIDE 0xffffffffu  /* no code that we know of lies here */
#define GD_UNWIND_NO_TABLE 0xfffffffeu /* code that tells nothing of its frames */

/* Reaches up to the next one's start. */
struct gd_unwind_range {
  __u64 start;
  __u64 bias;
  __u32 chunk;
  __u16 first_row;
  __u16 rows; /* 0 stands for all of a chunk */
};

#define GD_UNWIND_RANGES 1024u
struct gd_unwind_mappings {
  __u32 generation; /* of what stands in this place; 0 while it is written */
  __u32 count;      /* at least 1; the first range begins at 0 */
  struct gd_unwind_range ranges[GD_UNWIND_RANGES];
};

/* Sets of mappings that are known at once; equal ones are one. 24 KiB each, 12 MiB in all: not made
 * as they are needed, since changing a map of maps takes some 30 ms, and every new process would
 * have to wait for that. */
#define GD_UNWIND_SETS 512u
#define GD_UNWIND_PROCESSES 8192u

struct gd_unwind_process {
  __u32 set;
  __u32 generation;
};

/* Processes that were met without a table, or outside of their table's ranges: by the low bits of
 * the tgid, written by the kernel side, taken by the recorder. */
#define GD_UNWIND_MISSES 64u

enum gd_unwind_count {
  GD_UNWIND_WHOLE,
  GD_UNWIND_IN_PART,
  GD_UNWIND_TOO_DEEP,
  GD_UNWIND_BY_FRAME_POINTERS,
  GD_UNWIND_COUNTS,
};

#endif
