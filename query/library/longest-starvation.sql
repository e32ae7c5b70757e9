-- SPDX-License-Identifier: Apache-2.0
-- The longest times without a CPU
SELECT t.name, t.tid, s.begin_ns, s.end_ns - s.begin_ns AS ns
FROM segment s
JOIN thread t ON t.id = s.thread
WHERE s.kind = 'runnable'
ORDER BY ns DESC, s.thread, s.begin_ns LIMIT 20;
