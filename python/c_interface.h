// SPDX-License-Identifier: Apache-2.0
// What Python calls, by ctypes (python/gordian/_library.py has the same declarations).
//
// Recordings are numbers. All functions are thread-safe, and never let an exception through. Where
// one fails, `line` holds a line for the user, at most `line_bytes` with its end.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

// Asked now and then in long work, from the calling thread. Not 0: stop. Null: it is not asked.
typedef int (*gordian_stop)();

// A column, as long as its recording is open. `value_kind` is that of NumPy: i (signed) or f.
struct gordian_array {
  const char* name;
  const void* values;
  uint64_t rows;
  uint32_t value_bytes;
  char value_kind;
  char is_text;  // its values are numbers of words
  const char* words;
  const uint64_t* word_ends;
  uint64_t word_count;
};

// `options` are pairs of name and value, and end with a null: pid, comm, cgroup, node (repeatable),
// memory (bytes), threads. 0, with the recording's number (above 0), or -1. The number has a place
// of its own: who is interrupted before it looks at what this returns finds it there all the same.
int32_t gordian_open_recording(const char* directory, const char* const* options, int64_t* number,
                               gordian_stop stop, char* line, size_t line_bytes);
// SQL that reads it goes on. Its arrays are gone.
void gordian_close_recording(int64_t recording);

// The number of the table's columns, or -1.
int32_t gordian_make_arrays(int64_t recording, const char* table, gordian_stop stop, char* line,
                            size_t line_bytes);
// 0, or -1. Behind gordian_make_arrays it takes no time.
int32_t gordian_array_of(int64_t recording, const char* table, int32_t column, gordian_array* array,
                         char* line, size_t line_bytes);

// Analyzes it, if it is not yet: for SQL. 0, or -1.
int32_t gordian_analyze_recording(int64_t recording, gordian_stop stop, char* line,
                                  size_t line_bytes);

// Each table, its columns and an example.
const char* gordian_schema();
const char* gordian_version();
}
