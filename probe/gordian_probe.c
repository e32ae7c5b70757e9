// SPDX-License-Identifier: Apache-2.0
/* The shared library libgordian_probe.so.0. */
#define _GNU_SOURCE
#include "gordian_probe.h"

#define GORDIAN_PROBE_LINKAGE static
#define GORDIAN_PROBE_UNTIL_LINKAGE
#include "gordian_probe_writer.h"

void gordian_probe_say(int kind, uint64_t value, const char* name, const char* key) {
  gordian_probe_speak(kind, value, name, key);
}

void gordian_probe_prepare(void) { gordian_probe_prepare_all(); }

/* At the start of the program, before it may have entered a sandbox. */
__attribute__((constructor)) static void gordian_probe_begin(void) {
  gordian_probe_prepare_process();
}
