-- SPDX-License-Identifier: Apache-2.0
-- Threads by how often they woke others
SELECT t.name, t.tid, count(*) AS wakes
FROM edge e
JOIN thread t ON t.id = e.from_thread
WHERE e.kind = 'wake'
GROUP BY t.id
ORDER BY wakes DESC, t.id LIMIT 20;
