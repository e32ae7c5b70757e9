// SPDX-License-Identifier: Apache-2.0
#include "whatif/testing/test_traces.h"

#include <string>

namespace gordian::testing {
namespace {

constexpr int32_t kFirst = 11;
constexpr int kNever = -1;

// The request of a thread on this CPU from now on, for which it waits.
class DiskWait {
 public:
  DiskWait(uint32_t disk, int32_t tid, BlockOperation operation = BlockOperation::kWrite) {
    request_ = {.sector = static_cast<uint64_t>(tid) * 1000,
                .device = disk,
                .bytes = 4096,
                .tid = tid,
                .operation = operation};
  }
  void Begin(TraceBuilder& t, uint64_t time_ns, uint16_t cpu) {
    t.At(time_ns).Cpu(cpu).Issue(request_).Block(kDiskSleep);
    begin_ns_ = time_ns;
  }
  // Not running yet.
  void End(TraceBuilder& t, uint64_t time_ns, uint16_t cpu) {
    request_.service_ns = time_ns - begin_ns_;
    t.At(time_ns).Cpu(cpu).Complete(request_).WakeFromBlock(request_.tid, request_.device);
    request_.service_ns = 0;
  }

 private:
  BlockEvent request_;
  uint64_t begin_ns_ = 0;
};

TraceBuilder Begin(uint32_t cpus) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(cpus);
  return t;
}

}  // namespace

TraceBuilder Figure1Trace(int requests, uint64_t work_ns, uint64_t sync_ns) {
  constexpr int32_t kA = kFirst, kB = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kA, "A").Thread(kB, "B");
  DiskWait sync(t.Disk("vda"), kB);
  t.At(0).Cpu(1).Run(kA).Cpu(0).Run(kB);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * (work_ns + sync_ns);
    t.At(begin_ns + 2_ms).Cpu(1).Block();
    sync.Begin(t, begin_ns + work_ns, 0);
    sync.End(t, begin_ns + work_ns + sync_ns, 0);
    t.Run(kB).Wake(kA).Cpu(1).Run(kA);
  }
  return t;
}

TraceBuilder SometimesSyncedTrace(int rounds) {
  constexpr int32_t kClient = kFirst, kServer = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kClient, "client").Thread(kServer, "server");
  DiskWait sync(t.Disk("vda"), kServer);
  uint64_t now_ns = 0;
  t.At(0).Cpu(1).Run(kServer).Block().Cpu(0).Run(kClient);
  for (int i = 0; i < rounds; ++i) {
    now_ns += 2_ms;
    t.At(now_ns).Cpu(0).Wake(kServer).Block().Cpu(1).Run(kServer);
    if (i % 2 == 1) {
      sync.Begin(t, now_ns + 1_ms, 1);
      sync.End(t, now_ns + 5_ms, 1);
      t.Run(kServer);
      now_ns += 6_ms;
    }
    now_ns += 2_ms;
    t.At(now_ns).Cpu(1).Wake(kClient).Block().Cpu(0).Run(kClient);
  }
  return t;
}

TraceBuilder ReaderTrace(int reads) {
  TraceBuilder t = Begin(2);
  t.Thread(kFirst, "reader");
  DiskWait read(t.Disk("vda"), kFirst, BlockOperation::kRead);
  t.At(0).Cpu(0).Run(kFirst);
  for (int i = 0; i < reads; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 9_ms;
    read.Begin(t, begin_ns + 1_ms, 0);
    read.End(t, begin_ns + 9_ms, 0);
    t.Run(kFirst);
  }
  return t;
}

TraceBuilder JournalTrace(int rounds) { return JournalTrace(rounds, kNever); }

