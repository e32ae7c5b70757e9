// SPDX-License-Identifier: Apache-2.0
// Writes small CSVs of activities, spans and Spark events, right and wrong, for the fuzzer to start
// from into the folder it is given. The first letter tells the format.
#include <cstdio>
#include <fstream>
#include <string>

namespace {

constexpr const char* kActivitySeeds[] = {
    R"(csrc_worker,src_ns,dst_worker,dst_ns,type,label,traversable
a,0,a,5,Processing,map,1
a,5,b,7,DataMessage,,1
b,0,b,7,Waiting,,0
)",
    "c\"a, \"\"b\"\"\",1,\"c\",1,t,l,1\n\n#,1,#,1,,,1\n",
    "ca,9,b,3,t,l,1\n",
    "ca,1,b,9223372036854775808,t,l,1\n",
    "ca,1,b,2,t,l,2\n",
    R"(o{"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"t","spanId":"1","name":"a","startTimeUnixNano":"10","endTimeUnixNano":"90"},
{"traceId":"t","spanId":"2","parentSpanId":"1","name":"b","startTimeUnixNano":"20",
"endTimeUnixNano":"70","links":[{"traceId":"t","spanId":"1"},{"traceId":"x","spanId":"9"}]},
{"traceId":"t","spanId":"3","parentSpanId":"2","name":"c","startTimeUnixNano":5,
"endTimeUnixNano":95}]}],"resource":{"attributes":[
{"key":"service.name","value":{"stringValue":"s"}},
{"key":"process.pid","value":{"intValue":"4"}},
{"key":"host.name","value":{"stringValue":"n"}}]}}]})",
    R"(o{"resourceSpans":[{"instrumentationLibrarySpans":[{"spans":[
{"traceId":"t","spanId":"1","parentSpanId":"2","startTimeUnixNano":1,"endTimeUnixNano":1},
{"traceId":"t","spanId":"2","parentSpanId":"1","startTimeUnixNano":1,"endTimeUnixNano":1}]}]}]}
{"resourceSpans":[)",
    R"(s{"Event":"SparkListenerApplicationStart","Timestamp":1}
{"Event":"SparkListenerJobStart","Submission Time":2}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Name":"n","Submission Time":3}}
{"Event":"SparkListenerTaskStart"}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Launch Time":4,"Finish Time":9,"Getting Result Time":8,"Executor ID":"1","Host":"n"},"Task Metrics":{"Executor Deserialize Time":1,"Executor Run Time":3,"Result Serialization Time":1,"Shuffle Read Metrics":{"Fetch Wait Time":1},"Shuffle Write Metrics":{"Shuffle Write Time":1000000}}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Launch Time":4,"Finish Time":3}}
{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Completion Time":9}}
{"Event":"SparkListenerJobEnd","Completion Time":9}
{"Event":"SparkListenerApplicationEnd","Timestamp":11}
{"Event":"Spa)",
    "s{}\nno JSON\n",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int number = 0;
  for (const char* seed : kActivitySeeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
