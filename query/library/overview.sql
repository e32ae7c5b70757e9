-- SPDX-License-Identifier: Apache-2.0
-- What was recorded, what limits it, and what is lost, in one row
SELECT (SELECT max(end_ns) FROM thread) AS recorded_ns,
       (SELECT title FROM finding WHERE NOT apart ORDER BY rank LIMIT 1) AS limit_title,
       count(*) AS threads,
       sum(run_ns) AS run_ns,
       sum(runnable_ns) AS runnable_ns,
       sum(wait_ns) AS wait_ns,
       sum(unknown_ns) AS unknown_ns,
       (SELECT coalesce(group_concat(name || ' ' || value, ', '), '') FROM counter WHERE severity <> 'info') AS lost
FROM thread
WHERE tid IS NOT NULL;
