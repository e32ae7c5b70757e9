-- SPDX-License-Identifier: Apache-2.0
wrk.method = "POST"
wrk.body = string.rep("a line of the document\n", 700) -- 16 KB
