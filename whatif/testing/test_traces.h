// SPDX-License-Identifier: Apache-2.0
// Recordings of small programs whose throughput can be calculated by hand.
#pragma once

#include <cstdint>

#include "tests/support/time_literals.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {

// A works 2 ms and waits for B to make room; B works, syncs to vda, makes room.
TraceBuilder Figure1Trace(int requests, uint64_t work_ns = 5_ms, uint64_t sync_ns = 5_ms);
// client works 2 ms and asks server, which works 2 ms and answers; in each second round it works 1
// ms more, syncs to vda for 4 ms, and works 1 ms more.
TraceBuilder SometimesSyncedTrace(int rounds);
// reader works 1 ms and reads from vda for 8 ms.
TraceBuilder ReaderTrace(int reads);
// On two CPUs. app works 2 ms and wakes journal, a kernel thread that works 0.5 ms, writes to vda
// for 4 ms, works 0.5 ms and wakes kworker, which works 0.5 ms and wakes app.
TraceBuilder JournalTrace(int rounds);
// The same on three CPUs, but before its write in the round before this one journal asks another
// kworker, and that one wakes app in this round. (So a pool of workers hands on its work.)
TraceBuilder JournalTrace(int rounds, int helped_round);
// On one CPU: app works 2 ms, wakes kworker and waits for vda; kworker works 1 ms and sends the
// request, which takes 2 ms.
TraceBuilder AskedWorkerTrace(int rounds);
// Every 10 ms: the compressor works all the time; the producer has 2 ms of work and waits for room;
// the consumer waits for data, works 1 ms and writes 3 ms to vda.
TraceBuilder PipelineTrace(int items);
// Four threads called worker on four CPUs, that think 4 ms and hold a lock 2 ms, of which they work
// `work_ns` and wait for vda the rest.
TraceBuilder LockTrace(int rounds, uint64_t work_ns = 2_ms);
// Two threads called worker on two CPUs hold a lock in turn for 5 ms: they work 1 ms and sync to
// vda for the rest. The other one sleeps meanwhile, and looks after 2 ms whether the lock is free.
// `takes_turns`: else both sync at once, and then both sleep. `looks`: else it sleeps once. After
// each turn both sleep for `idle_ns` and look again.
struct PolledLock {
  int turns = 200;
  uint64_t idle_ns = 0;
  bool takes_turns = true;
  bool looks = true;
};
TraceBuilder PolledLockTrace(const PolledLock& lock);
// thread 1 … thread 4 on one CPU: 1 ms of work, then vda, which serves one request in 2 ms.
TraceBuilder ClosedNetworkTrace(int rounds);
// hog 1 … hog 4, 10 ms each in turn, on two CPUs.
TraceBuilder StarvedTrace(int rounds);
// source sleeps 5 ms and brings an item, on which worker works 3 ms.
TraceBuilder OpenTrace(int items);
// loop works 2 ms, waits 5 ms for vda and 3 ms for an unrecorded cause.
TraceBuilder UnknownWaitTrace(int rounds);
// logger works 4 ms, then syncs 1 ms, works 0.5, syncs 1, works 0.5, syncs 1.
TraceBuilder SyncsTrace(int rounds);
// Two threads called server work for one client, 2 ms and 4 ms, and each writes 2 ms to vda.
TraceBuilder TwoServersTrace(int rounds);
// client 1 and client 2 work 1 ms and ask the only worker, which works 1 ms, sleeps 1 ms and
// answers.
TraceBuilder PoolTrace(int answers);
// On two CPUs: client works 1 ms and asks server, which works 2 ms and answers; meanwhile its quota
// keeps it from a CPU for 6 ms.
TraceBuilder QuotaTrace(int requests);
// On two CPUs, every 10 ms: quick works 1 ms and sleeps 9 ms; slow works 5 ms and sleeps 5 ms.
TraceBuilder TwoSleepersTrace(int rounds);
// On two CPUs, every 4 ms: client works 1 ms and asks server, which works 2 ms, wakes reader (that
// works 0.5 ms) and answers.
TraceBuilder ReadLogTrace(int requests);
// On two CPUs: asker works 2 ms and asks service, which works 0.25 ms, sleeps 7.5 ms, works 0.25 ms
// and answers.
TraceBuilder ServiceTrace(int requests);
// stage 0 … stage 3 on four CPUs: each works 1 ms and wakes the next, the last one the first.
TraceBuilder RingTrace(int rounds);
// Two threads called worker on two CPUs that hold a lock in turn, one for 3 ms, the other for 1 ms.
TraceBuilder UnfairLockTrace(int rounds);
// One CPU. boss works 42 us and wakes helper, which runs for 8 us and sleeps again.
TraceBuilder NeedlessWakesTrace(int wakes);
// As UnknownWaitTrace, but without the unknown; the disk takes 5 ms in the first half and 1 ms in
// the second.
TraceBuilder ChangingTrace(int rounds);

// One CPU. `worker` runs 1 ms and sleeps 2 ms; whenever it is woken, `rival`, which always runs,
// keeps the CPU for 1 ms more.
TraceBuilder RivalTrace(int rounds);

}  // namespace gordian::testing
