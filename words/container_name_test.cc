// SPDX-License-Identifier: Apache-2.0
#include "words/container_name.h"

#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

const std::string kId = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(ContainerName, NamesTheInnermostContainerElseTheUnit) {
  const std::string pod = "kubepods-burstable-podf00d1234_aaaa_bbbb_cccc_000000000000.slice";
  const struct {
    std::string path;
    std::string name;
  } table[] = {
      {"", ""},
      {"/", ""},
      {"/docker/" + kId, "docker/0123456789ab"},
      {"/system.slice/docker-" + kId + ".scope", "docker/0123456789ab"},
      {"/system.slice/docker-" + kId + ".scope/init", "docker/0123456789ab"},
      {"/machine.slice/libpod-" + kId + ".scope", "podman/0123456789ab"},
      {"/machine.slice/libpod-" + kId + ".scope/container", "podman/0123456789ab"},
      {"/machine.slice/libpod-conmon-" + kId + ".scope", "libpod-conmon-" + kId + ".scope"},
      {"/kubepods.slice/kubepods-burstable.slice/" + pod + "/cri-containerd-" + kId + ".scope",
       "kubernetes/0123456789ab"},
      {"/kubepods.slice/" + pod + "/crio-" + kId + ".scope", "kubernetes/0123456789ab"},
      {"/kubepods/besteffort/podf00d1234-aaaa-bbbb-cccc-000000000000/" + kId,
       "kubernetes/0123456789ab"},
      {"/system.slice/containerd.service/" + pod + ":cri-containerd:" + kId,
       "kubernetes/0123456789ab"},
      {"/default/" + kId, "container/0123456789ab"},
      {"/system.slice/system.slice:containerd:" + kId, "containerd/0123456789ab"},
      {"/system.slice/docker-" + kId + ".scope/docker/" + std::string(64, 'e'),
       "docker/eeeeeeeeeeee"},
      {"/lxc.payload.web", "lxc/web"},
      {"/machine.slice/machine-build\\x2dhost.scope", "machine/build-host"},
      {"/system.slice/nginx.service", "nginx.service"},
      {"/system.slice/system-postgresql.slice/postgresql@15-main.service",
       "postgresql@15-main.service"},
      {"/user.slice/user-1000.slice/session-3.scope", "session-3.scope"},
      {"/user.slice/user-1000.slice/user@1000.service/app.slice/app-editor.service",
       "app-editor.service"},
      {"/user.slice/user-1000.slice", "user-1000.slice"},
      {"/batch/job_17", "batch/job_17"},
      {"/docker/0123", "docker/0123"},                                        // too short for an id
      {"/docker/" + std::string(64, 'g'), "docker/" + std::string(64, 'g')},  // no hex
      {"/evil\\x", "evil\\x"},
  };
  for (const auto& row : table) EXPECT_EQ(ContainerName(row.path), row.name) << row.path;
}

TEST(ContainerName, AnIdIsTheInnermostContainersWhole) {
  EXPECT_EQ(ContainerIdOf("/system.slice/docker-" + kId + ".scope/init"), kId);
  EXPECT_EQ(ContainerIdOf("/docker/" + kId + "/docker/" + std::string(64, 'e')),
            std::string(64, 'e'));
  EXPECT_EQ(ContainerIdOf("/docker/" + kId + "/lxc.payload.web"), "");
  EXPECT_EQ(ContainerIdOf("/system.slice/nginx.service"), "");
}

}  // namespace
}  // namespace gordian
