# SPDX-License-Identifier: Apache-2.0
"""Events of a web server as lines of JSON. usage: events.py COUNT"""

import json
import random
import sys

throw = random.Random(7)
for number in range(int(sys.argv[1])):
    print(json.dumps({"id": number, "time": 1700000000 + number, "client": {"address": f"10.0.{throw.randrange(256)}.{throw.randrange(256)}"},
                      "request": {"method": "GET", "path": f"/item/{throw.randrange(2000)}", "bytes": throw.randrange(9999)},
                      "status": throw.choice([200, 200, 200, 304, 404])}))
