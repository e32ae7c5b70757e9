<?php
// SPDX-License-Identifier: Apache-2.0
$stock = pfsockopen("127.0.0.1", (int)getenv("STOCK_PORT"));
fwrite($stock, "left?\n");
$left = trim(fgets($stock));
$rows = [];
for ($i = 0; $i < 200; $i++) $rows[] = "<li>" . htmlspecialchars("article $i: $left") . "</li>";
echo "<ul>" . implode("\n", $rows) . "</ul>";
