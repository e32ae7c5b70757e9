<?php
// SPDX-License-Identifier: Apache-2.0
// Workers that send the mails of a table. usage: mails.php DATABASE-FOLDER MAILER-PORT wait|skip WORKERS SECONDS
// Prints mails sent a second.
[, $folder, $port, $lock, $workers, $seconds] = $argv;

function send_mails(string $folder, int $port, string $lock, float $end): int {
  $database = pg_connect("host=$folder dbname=bench user=nobody");
  $mailer = stream_socket_client("tcp://127.0.0.1:$port");
  $next = "select id, receiver from mails order by id limit 1 for update" . ($lock === "skip" ? " skip locked" : "");
  $sent = 0;
  while (microtime(true) < $end) {
    pg_query($database, "begin");
    $row = pg_fetch_row(pg_query($database, $next));
    if ($row) { // no row: another worker deleted it while this one waited
      fwrite($mailer, "mail $row[1]\n");
      fgets($mailer);
      pg_query_params($database, "delete from mails where id = $1", [$row[0]]);
      $sent++;
    }
    pg_query($database, "commit");
  }
  return $sent;
}

$begin = microtime(true);
$answers = [];
for ($worker = 0; $worker < (int)$workers; $worker++) {
  [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
  if (pcntl_fork() === 0) {
    fwrite($theirs, send_mails($folder, (int)$port, $lock, $begin + (float)$seconds) . "\n");
    exit(0);
  }
  $answers[] = $ours;
}
$sent = 0;
foreach ($answers as $answer) $sent += (int)fgets($answer);
printf("%.1f\n", $sent / (microtime(true) - $begin));
