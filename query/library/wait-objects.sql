-- SPDX-License-Identifier: Apache-2.0
-- Things that threads waited for, by kind and call
SELECT o.kind, o.call, count(*) AS samples
FROM sample s
JOIN object o ON o.id = s.object
GROUP BY o.kind, o.call
ORDER BY samples DESC, 1, 2;
