// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {gzipSync} from "node:zlib";

import {bytesOf, unpacked} from "./bytes.js";

test("bytes come back from text, all of their values", () => {
  const all = Uint8Array.from({length: 256}, (_, i) => i);
  assert.deepEqual(bytesOf(Buffer.from(all).toString("base64")), all);
});

test("a compressed report is read, whatever its letters", async () => {
  const report = {report: {verdict: "\u2192 <img src=x> \u00b5s", phases: Array(1000).fill({path: "/Job/Step"})}};
  assert.deepEqual(await unpacked({gzip: gzipSync(JSON.stringify(report)).toString("base64")}), report);
});