TraceBuilder JournalTrace(int rounds, int helped_round) {
  constexpr int32_t kApp = kFirst, kJournal = kFirst + 1, kWorker = kFirst + 2;
  constexpr int32_t kHelper = kFirst + 3;
  const bool is_helped = helped_round != kNever;
  TraceBuilder t = Begin(is_helped ? 3 : 2);
  t.Thread(kApp, "app").KernelThread(kJournal, "journal").KernelThread(kWorker, "kworker");
  DiskWait write(t.Disk("vda"), kJournal);
  if (is_helped) t.KernelThread(kHelper, "kworker").At(0).Cpu(2).Run(kHelper).Block();
  t.At(0).Cpu(1).Run(kJournal).Block().Run(kWorker).Block().Cpu(0).Run(kApp);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 7'500'000;
    if (i == helped_round) {
      t.At(begin_ns + 2_ms).Cpu(0).Block();
      t.At(begin_ns + 7_ms + 500_us).Cpu(2).Wake(kApp).Block().Cpu(0).Run(kApp);
      continue;
    }
    t.At(begin_ns + 2_ms).Cpu(0).Wake(kJournal).Block().Cpu(1).Run(kJournal);
    if (i + 1 == helped_round)
      t.At(begin_ns + 2_ms + 200_us).Cpu(1).Wake(kHelper).Cpu(2).Run(kHelper);
    write.Begin(t, begin_ns + 2_ms + 500_us, 1);
    write.End(t, begin_ns + 6_ms + 500_us, 1);
    t.Run(kJournal);
    t.At(begin_ns + 7_ms).Cpu(1).Wake(kWorker).Block().Run(kWorker);
    t.At(begin_ns + 7_ms + 500_us).Cpu(1).Wake(kApp).Block().Cpu(0).Run(kApp);
  }
  return t;
}

TraceBuilder PipelineTrace(int items) {
  constexpr int32_t kProducer = kFirst, kCompressor = kFirst + 1, kConsumer = kFirst + 2;
  TraceBuilder t = Begin(4);
  t.Thread(kProducer, "producer").Thread(kCompressor, "compressor").Thread(kConsumer, "consumer");
  DiskWait write(t.Disk("vda"), kConsumer);
  t.At(0).Cpu(0).Run(kProducer).Cpu(1).Run(kCompressor).Cpu(2).Run(kConsumer);
  for (int i = 0; i < items; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms;
    write.Begin(t, begin_ns + 1_ms, 2);
    t.At(begin_ns + 2_ms).Cpu(0).Block();
    write.End(t, begin_ns + 4_ms, 2);
    t.Run(kConsumer).Block();
    t.At(begin_ns + 10_ms).Cpu(1).Wake(kProducer).Wake(kConsumer);
    t.Cpu(0).Run(kProducer).Cpu(2).Run(kConsumer);
  }
  return t;
}

// Thread i holds the lock from 2i ms on, modulo 8, thinks until 2i + 6, and waits for its turn.
TraceBuilder LockTrace(int rounds, uint64_t work_ns) {
  constexpr int kThreads = 4;
  TraceBuilder t = Begin(kThreads);
  std::vector<DiskWait> writes;
  for (int i = 0; i < kThreads; ++i) {
    t.Thread(kFirst + i, "worker");
    writes.emplace_back(t.Disk("vda"), kFirst + i);
  }
  t.At(0).Cpu(0).Run(kFirst);
  for (uint64_t turn = 0; turn < static_cast<uint64_t>(rounds) * kThreads; ++turn) {
    const auto holder = static_cast<int>(turn % kThreads);
    const auto next = static_cast<int>((turn + 1) % kThreads);
    const auto cpu = static_cast<uint16_t>(holder);
    const uint64_t begin_ns = turn * 2_ms, end_ns = begin_ns + 2_ms;
    if (work_ns < 2_ms) {
      writes[holder].Begin(t, begin_ns + work_ns, cpu);
      // The next one has thought enough, and waits.
      writes[holder].End(t, end_ns, cpu);
      t.Run(kFirst + holder);
    }
    // The holder of two turns ago comes back now, for the turn after the next.
    if (turn >= 2) t.At(end_ns).Cpu(static_cast<uint16_t>((turn + 2) % kThreads)).Block();
    t.At(end_ns).Cpu(cpu).Wake(kFirst + next);
    t.Cpu(static_cast<uint16_t>(next)).Run(kFirst + next);
  }
  return t;
}

