// SPDX-License-Identifier: Apache-2.0
// Who asks whom, told by packets.
//
// A wait does not tell whether its thread has work. Who waits for an answer has, and who waits for
// the next question has none. On a TCP connection the clients' end asks, and the server's answers
// (connections.h). The first data back answers whoever sent the last data towards the server.
//
// A packet carried data if the next one of its direction begins at another sequence number. So the
// last packet of each direction tells nothing. Only data that a thread sent counts:
// acknowledgements are mostly the kernel's. An end that no node recorded is its interface.
#pragma once

#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/flow_table.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// In order of (asker, answerer), one for each pair. `flows_of_node` by node, as in
// timeline.packet_rows(). One pass over the packets, in order of time; takes memory for each
// connection and each pair. Unix sockets and pipes tell theirs if their messages were recorded
// (local_connections.h); shared memory never does.
std::vector<QuestionCount> FindQuestions(const Timeline& timeline,
                                         std::span<const FlowTable* const> flows_of_node);

}  // namespace gordian
