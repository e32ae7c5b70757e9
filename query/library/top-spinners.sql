-- SPDX-License-Identifier: Apache-2.0
-- Threads by the time they spun for locks
SELECT name, tid, process, spin_ns
FROM thread
WHERE spin_ns > 0
ORDER BY spin_ns DESC, id LIMIT 20;