TraceBuilder ClosedNetworkTrace(int rounds) {
  constexpr int kThreads = 4;
  TraceBuilder t = Begin(1);
  std::vector<DiskWait> reads;
  for (int i = 0; i < kThreads; ++i) {
    t.Thread(kFirst + i, "thread " + std::to_string(i + 1));
    reads.emplace_back(t.Disk("vda"), kFirst + i);
  }
  t.At(0);
  for (uint64_t turn = 0; turn < static_cast<uint64_t>(rounds) * kThreads; ++turn) {
    const auto thread = static_cast<int>(turn % kThreads);
    const uint64_t begin_ns = turn * 2_ms;
    if (turn >= kThreads) reads[thread].End(t, begin_ns, 0);
    t.At(begin_ns).Cpu(0).Run(kFirst + thread);
    reads[thread].Begin(t, begin_ns + 1_ms, 0);
  }
  return t;
}

TraceBuilder StarvedTrace(int rounds) {
  TraceBuilder t = Begin(2);
  for (int i = 0; i < 4; ++i) t.Thread(kFirst + i, "hog " + std::to_string(i + 1));
  t.At(0);
  for (int round = 0; round < rounds; ++round) {
    for (int half = 0; half < 2; ++half) {
      t.Cpu(0).Run(kFirst + 2 * half).Cpu(1).Run(kFirst + 2 * half + 1);
      t.At(static_cast<uint64_t>(2 * round + half + 1) * 10_ms);
    }
  }
  t.Cpu(0).Run(kFirst).Cpu(1).Run(kFirst + 1);
  return t;
}

TraceBuilder OpenTrace(int items) {
  constexpr int32_t kSource = kFirst, kWorker = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kSource, "source").Thread(kWorker, "worker");
  t.At(0).Cpu(0).Run(kSource).Cpu(1).Run(kWorker);
  for (int i = 0; i < items; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 5_ms;
    t.At(begin_ns).Cpu(0).Block();
    t.At(begin_ns + 3_ms).Cpu(1).Block();
    t.At(begin_ns + 5_ms).Cpu(0).WakeFromTimer(kSource).Run(kSource).Wake(kWorker);
    t.Cpu(1).Run(kWorker);
  }
  return t;
}

TraceBuilder UnknownWaitTrace(int rounds) {
  constexpr int32_t kLoop = kFirst;
  TraceBuilder t = Begin(1);
  t.Thread(kLoop, "loop");
  DiskWait read(t.Disk("vda"), kLoop);
  t.At(0).Cpu(0).Run(kLoop);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms;
    read.Begin(t, begin_ns + 1_ms, 0);
    read.End(t, begin_ns + 6_ms, 0);
    t.Run(kLoop);
    t.At(begin_ns + 7_ms).Block();
    t.At(begin_ns + 10_ms).WakeFromHardirq(kLoop, 7).Run(kLoop);
  }
  return t;
}

TraceBuilder SyncsTrace(int rounds) {
  constexpr int32_t kLogger = kFirst;
  TraceBuilder t = Begin(1);
  t.Thread(kLogger, "logger");
  DiskWait sync(t.Disk("vda"), kLogger);
  t.At(0).Cpu(0).Run(kLogger);
  for (int i = 0; i < rounds; ++i) {
    uint64_t now_ns = static_cast<uint64_t>(i) * 8_ms + 4_ms;
    for (int j = 0; j < 3; ++j) {
      sync.Begin(t, now_ns, 0);
      sync.End(t, now_ns + 1_ms, 0);
      t.Run(kLogger);
      now_ns += 1_ms + 500'000;
    }
  }
  return t;
}

