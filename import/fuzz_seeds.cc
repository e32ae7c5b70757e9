// SPDX-License-Identifier: Apache-2.0
// Writes traces for the fuzzer to start from into the folder it is given: every kind of line, right
// and wrong.
#include <cstdio>
#include <fstream>
#include <string>

namespace {

constexpr const char* kSeeds[] = {
    "time_ns,cpu,kind,args\n# comment\n\n0,-1,meta,hostname,n\n0,-1,meta,cpus,2\n"
    "0,-1,meta,realtime_ns,1700000000000000000\n0,-1,meta,duration_ns,5\n0,-1,meta,target_pid,10\n"
    "0,-1,meta,target_comm,A\n0,-1,meta,other,x\n0,-1,thread,10,10,\"A, \"\"B\"\"\"\n",
    "0,-1,thread,10,10,A\n1,0,switch,0,10,R\n2,0,wakeup,10,20,thread\n3,0,switch,10,20,S\n"
    "4,0,switch,20,10,D\n5,0,switch,10,0,X\n6,1,exit,10,-\n7,1,create,20,10\n8,1,thread,10,20,C\n",
    "1,0,softirq_entry,net_rx\n2,0,wakeup,0,20,net_rx:eth0\n3,0,softirq_entry,4\n"
    "4,0,wakeup,0,20,block:vda\n5,0,softirq_exit,block\n6,0,softirq_exit,3\n"
    "7,0,wakeup,0,20,hardirq:eth0\n8,0,wakeup,0,20,timer\n9,0,wakeup,0,20,hardirq:nvme0n1\n",
    "1,0,disk_issue,10,vda,4096\n2,0,disk_done,10,vda,4096\n3,0,disk_done,10,vda,1\n4,0,net_send,"
    "10,99\n",
    "1,0,spin_begin,10,0xff\n2,0,spin_end,10,255\n3,0,spin_release,10,lock\n4,-1,cond_wait_begin,"
    "10,-\r\n"
    "5,-1,cond_wait_end,10,-\r\n6,-1,false_wakeup,10,-\r\n",
    "5,0,net_send,1,1\n4,0,net_send,1,1\n",
    "1,0,softirq_exit,3\n",
    "1,-1,thread,1,1,\"open\n",
    "1,0,switch,99999999999,0,Q\n",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int number = 0;
  for (const char* seed : kSeeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
