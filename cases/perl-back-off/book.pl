#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# usage: book.pl SEATS-PORT PAYMENTS-PORT PROCESSES ROUNDS SECONDS; prints bookings a second.
use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(sleep time);

my ($seats_port, $payments_port, $processes, $rounds, $seconds) = @ARGV;
my $end = time + $seconds;

sub checksum {
  my $sum = 1;
  $sum = ($sum * 31 + $_) % 65521 for 1 .. $rounds;
  return $sum;
}

sub service_at {
  my $service = IO::Socket::INET->new(PeerAddr => "127.0.0.1:" . shift) or die $!;
  $service->setsockopt(IPPROTO_TCP, TCP_NODELAY, 1);
  return $service;
}

sub book {
  my ($seats, $payments) = (service_at($seats_port), service_at($payments_port));
  my $pause = 0.05;
  my $done = 0;
  while (time < $end) {
    $seats->syswrite("book " . checksum() . "\n");
    if (<$seats> eq "booked\n") {
      $payments->syswrite("pay\n");
      <$payments>;
      $done++;
      $pause = 0.05;
    } else {
      sleep $pause;
      $pause *= 2 if $pause < 0.4;
    }
  }
  return $done;
}

pipe(my $counts, my $count);
for (1 .. $processes) {
  next if fork;
  syswrite($count, book() . "\n");
  exit;
}
close $count;
my $done = 0;
$done += $_ while <$counts>;
print $done / $seconds, "\n";
