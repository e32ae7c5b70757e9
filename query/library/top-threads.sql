-- SPDX-License-Identifier: Apache-2.0
-- Threads by their time on a CPU
SELECT name, tid, process, run_ns, wait_ns
FROM thread
WHERE tid IS NOT NULL
ORDER BY run_ns DESC, id LIMIT 20;
