<?php
// SPDX-License-Identifier: Apache-2.0
// A part of a page: it counts in the session, and asks the stock service.
session_start();
$_SESSION['parts'] = ($_SESSION['parts'] ?? 0) + 1;
if (getenv('CLOSE_EARLY') === '1') {
    session_write_close();
}
$service = pfsockopen('127.0.0.1', (int) getenv('STOCK_PORT'));
stream_set_timeout($service, 5);
fwrite($service, "stock\n");
echo 'in stock: ', fgets($service);
