// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gordian {
namespace {

struct ConnectionLife {
  EntityId client = kNobody;
  uint64_t first_ns = 0;  // its first question
  uint64_t last_ns = 0;   // the end of its last answer
  uint32_t line = 0;
};

using ClientProgram = std::pair<uint32_t, int32_t>;  // node, process

}  // namespace

std::vector<uint32_t> LinesOf(const Timeline& timeline, std::span<const Request* const> requests) {
  std::vector<ConnectionLife> lives;
  std::vector<size_t> life_of_request;
  std::map<uint32_t, size_t> current;  // by connection
  for (const Request* request : requests) {
    const auto [life, is_new] = current.try_emplace(request->connection, lives.size());
    if (is_new || request->is_first) {
      life->second = lives.size();
      lives.push_back({.client = request->client, .first_ns = request->start_ns});
    }
    lives[life->second].last_ns = std::max(request->answer_ns, request->end_ns);
    life_of_request.push_back(life->second);
  }
  std::vector<size_t> in_order(lives.size());
  for (size_t i = 0; i < lives.size(); ++i) in_order[i] = i;
  std::stable_sort(in_order.begin(), in_order.end(),
                   [&](size_t a, size_t b) { return lives[a].first_ns < lives[b].first_ns; });
  std::map<ClientProgram, std::set<std::pair<uint64_t, uint32_t>>> left;  // lines, by last answer
  uint32_t lines = 0;
  for (const size_t number : in_order) {
    ConnectionLife& life = lives[number];
    const bool is_known = life.client < timeline.thread_count();
    if (!is_known) {
      life.line = lines++;
      continue;
    }
    const Entity& client = timeline.entities()[life.client];
    auto& of_client = left[{client.node, client.tgid}];
    const auto first_left = of_client.begin();
    if (first_left != of_client.end() && first_left->first <= life.first_ns) {
      life.line = first_left->second;
      of_client.erase(first_left);
    } else {
      life.line = lines++;
    }
    of_client.emplace(life.last_ns, life.line);
  }
  std::vector<uint32_t> line_of_request;
  line_of_request.reserve(life_of_request.size());
  for (const size_t life : life_of_request) line_of_request.push_back(lives[life].line);
  return line_of_request;
}

}  // namespace gordian
