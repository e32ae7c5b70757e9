-- SPDX-License-Identifier: Apache-2.0
-- Threads by their time without a CPU although they could run
SELECT name, tid, process, runnable_ns
FROM thread
WHERE runnable_ns > 0
ORDER BY runnable_ns DESC, id LIMIT 20;
