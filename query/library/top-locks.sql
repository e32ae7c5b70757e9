-- SPDX-License-Identifier: Apache-2.0
-- Futexes by the threads that waited for them
SELECT o.text, count(DISTINCT s.thread) AS threads, sum(s.weight) AS waits
FROM sample s
JOIN object o ON o.id = s.object
WHERE o.kind = 'futex' AND s.moment = 'wait'
GROUP BY o.text
ORDER BY waits DESC, o.text LIMIT 20;
