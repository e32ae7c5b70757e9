-- SPDX-License-Identifier: Apache-2.0
-- The longest single waits that ended
SELECT t.name, t.tid, s.begin_ns, s.end_ns - s.begin_ns AS ns, w.name AS waker
FROM segment s
JOIN thread t ON t.id = s.thread
LEFT JOIN thread w ON w.id = s.waker
WHERE s.kind = 'wait' AND s.open = 0
ORDER BY ns DESC, s.thread, s.begin_ns LIMIT 20;
