// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {about, around, causeOf, headline, quantileName, stepOf, whatOf, whereRows} from "./words.js";

const time = (kind, who, share, causes = []) => ({kind, who, share, causes});
const port = {port: 80, phase: "", servers: ["web"], requests: 400, mean_ns: 5e6, open_at_once: 3, asked_by: 0, percentiles: [
  {quantile: 0.5, latency_ns: 4e6, times: [time("disk", "vda", 0.6), time("run", "web", 0.396), time("timer", "", 0.004)]},
  {quantile: 0.99, latency_ns: 31e6, times: [time("lock", "compaction", 0.8, [time("disk", "compaction", 0.75), time("run", "", 0.01)]), time("disk", "vda", 0.2)]},
]};

test("the answer is told at the 99th percentile, or the median of a few", () => {
  assert.equal(headline(port), "The 99th percentile of 400 requests to port 80 (web) is 31 ms. 80 % of its time: waits for a lock of compaction (75 % of that: it waits for a disk).");
  assert.equal(headline({...port, requests: 3, phase: "request"}), "The median of 3 requests of phase request (web) is 4 ms. 60 % of its time: waits for the disk vda.");
  assert.equal(headline({...port, percentiles: []}), "port 80 (web) answered no request.");
});
test("a port is told with its mean and its load", () => assert.equal(about(port), "Port 80 (web): 400 requests, 5 ms on average, up to 3 open at once."));
test("nobody is somebody", () => {
  assert.equal(whatOf({kind: "thread", who: ""}), "waits for somebody");
  assert.equal(whatOf({kind: "later", who: "x"}), "later");
  assert.equal(causeOf({kind: "peer", who: ""}, {kind: "peer", who: "db"}), "not recorded there");
});
test("each row has its share at each percentile, and all together are all", () => {
  const rows = whereRows(port);
  assert.deepEqual(rows.map((row) => row.what), ["waits for a lock of compaction", "waits for the disk vda", "runs: web", "(others)"]);
  assert.deepEqual(rows[0].shares, [0, 0.8]);
  assert.deepEqual(rows[0].causes.map((cause) => [cause.what, cause.shares[1].toFixed(2)]), [["it waits for a disk", "0.60"]]);
  for (const i of [0, 1]) assert.ok(Math.abs(rows.reduce((sum, row) => sum + row.shares[i], 0) - 1) < 1e-9);
  assert.equal(whereRows(port, 1).length, 2, "the rest is one row");
});
test("steps are told with what was done meanwhile", () => {
  assert.equal(stepOf({kind: "run", thread: "web 7", waits_for: "", cause: "", cause_thread: ""}), "runs: web 7");
  assert.equal(stepOf({kind: "lock", thread: "web 7", waits_for: "db 8", cause: "disk", cause_thread: "db 8"}), "waits for a lock of db 8 (it waits for a disk)");
});
test("percentiles have names", () => assert.deepEqual([0.5, 0.999, 1].map(quantileName), ["p50", "p99.9", "max"]));
test("a request is shown with room around it, within the recording", () => {
  assert.deepEqual(around(1_000_000, 2_000_000, 2_050_000), {from: 850_000, to: 2_050_000});
  assert.deepEqual(around(10, 20), {from: 0, to: 1020});
});
