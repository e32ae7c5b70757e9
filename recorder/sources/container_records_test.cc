// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/container_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string IdOf(char digit) { return std::string(64, digit); }

std::vector<std::pair<std::string, std::vector<std::string>>> Containers(const FixtureTree& tree) {
  std::vector<std::pair<std::string, std::vector<std::string>>> pairs;
  for (KnownContainer& container : ReadKnownContainers(tree.Path("")))
    pairs.emplace_back(container.id, container.names);
  return pairs;
}

TEST(ContainerRecords, AMachineWithoutContainersHasNone) {
  const FixtureTree tree;
  EXPECT_THAT(ReadKnownPods(tree.Path("")), IsEmpty());
  EXPECT_THAT(Containers(tree), IsEmpty());
}

TEST(ContainerRecords, APodsUidIsInTheNameOfItsLogs) {
  const FixtureTree tree;
  tree.MakeFolder("var/log/pods/shop_web-7d9f_0ad1d3f2-5b2a-4d0e-9d0c-6a1c5a7f0001");
  tree.MakeFolder("var/log/pods/kube-system_etcd-node1_6f1ed002ab5595859014ebf0951522d9");
  tree.MakeFolder("var/log/pods/two_parts");
  tree.MakeFolder("var/log/pods/one_part_too_many");
  tree.MakeFolder("var/log/pods/shop_we b_1");
  std::vector<std::string> pods;
  for (const KnownPod& pod : ReadKnownPods(tree.Path(""))) pods.push_back(pod.name + "=" + pod.uid);
  EXPECT_THAT(pods,
              UnorderedElementsAre("shop/web-7d9f=0ad1d3f2-5b2a-4d0e-9d0c-6a1c5a7f0001",
                                   "kube-system/etcd-node1=6f1ed002ab5595859014ebf0951522d9"));
}

TEST(ContainerRecords, KubeletsLogsNameContainersOfAllRuntimes) {
  const FixtureTree tree;
  tree.Write("var/log/containers/web-7d9f_shop_app-" + IdOf('a') + ".log", "");
  tree.Write("var/log/containers/web-7d9f_shop_app-" + IdOf('g') + ".log", "");
  tree.Write("var/log/containers/web-7d9f_shop_app-abc.log", "");
  tree.Write("var/log/containers/" + IdOf('a') + ".log", "");
  tree.Write("var/log/containers/-" + IdOf('a') + ".log", "");
  EXPECT_THAT(Containers(tree),
              ElementsAre(Pair(IdOf('a'), ElementsAre("app", "shop/web-7d9f/app"))));
}

TEST(ContainerRecords, DockersFilesTellTheName) {
  const FixtureTree tree;
  tree.Write("var/lib/docker/containers/" + IdOf('b') + "/config.v2.json",
             R"({"StreamConfig":{},"State":{"Running":true,"Pid":7,"Name":"/no"},"ID":"x",
                 "Config":{"Labels":{"Name":"/nor-this"}},"Name":"/shop-db-1","names":["no"]})");
  tree.Write("var/lib/docker/containers/backup/config.v2.json", R"({"Name":"/not-an-id"})");
  EXPECT_THAT(Containers(tree), ElementsAre(Pair(IdOf('b'), testing::Contains("shop-db-1"))));
}

TEST(ContainerRecords, PodmansListsTellNamesWhateverTheStorage) {
  const FixtureTree tree;
  tree.Write("var/lib/containers/storage/overlay-containers/containers.json",
             R"([{"id":")" + IdOf('c') + R"(","names":["web"],"metadata":"{\"name\":\"no\"}",
                  "flags":{"id":"no","names":["no"]}},{"names":["nameless"]}])");
  tree.Write("run/containers/storage/vfs-containers/volatile-containers.json",
             R"([{"id":")" + IdOf('d') + R"(","names":["job","batch"]}])");
  EXPECT_THAT(Containers(tree), UnorderedElementsAre(Pair(IdOf('c'), ElementsAre("web")),
                                                     Pair(IdOf('d'), ElementsAre("job", "batch"))));
}

TEST(ContainerRecords, NerdctlHasAFileForEachName) {
  const FixtureTree tree;
  tree.Write("var/lib/nerdctl/1935db59/names/default/cache", IdOf('e'));
  tree.Write("var/lib/nerdctl/1935db59/names/default/broken", IdOf('e') + IdOf('e'));
  EXPECT_THAT(Containers(tree), ElementsAre(Pair(IdOf('e'), ElementsAre("cache"))));
}

TEST(ContainerRecords, HostileContentsAreLeftOut) {
  const FixtureTree tree;
  const std::string docker = "var/lib/docker/containers/" + IdOf('b') + "/config.v2.json";
  for (const std::string& text :
       {std::string(200'000, '['), std::string("{\"Name\":"), std::string("\0{", 2),
        std::string(R"({"Name":"/\u001b[31mred"})"), std::string(R"({"Name":"/a b"})"),
        R"({"Name":"/)" + std::string(2000, 'n') + R"("})", std::string("[]"),
        std::string(R"({"Name":{"Name":"/deep"}})")}) {
    tree.Write(docker, text);
    for (const auto& [id, names] : Containers(tree)) EXPECT_THAT(names, IsEmpty()) << text;
  }
  tree.Remove(docker);
  tree.MakeFolder(docker);
  EXPECT_THAT(Containers(tree), IsEmpty());
  tree.Write("var/lib/containers/storage/overlay-containers/containers.json",
             R"([{"id":"../../etc","names":["web"]},{"id":[")" + IdOf('a') + R"("],"names":"x"}])");
  EXPECT_THAT(Containers(tree), IsEmpty());
}

}  // namespace
}  // namespace gordian
