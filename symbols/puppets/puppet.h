// SPDX-License-Identifier: Apache-2.0
// Parts of the puppets. Each returns an address within itself, behind the call that asks for it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void* PuppetHere(void) __attribute__((noinline));   // the caller's next instruction
void* PuppetLines(void) __attribute__((noinline));  // in C

#ifdef __cplusplus
}

void* PuppetInlined();  // in a function inlined in a function inlined in a template
#endif
