-- SPDX-License-Identifier: Apache-2.0
-- Threads by how often they went on on another CPU
WITH runs AS (SELECT thread, cpu, lag(cpu) OVER (PARTITION BY thread ORDER BY begin_ns) AS before
  FROM segment WHERE kind = 'run')
SELECT t.name, t.tid, sum(r.cpu <> r.before) AS moves
FROM runs r JOIN thread t ON t.id = r.thread
GROUP BY t.id
HAVING moves > 0 ORDER BY moves DESC, t.id LIMIT 20;
