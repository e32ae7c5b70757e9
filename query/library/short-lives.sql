-- SPDX-License-Identifier: Apache-2.0
-- Threads that lived shortest
SELECT name, tid, end_ns - begin_ns AS life_ns
FROM thread
WHERE creator IS NOT NULL
ORDER BY life_ns, id LIMIT 20;
