-- SPDX-License-Identifier: Apache-2.0
-- Threads by their waits
SELECT name, tid, process, wait_ns
FROM thread
WHERE tid IS NOT NULL
ORDER BY wait_ns DESC, id LIMIT 20;
