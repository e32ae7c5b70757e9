-- SPDX-License-Identifier: Apache-2.0
-- Who created how many threads
SELECT f.name, f.tid, count(*) AS born
FROM edge e
JOIN thread f ON f.id = e.from_thread
WHERE e.kind = 'create'
GROUP BY f.id
ORDER BY born DESC, f.id LIMIT 20;
