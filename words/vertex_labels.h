// SPDX-License-Identifier: Apache-2.0
// The labels of threads, groups of them, devices and all other vertices of the graph: each has one
// label, and no two have the same. Titles, lists, pages and predictions use it, and every option
// that takes a thread, a group or a device takes the label as it stands there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

// A single thread in lists of many: worker/4711, or "thread 4711" without a name.
std::string ThreadLabel(std::string_view name, int32_t tid);

// The properties that tell one vertex from another.
struct VertexFacts {
  uint32_t id = 0;
  std::string kind;  // thread, group, disk, nic, timer, irq, remote, link, unknown
  std::string name;
  std::string process;    // where all its threads are of one
  std::string node;       // of a recording of many nodes
  std::string container;  // where all its threads are of one
  int32_t tid = 0;        // where it is one thread
  uint64_t threads = 0;   // of a group
};

class VertexLabels {
 public:
  VertexLabels() = default;
  explicit VertexLabels(std::vector<VertexFacts> vertices);

  size_t size() const { return vertices_.size(); }

  // Its name, as in worker, vda; of a recording of many nodes web1/server/worker, web1/vda; if the
  // recording holds several containers, "server/worker in docker/0a1b2c3d4e5f". If
  // others share that: "worker/4711" (thread), "worker (16 threads)" (group), "disk vda"; and with
  // its id, as in "worker/4711 #7", if nothing else tells it from another. Clean text. By position,
  // like all that follows.
  const std::string& label(size_t vertex) const { return labels_[vertex]; }
  // The label as a part of a sentence: "the disk vda", "worker-* (16 threads)", else as it is.
  const std::string& phrase(size_t vertex) const { return phrases_[vertex]; }
  // The name alone, with node and process where there are many nodes, and with the container.
  // Others may share it.
  const std::string& plain(size_t vertex) const { return plain_[vertex]; }

  // The vertex whose label or phrase is `text`. Otherwise, all vertices with `text` as another form
  // of their label ("disk vda", postgres/worker, worker/4711, "thread worker"). Otherwise, all of
  // that name or thread id. Otherwise, all threads of processes of that name. Blanks around it
  // count only if they are a part of a name.
  std::vector<size_t> Find(std::string_view text) const;
  // All that `text` may mean, the narrowest meaning first: what Find finds; then all of that name,
  // as titles tell them together ("postgres (7 threads)" of several groups); then these with all
  // other threads of processes of that name.
  std::vector<std::vector<size_t>> Meanings(std::string_view text) const;
  // Only by label or phrase.
  std::vector<size_t> FindLabel(std::string_view text) const;
  // How far `text` is from the nearest of the vertex' label, phrase and name.
  size_t Distance(std::string_view text, size_t vertex) const;
  // The labels most like `text`, nearest first.
  std::vector<std::string> Nearest(std::string_view text, size_t most) const;

 private:
  std::vector<std::vector<size_t>> MeaningsAsItStands(std::string_view text) const;
  // Known names that differ from it in upper and lower case only.
  std::vector<std::string> OtherSpellings(std::string_view text) const;

  std::vector<VertexFacts> vertices_;
  std::vector<std::string> plain_;
  std::vector<std::string> labels_;
  std::vector<std::string> phrases_;
};

// How many signs must be put in, taken out or changed to make the one of the other; upper and lower
// case are alike.
size_t EditDistance(std::string_view from, std::string_view to);

}  // namespace gordian
