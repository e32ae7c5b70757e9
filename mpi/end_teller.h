// SPDX-License-Identifier: Apache-2.0
// Tells the user in one line what to do if rank 0 dies, however it dies: mpirun and srun only say
// that it did.
//
//   EndTeller teller;
//   teller.Begin();        // before MPI, and before there are threads
//   …                      // killed here: the line is told
//   teller.EverythingIsTold();
//
// A child process waits at a pipe whose other end this process has. If that closes without a word,
// this process is gone. No rank need be left for it: ranks that lie on other machines, and a rank
// that is alone, are of no help.
#pragma once

#include "base/file_descriptor.h"

namespace gordian {

class EndTeller {
 public:
  EndTeller() = default;
  ~EndTeller() { EverythingIsTold(); }
  EndTeller(const EndTeller&) = delete;
  EndTeller& operator=(const EndTeller&) = delete;

  // Without a child there is no such line, and all else is well.
  void Begin();
  // The outputs are there, or the failure is told.
  void EverythingIsTold();

 private:
  FileDescriptor alive_;  // the child reads the other end
};

}  // namespace gordian
