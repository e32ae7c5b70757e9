-- SPDX-License-Identifier: Apache-2.0
-- What the recording lacks
SELECT name, value, severity, advice
FROM counter
WHERE severity <> 'info'
ORDER BY value DESC;
