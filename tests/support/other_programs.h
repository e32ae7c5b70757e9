// SPDX-License-Identifier: Apache-2.0
// The CPU time of other programs: a test of threads on real CPUs must know whether it had the CPUs.
#pragma once

namespace gordian::testing {

class OtherPrograms {
 public:
  OtherPrograms();  // from now on

  // The share of the machine's CPU time that was not of this process and the children it has waited
  // for; time that the host took counts, too. 0 if the kernel does not tell.
  double CpuShare() const;

 private:
  double machine_s_ = 0;
  double own_s_ = 0;
  double uptime_s_ = 0;
};

}  // namespace gordian::testing
