#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Reprices all articles again and again. usage: reprice.pl DATABASE-FOLDER PRICES-PORT ARTICLES-A-COMMIT
use strict;
use warnings;
use DBI;
use IO::Socket::INET;

my ($folder, $port, $articles_a_commit) = @ARGV;
my $database = DBI->connect("dbi:Pg:dbname=bench;host=$folder", "nobody", "", {RaiseError => 1, AutoCommit => 0});
my $service = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") or die $!;
my $update = $database->prepare("update articles set price = ? where id = ?");
for (my $number = 0;; $number++) {
  print $service "price\n";
  $service->flush;
  my $price = <$service>;
  $update->execute($price + 0, $number % 60);
  $database->commit if $number % $articles_a_commit == $articles_a_commit - 1;
}
