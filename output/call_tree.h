// SPDX-License-Identifier: Apache-2.0
// Stacks as an indented tree, eighty columns wide:
//
//   100 %  main
//          Serve (server.cc:41)
//    93 %    FileLog::Commit (log.cc:88)
//            fsync
//     7 %    Reply (server.cc:60)
//
// The outermost function stands first. A function with only one callee is followed by it on the
// same level; levels and shares are shown where paths part.
#pragma once

#include <string>

#include "schema/report.pb.h"

namespace gordian {

struct CallTreeOptions {
  size_t width = 80;
  double least_share = 0.01;  // below, branches are summed up in one line
};

std::string CallTreeText(const google::protobuf::RepeatedPtrField<pb::CodeStack>& stacks,
                         const google::protobuf::RepeatedPtrField<pb::CodeFrame>& code,
                         const CallTreeOptions& options = {});

}  // namespace gordian
