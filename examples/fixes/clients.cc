// SPDX-License-Identifier: Apache-2.0
#include "examples/fixes/clients.h"

#include <atomic>
#include <memory>

namespace gordian::fixes {

void StartClients(Run& run, Queue<Answer*>& requests, int clients, uint64_t work_us) {
  const auto here = std::make_shared<std::atomic<int>>(clients);
  for (int i = 0; i < clients; ++i) {
    run.Start("client", [&run, &requests, here, work_us] {
      Answer answer;
      while (run.Goes()) {
        requests.Put(&answer);
        answer.Await();
        Work(work_us);
        run.CountOne();
      }
      if (here->fetch_sub(1) == 1) requests.Close();
    });
  }
}

}  // namespace gordian::fixes
