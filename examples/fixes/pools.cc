// SPDX-License-Identifier: Apache-2.0
// Threads that serve others.
#include <vector>

#include "examples/fixes/clients.h"
#include "examples/fixes/fixes.h"
#include "examples/fixes/queue.h"

namespace gordian::fixes {
// Six clients, and two workers that make a remote call for each request. Fixed: six workers.
double Pool(const Options& options) {
  Run run(options);
  Queue<Answer*> requests;
  const int workers = options.fixed ? 6 : 2;
  for (int i = 0; i < workers; ++i) {
    run.Start("worker", [&] {
      while (const auto answer = requests.Take()) {
        Work(30);
        Away(1000);
        (*answer)->Give();
      }
    });
  }
  StartClients(run, requests, 6, 30);
  return run.Finish();
}

// A server that looks for requests every 2 ms. Fixed: every 0.2 ms.
double Polling(const Options& options) {
  Run run(options);
  Queue<Answer*> requests;
  run.Start("poller", [&] {
    while (!requests.IsClosed()) {
      // Only the requests there now: answered clients may send more meanwhile.
      std::vector<Answer*> found;
      while (const auto answer = requests.TryTake()) found.push_back(*answer);
      for (Answer* answer : found) {
        Work(80);
        answer->Give();
      }
      Away(options.fixed ? 200 : 2000);
    }
  });
  StartClients(run, requests, 3, 50);
  return run.Finish();
}

// A producer makes sixteen items at a time and then fetches for 3 ms; the queue holds one. Fixed:
// it holds 64.
double SmallQueue(const Options& options) {
  Run run(options);
  Queue<int> items(options.fixed ? 64 : 1);
  run.Start("producer", [&] {
    while (run.Goes()) {
      for (int i = 0; i < 16; ++i) {
        Work(20);
        items.Put(i);
      }
      Away(3000);
    }
  });
  run.Start("consumer", [&] {
    while (items.Take()) {
      Work(150);
      run.CountOne();
    }
  });
  return run.Finish([&] { items.Close(); });
}

// All twelve workers are woken for each item, of which one finds it. Fixed: one is woken.
double Herd(const Options& options) {
  Run run(options);
  Queue<Answer*> requests(1000, /*wakes_all=*/!options.fixed);
  for (int i = 0; i < 12; ++i) {
    run.Start("worker", [&] {
      while (const auto answer = requests.Take()) {
        Work(20);
        (*answer)->Give();
      }
    });
  }
  StartClients(run, requests, 3, 20);
  return run.Finish();
}

}  // namespace gordian::fixes
