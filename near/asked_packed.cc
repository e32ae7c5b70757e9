// SPDX-License-Identifier: Apache-2.0
#include "near/asked_packed.h"

#include "near/node_answers.h"
#include "near/packed_message.h"

namespace gordian {

absl::StatusOr<pb::NearAnswer> AskPacked(const NearNodes& nodes, size_t node,
                                         const pb::NearQuestion& question, bool takes_packed,
                                         MovedBytes& moved) {
  pb::NearQuestion sent = question;
  sent.set_takes_packed(true);
  if (takes_packed) {
    if (auto packed = Packed(sent, kMostNearQuestionBytes)) {
      sent.Clear();
      sent.set_packed(*std::move(packed));
    }
  }
  moved.asked += sent.ByteSizeLong();
  auto answer = nodes.ask(node, sent);
  if (!answer.ok()) return answer.status();
  moved.answered += answer->ByteSizeLong();
  if (answer->answer_case() != pb::NearAnswer::kPacked) return answer;
  pb::NearAnswer unpacked;
  if (absl::Status status = Unpack(answer->packed(), kMostNearAnswerBytes, unpacked); !status.ok())
    return status;
  return unpacked;
}

}  // namespace gordian
