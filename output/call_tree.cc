// SPDX-License-Identifier: Apache-2.0
// The tree is made by sorting paths, so that those with a common outer end stand together: a node
// is a run of paths and a depth. Runs get shorter or deeper with each step, and a path has an end:
// so the walk ends; its own stack bounds nothing but memory.
#include "output/call_tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/quantities.h"
#include "words/text_lines.h"

namespace gordian {
namespace {

constexpr size_t kShareWidth = 8;  // "  93 %  "
constexpr size_t kIndent = 2;
constexpr size_t kDeepestIndent = 40;

struct Path {
  std::vector<uint32_t> frames;  // outermost first
  double share = 0;
};

// Paths [first, last), equal up to `depth`.
struct Node {
  size_t first = 0;
  size_t last = 0;
  size_t depth = 0;
  size_t level = 0;
  double share = 0;
  size_t left_out = 0;  // not a node, but this many lighter ones
};

class TreeWriter {
 public:
  TreeWriter(std::vector<Path> paths, const google::protobuf::RepeatedPtrField<pb::CodeFrame>& code,
             const CallTreeOptions& options)
      : paths_(std::move(paths)), code_(code), options_(options) {
    std::stable_sort(paths_.begin(), paths_.end(),
                     [](const Path& a, const Path& b) { return a.frames < b.frames; });
  }

  std::string Write() {
    Node all{.last = paths_.size()};
    for (const Path& path : paths_) all.share += path.share;
    PushChildren(all, 0);
    while (!open_.empty()) {
      const Node node = open_.back();
      open_.pop_back();
      if (node.left_out > 0) {
        Line(node, FormatCount(node.left_out, "lighter one"), true);
      } else {
        WriteChain(node);
      }
    }
    return std::move(text_);
  }

 private:
  std::vector<Node> ChildrenOf(const Node& node) const {
    std::vector<Node> children;
    for (size_t i = node.first; i < node.last; ++i) {
      if (paths_[i].frames.size() <= node.depth) continue;  // it ends here
      const uint32_t frame = paths_[i].frames[node.depth];
      const bool next =
          children.empty() || paths_[children.back().first].frames[node.depth] != frame;
      if (next) children.push_back({.first = i, .depth = node.depth + 1});
      children.back().last = i + 1;
      children.back().share += paths_[i].share;
    }
    return children;
  }

  // A node, and those below it as long as there is only one.
  void WriteChain(Node node) {
    Line(node, FrameText(node), true);
    while (true) {
      std::vector<Node> children = ChildrenOf(node);
      const bool ends = paths_[node.first].frames.size() == node.depth;
      if (children.size() != 1 || ends) break;
      children[0].level = node.level;
      node = children[0];
      Line(node, FrameText(node), false);
    }
    PushChildren(node, node.level + 1);
  }

  void PushChildren(const Node& node, size_t level) {
    std::vector<Node> children = ChildrenOf(node);
    std::stable_sort(children.begin(), children.end(),
                     [](const Node& a, const Node& b) { return a.share > b.share; });
    Node rest{.level = level};
    while (!children.empty() && children.back().share < options_.least_share) {
      rest.share += children.back().share;
      ++rest.left_out;
      children.pop_back();
    }
    if (rest.left_out > 0) open_.push_back(rest);
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      child->level = level;
      open_.push_back(*child);
    }
  }

  std::string FrameText(const Node& node) const {
    const uint32_t frame = paths_[node.first].frames[node.depth - 1];
    return CleanText(code_[static_cast<int>(frame)].label());
  }

  void Line(const Node& node, const std::string& text, bool with_share) {
    const size_t indent = std::min(node.level * kIndent, kDeepestIndent);
    const std::string share =
        with_share
            ? absl::StrCat(PadLeft(PercentText(std::min(1.0, node.share)), kShareWidth - 2), "  ")
            : std::string(kShareWidth, ' ');
    const size_t room =
        std::max<size_t>(options_.width, kShareWidth + kDeepestIndent + 8) - kShareWidth - indent;
    absl::StrAppend(&text_, share, std::string(indent, ' '), Shorten(text, room), "\n");
  }

  std::vector<Path> paths_;
  const google::protobuf::RepeatedPtrField<pb::CodeFrame>& code_;
  const CallTreeOptions& options_;
  std::vector<Node> open_;
  std::string text_;
};

}  // namespace

std::string CallTreeText(const google::protobuf::RepeatedPtrField<pb::CodeStack>& stacks,
                         const google::protobuf::RepeatedPtrField<pb::CodeFrame>& code,
                         const CallTreeOptions& options) {
  std::vector<Path> paths;
  for (const pb::CodeStack& stack : stacks) {
    Path path{.share = stack.share()};
    for (int i = stack.frames_size() - 1; i >= 0; --i) {
      path.frames.push_back(stack.frames(i));
    }
    paths.push_back(std::move(path));
  }
  return TreeWriter(std::move(paths), code, options).Write();
}

}  // namespace gordian
