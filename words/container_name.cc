// SPDX-License-Identifier: Apache-2.0
#include "words/container_name.h"

#include <algorithm>
#include <vector>

namespace gordian {
namespace {

constexpr size_t kIdDigits = 64;
constexpr size_t kShownDigits = 12;  // as the container tools themselves show an id

std::vector<std::string_view> Components(std::string_view path) {
  std::vector<std::string_view> components;
  while (!path.empty()) {
    const size_t end = path.find('/');
    if (end != 0) components.push_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return components;
}

bool IsContainerId(std::string_view text) {
  return text.size() == kIdDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

struct Runtime {
  std::string_view prefix;  // the text before the id in a component
  std::string_view name;
};

// With systemd's cgroup driver a component is PREFIX-ID.scope, with containerd's own
// SLICE:PREFIX:ID.
constexpr Runtime kRuntimes[] = {
    {"docker", "docker"},
    {"libpod", "podman"},
    {"crio", "cri-o"},
    {"cri-containerd", "containerd"},
    {"containerd", "containerd"},
    {"nerdctl", "containerd"},
};

// The runtime's name for the text before an id; empty if it is not known.
std::string_view RuntimeOf(std::string_view prefix) {
  for (const Runtime& runtime : kRuntimes) {
    if (prefix == runtime.prefix) return runtime.name;
  }
  return {};
}

std::string_view WithoutSuffix(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

struct Container {
  std::string_view runtime;  // empty if the component does not say
  std::string_view id;
};

// The container that one component stands for; an empty id if it stands for no container.
Container ParseContainer(std::string_view component) {
  const std::string_view bare = WithoutSuffix(component, ".scope");
  if (bare.size() < kIdDigits) return {};
  const std::string_view id = bare.substr(bare.size() - kIdDigits);
  if (!IsContainerId(id)) return {};
  if (bare.size() == kIdDigits) return {"", id};
  const char separator = bare[bare.size() - kIdDigits - 1];
  if (separator != '-' && separator != ':') return {};
  std::string_view prefix = bare.substr(0, bare.size() - kIdDigits - 1);
  const size_t slice_end = prefix.rfind(':');
  if (slice_end != prefix.npos) prefix.remove_prefix(slice_end + 1);
  const std::string_view runtime = RuntimeOf(prefix);
  // "libpod-conmon-ID" and "crio-conmon-ID" are watchers beside a container, not the container.
  return runtime.empty() ? Container{} : Container{runtime, id};
}

// Systemd writes bytes that it does not allow in unit names as \xHH.
std::string Unescape(std::string_view text) {
  const auto hex_value = [](char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
  };
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool escaped = at + 3 < text.size() && text[at] == '\\' && text[at + 1] == 'x' &&
                         hex_value(text[at + 2]) >= 0 && hex_value(text[at + 3]) >= 0;
    if (!escaped) {
      plain += text[at];
      continue;
    }
    plain += static_cast<char>(hex_value(text[at + 2]) * 16 + hex_value(text[at + 3]));
    at += 3;
  }
  return plain;
}

// Containers that are named by words, not by ids; empty if the component is no container.
std::string NamedContainer(std::string_view component) {
  constexpr std::string_view kLxc = "lxc.payload.";
  constexpr std::string_view kMachine = "machine-";
  if (component.starts_with(kLxc)) return "lxc/" + std::string(component.substr(kLxc.size()));
  if (component.starts_with(kMachine) && component.ends_with(".scope")) {
    component.remove_prefix(kMachine.size());
    return "machine/" + Unescape(WithoutSuffix(component, ".scope"));
  }
  return {};
}

std::string Join(std::string_view family, std::string_view id) {
  return std::string(family) + "/" + std::string(id.substr(0, kShownDigits));
}

}  // namespace

std::string ContainerOf(std::string_view path) {
  const std::vector<std::string_view> components = Components(path);
  const bool kubernetes = std::any_of(
      components.begin(), components.end(),
      [](std::string_view component) { return component.find("kubepods") != component.npos; });
  // From the innermost outwards: a container inside a container is the one that is meant.
  for (size_t at = components.size(); at-- > 0;) {
    const Container container = ParseContainer(components[at]);
    if (!container.id.empty()) {
      if (kubernetes) return Join("kubernetes", container.id);
      if (!container.runtime.empty()) return Join(container.runtime, container.id);
      const std::string_view parent = at > 0 ? RuntimeOf(components[at - 1]) : std::string_view();
      return Join(parent.empty() ? "container" : parent, container.id);
    }
    std::string named = NamedContainer(components[at]);
    if (!named.empty()) return named;
  }
  return {};
}

std::string ContainerIdOf(std::string_view path) {
  const std::vector<std::string_view> components = Components(path);
  for (size_t at = components.size(); at-- > 0;) {
    const Container container = ParseContainer(components[at]);
    if (!container.id.empty()) return std::string(container.id);
    if (!NamedContainer(components[at]).empty()) return {};
  }
  return {};
}

std::string ContainerName(std::string_view path) {
  std::string container = ContainerOf(path);
  if (!container.empty()) return container;
  const std::vector<std::string_view> components = Components(path);
  for (const std::string_view suffix : {".service", ".scope", ".slice"}) {
    for (size_t at = components.size(); at-- > 0;) {
      // An instance of user@….service holds all of a user's own services: the inner one is named
      // before it.
      if (components[at].ends_with(suffix)) return Unescape(components[at]);
    }
  }
  const size_t start = path.find_first_not_of('/');
  return start == path.npos ? std::string() : std::string(path.substr(start));
}

}  // namespace gordian
