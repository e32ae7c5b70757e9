// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/named_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Id(char digit) { return std::string(64, digit); }

// A node with everything: kubelet's two ways to name groups, every runtime, users' own services.
NamedPlaces Node() {
  NamedPlaces places;
  places.mount = "/sys/fs/cgroup";
  places.pods = {{"shop/web-1", "aaaa-01"},
                 {"shop/db-0", "bbbb-02"},
                 {"test/db-0", "cccc-03"},
                 {"kube-system/etcd", "6f1ed002"},
                 {"shop/gone", "dddd-04"}};
  places.containers = {{Id('1'), {"app", "shop/web-1/app"}},
                       {Id('2'), {"app", "test/db-0/app"}},
                       {Id('3'), {"shop-db-1"}},
                       {Id('4'), {"cache"}},
                       {Id('9'), {"exited"}}};
  places.groups = {
      "/",
      "/kubepods.slice",
      "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podaaaa_01.slice",
      "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podaaaa_01.slice/"
      "cri-containerd-" +
          Id('1') + ".scope",
      "/kubepods/besteffort/podbbbb-02",
      "/kubepods.slice/kubepods-podcccc_03.slice",
      "/kubepods.slice/kubepods-podcccc_03.slice/crio-" + Id('2') + ".scope",
      "/kubepods.slice/kubepods-podcccc_03.slice/crio-conmon-" + Id('2') + ".scope",
      "/kubepods.slice/kubepods-pod6f1ed002.slice",
      "/system.slice/docker-" + Id('3') + ".scope",
      "/system.slice/docker-" + Id('3') + ".scope/system.slice/nginx.service",
      "/machine.slice/libpod-" + Id('4') + ".scope",
      "/machine.slice/libpod-" + Id('4') + ".scope/container",
      "/lxc.payload.old",
      "/machine.slice/machine-build\\x2dhost.scope",
      "/system.slice/nginx.service",
      "/system.slice/system-postgresql.slice/postgresql@15-main.service",
      "/user.slice/user-1.slice/user@1.service/app.slice/nginx.service",
      "/user.slice/user-1.slice/user@1.service/app.slice/sync.service",
      "/user.slice/user-2.slice/user@2.service/app.slice/sync.service",
  };
  return places;
}

std::string PodAt(const std::string& name) {
  const auto groups = GroupsOf({.pods = {name}}, Node());
  return groups.ok() ? groups->at(0) : std::string(groups.status().message());
}
std::string ContainerAt(const std::string& name) {
  const auto groups = GroupsOf({.containers = {name}}, Node());
  return groups.ok() ? groups->at(0) : std::string(groups.status().message());
}
std::string UnitAt(const std::string& name) {
  const auto groups = GroupsOf({.units = {name}}, Node());
  return groups.ok() ? groups->at(0) : std::string(groups.status().message());
}