// The client hands on to both at 0 and works 1 ms after both are ready, at 6 ms.
TraceBuilder TwoServersTrace(int rounds) {
  constexpr int32_t kClient = kFirst, kOne = kFirst + 1, kTwo = kFirst + 2;
  TraceBuilder t = Begin(4);
  t.Thread(kClient, "client").Thread(kOne, "server").Thread(kTwo, "server");
  DiskWait one(t.Disk("vda"), kOne), two(t.Disk("vda"), kTwo);
  t.At(0).Cpu(1).Run(kOne).Cpu(2).Run(kTwo).Cpu(0).Run(kClient).Block();
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 7_ms;
    one.Begin(t, begin_ns + 2_ms, 1);
    two.Begin(t, begin_ns + 4_ms, 2);
    one.End(t, begin_ns + 4_ms, 1);
    t.Run(kOne).Block();
    two.End(t, begin_ns + 6_ms, 2);
    t.Run(kTwo).Wake(kClient).Block().Cpu(0).Run(kClient);
    t.At(begin_ns + 7_ms).Cpu(0).Wake(kOne).Wake(kTwo).Block();
    t.Cpu(1).Run(kOne).Cpu(2).Run(kTwo);
  }
  return t;
}

// The worker answers every 2 ms, in turn; a client that is answered works until it asks again 1 ms
// later, and waits 3 ms.
TraceBuilder PoolTrace(int answers) {
  constexpr int32_t kWorker = kFirst, kClients[] = {kFirst + 1, kFirst + 2};
  TraceBuilder t = Begin(4);
  t.Thread(kWorker, "worker").Thread(kClients[0], "client").Thread(kClients[1], "client");
  t.At(0).Cpu(0).Run(kWorker).Cpu(1).Run(kClients[0]).Block().Cpu(2).Run(kClients[1]).Block();
  for (int i = 0; i < answers; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 2_ms;
    const auto cpu = static_cast<uint16_t>(1 + i % 2);
    t.At(begin_ns + 1_ms).Cpu(0).Block();
    // The client that was answered before has worked, and waits.
    if (i > 0) t.Cpu(static_cast<uint16_t>(3 - cpu)).Block();
    t.At(begin_ns + 2_ms).Cpu(0).WakeFromTimer(kWorker).Run(kWorker).Wake(kClients[i % 2]);
    t.Cpu(cpu).Run(kClients[i % 2]);
  }
  return t;
}

TraceBuilder QuotaTrace(int requests) {
  constexpr int32_t kClient = kFirst, kServer = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kClient, "client").Thread(kServer, "server");
  t.At(0).Cpu(1).Run(kServer).Block().Cpu(0).Run(kClient);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 9_ms;
    t.At(begin_ns + 1_ms).Cpu(0).Wake(kServer).Block().Cpu(1).Run(kServer);
    t.At(begin_ns + 2_ms).Cpu(1).Switch(kServer, 0, 0);
    t.At(begin_ns + 8_ms).Run(kServer);
    t.At(begin_ns + 9_ms).Wake(kClient).Block().Cpu(0).Run(kClient);
  }
  return t;
}

TraceBuilder TwoSleepersTrace(int rounds) {
  constexpr int32_t kQuick = kFirst, kSlow = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kQuick, "quick").Thread(kSlow, "slow");
  t.At(0).Cpu(1).Run(kSlow).Cpu(0).Run(kQuick);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms;
    t.At(begin_ns + 1_ms).Cpu(0).Block();
    t.At(begin_ns + 5_ms).Cpu(1).Block();
    t.At(begin_ns + 10_ms).WakeFromTimer(kSlow).Run(kSlow).Cpu(0).WakeFromTimer(kQuick).Run(kQuick);
  }
  return t;
}

TraceBuilder ReadLogTrace(int requests) {
  constexpr int32_t kClient = kFirst, kServer = kFirst + 1, kReader = kFirst + 2;
  TraceBuilder t = Begin(2);
  t.Thread(kClient, "client").Thread(kServer, "server").Thread(kReader, "reader");
  t.At(0).Cpu(1).Run(kReader).Block().Run(kServer).Block().Cpu(0).Run(kClient);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 4_ms;
    t.At(begin_ns + 1_ms).Cpu(0).Wake(kServer).Block().Cpu(1).Run(kServer);
    t.At(begin_ns + 3_ms).Wake(kReader).Cpu(0).Run(kReader);
    t.At(begin_ns + 3_ms + 500_us).Cpu(0).Block();
    t.At(begin_ns + 4_ms).Cpu(1).Wake(kClient).Block().Cpu(0).Run(kClient);
  }
  return t;
}

