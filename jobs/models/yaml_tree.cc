// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Collects the parser's events. It throws on input that it refuses, as the parser does on
// unreadable input: that ends the parse at once, before the rest of the input.
class TreeBuilder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Add(Make(mark, YamlNode::Kind::kNull), mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw YAML::ParserException(mark, "aliases (*name) are not used in models: write it out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    YamlNode node = Make(mark, YamlNode::Kind::kScalar);
    node.text = value;
    Add(std::move(node), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    Open(mark, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

  YamlNode TakeRoot() { return std::move(root_); }

 private:
  YamlNode Make(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++nodes_ > kMaxYamlNodes) throw YAML::ParserException(mark, "this is too much for a model");
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    return node;
  }

  void Open(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (open_.size() >= kMaxYamlDepth)
      throw YAML::ParserException(
          mark, absl::StrCat("this is nested more than ", kMaxYamlDepth, " levels deep"));
    if (ExpectsKey()) throw YAML::ParserException(mark, "a key must be a word, no list and no map");
    open_.push_back(Make(mark, kind));
  }

  void Close() {
    YamlNode done = std::move(open_.back());
    open_.pop_back();
    Attach(std::move(done));
  }

  bool ExpectsKey() const {
    return !open_.empty() && open_.back().kind == YamlNode::Kind::kMap &&
           open_.back().keys.size() == open_.back().items.size();
  }

  void Add(YamlNode node, const YAML::Mark& mark) {
    if (!ExpectsKey()) return Attach(std::move(node));
    if (node.kind != YamlNode::Kind::kScalar || node.text.empty())
      throw YAML::ParserException(mark, "a key must be a word");
    for (const YamlKey& key : open_.back().keys) {
      if (key.text == node.text)
        throw YAML::ParserException(
            mark, absl::StrCat("'", node.text, "' is said twice (line ", key.line, ")"));
    }
    open_.back().keys.push_back({std::move(node.text), node.line});
  }

  void Attach(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().items.push_back(std::move(node));
    }
  }

  YamlNode root_;
  std::vector<YamlNode> open_;  // maps and lists, outermost first
  size_t nodes_ = 0;
};

absl::Status AtLine(std::string_view file, int line, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(file), ":", line, ": ", std::string(what)));
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

std::string_view YamlKindName(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a word";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "nothing";
}

absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view file) {
  if (text.size() > kMaxYamlBytes) return AtLine(file, 1, "longer than 1 MiB: this is no model");
  TreeBuilder builder;
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return AtLine(file, 1, "the file is empty");
    TreeBuilder second;
    if (parser.HandleNextDocument(second))
      return AtLine(file, 1, "a model is one document: there is a second one behind ---");
  } catch (const YAML::Exception& error) {
    // The parser's marks count from zero; without a mark they are -1.
    return AtLine(file, error.mark.line < 0 ? 1 : error.mark.line + 1, error.msg);
  }
  return builder.TakeRoot();
}

}  // namespace gordian