TEST(NamedGroups, APodIsFoundUnderBothOfKubeletsDrivers) {
  EXPECT_EQ(PodAt("shop/web-1"),
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podaaaa_01.slice");
  EXPECT_EQ(PodAt("shop/db-0"), "/kubepods/besteffort/podbbbb-02");
  EXPECT_EQ(PodAt("test/db-0"), "/kubepods.slice/kubepods-podcccc_03.slice");
  EXPECT_EQ(PodAt("kube-system/etcd"), "/kubepods.slice/kubepods-pod6f1ed002.slice");
}

TEST(NamedGroups, APodNeedsItsNamespaceOnlyIfTwoHaveItsName) {
  EXPECT_EQ(PodAt("etcd"), "/kubepods.slice/kubepods-pod6f1ed002.slice");
  EXPECT_THAT(PodAt("db-0"), AllOf(HasSubstr("there are 2 pods db-0: "),
                                   HasSubstr("shop/db-0 (/kubepods/besteffort/podbbbb-02)"),
                                   HasSubstr("test/db-0 ("), HasSubstr("--cgroup")));
}

TEST(NamedGroups, AnEndedOrUnknownPodIsToldWithWhereWasLookedAndTheNearest) {
  EXPECT_THAT(PodAt("shop/gone"), HasSubstr("no pod shop/gone runs here: looked in /var/log/pods "
                                            "(5 names) and below /sys/fs/cgroup"));
  EXPECT_THAT(PodAt("shop/web-2"), HasSubstr("; nearest: shop/web-1"));
}

TEST(NamedGroups, AContainerIsFoundByNameAndById) {
  EXPECT_EQ(ContainerAt("shop-db-1"), "/system.slice/docker-" + Id('3') + ".scope");
  EXPECT_EQ(ContainerAt("cache"), "/machine.slice/libpod-" + Id('4') + ".scope");
  EXPECT_EQ(ContainerAt(Id('4')), "/machine.slice/libpod-" + Id('4') + ".scope");
  EXPECT_EQ(ContainerAt(Id('4').substr(0, 12)), "/machine.slice/libpod-" + Id('4') + ".scope");
  EXPECT_EQ(ContainerAt("podman/" + Id('4').substr(0, 12)),
            "/machine.slice/libpod-" + Id('4') + ".scope");
  EXPECT_EQ(ContainerAt("podman/" + Id('4')), "/machine.slice/libpod-" + Id('4') + ".scope");
  EXPECT_THAT(ContainerAt("docker/" + Id('4')), HasSubstr("no container docker/444"));
  EXPECT_THAT(ContainerAt("444"), HasSubstr("no container 444 runs here"));
  EXPECT_EQ(ContainerAt("old"), "/lxc.payload.old");
  EXPECT_EQ(ContainerAt("build-host"), "/machine.slice/machine-build\\x2dhost.scope");
}

TEST(NamedGroups, AContainerOfAPodMayNeedItsWholeName) {
  EXPECT_THAT(ContainerAt("app"),
              AllOf(HasSubstr("there are 2 containers app: "), HasSubstr("shop/web-1/app ("),
                    HasSubstr("test/db-0/app (")));
  EXPECT_EQ(ContainerAt("test/db-0/app"),
            "/kubepods.slice/kubepods-podcccc_03.slice/crio-" + Id('2') + ".scope");
  EXPECT_THAT(ContainerAt("exited"), HasSubstr("no container exited runs here"));
}

TEST(NamedGroups, AUnitIsTheMachinesOwnBeforeThoseOfUsersAndContainers) {
  EXPECT_EQ(UnitAt("nginx"), "/system.slice/nginx.service");
  EXPECT_EQ(UnitAt("nginx.service"), "/system.slice/nginx.service");
  EXPECT_EQ(UnitAt("postgresql@15-main"),
            "/system.slice/system-postgresql.slice/postgresql@15-main.service");
  EXPECT_EQ(UnitAt("kubepods.slice"), "/kubepods.slice");
  EXPECT_THAT(UnitAt("sync"), AllOf(HasSubstr("there are 2 units sync.service: "),
                                    HasSubstr("/user@2.service/app.slice/sync.service")));
  EXPECT_THAT(UnitAt("ngnix"), HasSubstr("no unit ngnix.service runs here: looked in the groups "
                                         "below /sys/fs/cgroup; nearest: nginx.service"));
}

TEST(NamedGroups, TheSameContainerToldTwiceIsOne) {
  NamedPlaces node = Node();
  node.containers.push_back({Id('3'), {"shop-db-1"}});
  EXPECT_TRUE(GroupsOf({.containers = {"shop-db-1"}}, node).ok());
}

TEST(NamedGroups, HostileNamesNeitherForgeLinesNorMatchNothing) {
  NamedPlaces node = Node();
  node.groups.push_back("/system.slice/evil\n\x1b[31m.service");
  node.groups.push_back("/pod");
  node.groups.push_back("/.slice");
  const auto groups = GroupsOf({.units = {"evil"}}, node);
  ASSERT_FALSE(groups.ok());
  EXPECT_THAT(std::string(groups.status().message()), Not(HasSubstr("\n")));
  EXPECT_FALSE(GroupsOf({.pods = {"/"}}, node).ok());
  EXPECT_FALSE(GroupsOf({.containers = {"/"}}, node).ok());
  EXPECT_FALSE(GroupsOf({.units = {std::string(1 << 20, 'x')}}, node).ok());
}

TEST(NamedGroups, EachNameGivesOneGroupInTheOrderOfKinds) {
  const auto groups =
      GroupsOf({.pods = {"etcd"}, .containers = {"cache"}, .units = {"nginx"}}, Node());
  ASSERT_TRUE(groups.ok());
  EXPECT_THAT(*groups, testing::ElementsAre("/kubepods.slice/kubepods-pod6f1ed002.slice",
                                            "/machine.slice/libpod-" + Id('4') + ".scope",
                                            "/system.slice/nginx.service"));
}

}  // namespace
}  // namespace gordian