TraceBuilder ServiceTrace(int requests) {
  constexpr int32_t kAsker = kFirst, kService = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kAsker, "asker").Thread(kService, "service");
  t.At(0).Cpu(1).Run(kService).Block().Cpu(0).Run(kAsker);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms;
    t.At(begin_ns + 2_ms).Cpu(0).Wake(kService).Block().Cpu(1).Run(kService);
    t.At(begin_ns + 2_ms + 250_us).Block();
    t.At(begin_ns + 9_ms + 750_us).WakeFromTimer(kService).Run(kService);
    t.At(begin_ns + 10_ms).Wake(kAsker).Block().Cpu(0).Run(kAsker);
  }
  return t;
}

TraceBuilder RingTrace(int rounds) {
  constexpr int kStages = 4;
  TraceBuilder t = Begin(kStages);
  for (int stage = 0; stage < kStages; ++stage)
    t.Thread(kFirst + stage, "stage " + std::to_string(stage));
  t.At(0);
  for (int stage = 1; stage < kStages; ++stage)
    t.Cpu(static_cast<uint16_t>(stage)).Run(kFirst + stage).Block();
  t.Cpu(0).Run(kFirst);
  for (int turn = 1; turn <= rounds * kStages; ++turn) {
    const int next = turn % kStages;
    t.At(static_cast<uint64_t>(turn) * 1_ms).Cpu(static_cast<uint16_t>((turn - 1) % kStages));
    t.Wake(kFirst + next).Block().Cpu(static_cast<uint16_t>(next)).Run(kFirst + next);
  }
  return t;
}

TraceBuilder AskedWorkerTrace(int rounds) {
  constexpr int32_t kApp = kFirst, kWorker = kFirst + 1;
  TraceBuilder t = Begin(1);
  t.Thread(kApp, "app").KernelThread(kWorker, "kworker");
  BlockEvent request = {.sector = 1000,
                        .device = t.Disk("vda"),
                        .bytes = 4096,
                        .tid = kWorker,
                        .operation = BlockOperation::kFlush};
  t.At(0).Cpu(0).Run(kWorker).Block().Run(kApp);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 5_ms;
    t.At(begin_ns + 2_ms).Cpu(0).Wake(kWorker).Block(kDiskSleep).Run(kWorker);
    request.service_ns = 0;
    t.At(begin_ns + 3_ms).Cpu(0).Issue(request).Block();
    request.service_ns = 2_ms;
    t.At(begin_ns + 5_ms).Cpu(0).Complete(request).WakeFromBlock(kApp, request.device).Run(kApp);
  }
  return t;
}
TraceBuilder PolledLockTrace(const PolledLock& lock) {
  constexpr uint64_t kLook = 100'000;
  TraceBuilder t = Begin(2);
  std::vector<DiskWait> syncs;
  for (int i = 0; i < 2; ++i) {
    t.Thread(kFirst + i, "worker");
    t.At(0).Cpu(static_cast<uint16_t>(i)).Run(kFirst + i);
    syncs.emplace_back(t.Disk("vda"), kFirst + i);
  }
  for (int turn = 0; turn < lock.turns; ++turn) {
    const uint64_t begin_ns = static_cast<uint64_t>(turn) * (5_ms + 4 * lock.idle_ns);
    const auto holds = [&](int i) { return (lock.takes_turns ? turn + i : turn) % 2 == 0; };
    const auto for_each = [&](bool holder, const auto& act) {
      for (int i = 0; i < 2; ++i)
        if (holds(i) == holder) act(i, static_cast<uint16_t>(i));
    };
    for_each(false, [&](int, uint16_t cpu) { t.At(begin_ns).Cpu(cpu).Block(); });
    for_each(true, [&](int i, uint16_t cpu) { syncs[i].Begin(t, begin_ns + 1_ms, cpu); });
    if (lock.looks) {
      for_each(false, [&](int i, uint16_t cpu) {
        t.At(begin_ns + 2_ms).Cpu(cpu).WakeFromTimer(kFirst + i).Run(kFirst + i);
      });
      for_each(false, [&](int, uint16_t cpu) { t.At(begin_ns + 2_ms + kLook).Cpu(cpu).Block(); });
    }
    for_each(true, [&](int i, uint16_t cpu) {
      syncs[i].End(t, begin_ns + 5_ms, cpu);
      t.Run(kFirst + i);
    });
    for_each(false, [&](int i, uint16_t cpu) {
      t.At(begin_ns + 5_ms).Cpu(cpu).WakeFromTimer(kFirst + i).Run(kFirst + i);
    });
    for (uint64_t look = 0; lock.idle_ns > 0 && look < 4; ++look) {
      const uint64_t sleep_ns = begin_ns + 5_ms + look * lock.idle_ns;
      for (const uint16_t cpu : {0, 1}) t.At(sleep_ns + kLook).Cpu(cpu).Block();
      for (const uint16_t cpu : {0, 1})
        t.At(sleep_ns + lock.idle_ns).Cpu(cpu).WakeFromTimer(kFirst + cpu).Run(kFirst + cpu);
    }
  }
  return t;
}
TraceBuilder UnfairLockTrace(int rounds) {
  constexpr int32_t kOne = kFirst, kOther = kFirst + 1;
  TraceBuilder t = Begin(2);
  t.Thread(kOne, "worker").Thread(kOther, "worker");
  t.At(0).Cpu(1).Run(kOther).Block().Cpu(0).Run(kOne);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 4_ms;
    t.At(begin_ns + 3_ms).Cpu(0).Wake(kOther).Block().Cpu(1).Run(kOther);
    t.At(begin_ns + 4_ms).Wake(kOne).Block().Cpu(0).Run(kOne);
  }
  return t;
}

