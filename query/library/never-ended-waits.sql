-- SPDX-License-Identifier: Apache-2.0
-- Threads that still waited at the end
SELECT t.name, t.tid, s.end_ns - s.begin_ns AS ns
FROM segment s
JOIN thread t ON t.id = s.thread
WHERE s.kind = 'wait' AND s.open >= 2
ORDER BY ns DESC, t.id LIMIT 20;
