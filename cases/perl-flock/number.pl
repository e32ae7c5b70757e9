#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Processes draw numbers from a service, each under a lock of the file that it notes them in: one file for all, or one each.
# usage: number.pl PORT PROCESSES FOLDER one|each SECONDS     prints numbers a second
use strict;
use warnings;
use Fcntl ':flock';
use IO::Socket::INET;
use Time::HiRes 'time';

my ($port, $processes, $folder, $files, $seconds) = @ARGV;
my $end = time + $seconds;

sub draw {
  my ($file) = @_;
  my $service = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Proto => 'tcp') or die "no service: $!";
  $service->autoflush(1);
  my $drawn = 0;
  while (time < $end) {
    open(my $notes, '>>', $file) or die "$file: $!";
    flock($notes, LOCK_EX) or die "$file: $!";
    print $service "next\n";
    my $number = <$service>;
    print $notes "$$ $number";
    my $sum = 0;
    $sum = ($sum * 31 + $_) & 0xffff for 1 .. 1500;
    close $notes; # gives the lock back
    $drawn++;
  }
  return $drawn;
}

my @results;
for my $i (1 .. $processes) {
  pipe(my $read, my $write) or die "pipe: $!";
  my $pid = fork() // die "fork: $!";
  if ($pid == 0) {
    print $write draw($files eq 'each' ? "$folder/numbers.$i" : "$folder/numbers"), "\n";
    close $write;
    exit 0;
  }
  close $write;
  push @results, $read;
}
my $all = 0;
$all += <$_> // 0 for @results;
1 while wait != -1;
printf "%.1f\n", $all / $seconds;