TraceBuilder NeedlessWakesTrace(int wakes) {
  constexpr int32_t kBoss = kFirst, kHelper = kFirst + 1;
  constexpr uint64_t kUs = 1000;
  TraceBuilder t = Begin(1);
  t.Thread(kBoss, "boss").Thread(kHelper, "helper");
  t.At(0).Cpu(0).Run(kHelper).Block().Run(kBoss);
  for (int i = 0; i < wakes; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 50 * kUs;
    t.At(begin_ns + 42 * kUs).Wake(kHelper).Run(kHelper);
    t.At(begin_ns + 50 * kUs).Block().Run(kBoss);
  }
  return t;
}

TraceBuilder ChangingTrace(int rounds) {
  constexpr int32_t kLoop = kFirst;
  TraceBuilder t = Begin(1);
  t.Thread(kLoop, "loop");
  DiskWait read(t.Disk("vda"), kLoop);
  t.At(0).Cpu(0).Run(kLoop);
  uint64_t now_ns = 0;
  for (int i = 0; i < rounds; ++i) {
    const uint64_t read_ns = 2 * i < rounds ? 5_ms : 1_ms;
    read.Begin(t, now_ns + 1_ms, 0);
    read.End(t, now_ns + 1_ms + read_ns, 0);
    t.Run(kLoop);
    now_ns += 1_ms + read_ns;
  }
  return t;
}

TraceBuilder RivalTrace(int rounds) {
  constexpr int32_t kWorker = kFirst, kRival = kFirst + 1;
  TraceBuilder t = Begin(1);
  t.Thread(kWorker, "worker").Thread(kRival, "rival");
  t.At(0).Cpu(0).Run(kWorker);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 4_ms;
    t.At(begin_ns + 1_ms).Block().Run(kRival);
    t.At(begin_ns + 3_ms).WakeFromTimer(kWorker);
    t.At(begin_ns + 4_ms).Run(kWorker);
  }
  return t;
}

}  // namespace gordian::testing
