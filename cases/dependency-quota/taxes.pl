#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Taxes: a line with an amount comes, a line with its tax goes. A process for each connection. usage: taxes.pl PORT ROUNDS
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $rounds) = @ARGV;
my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 64, ReuseAddr => 1) or die "taxes: $!";
$SIG{CHLD} = "IGNORE";

sub tax {
    my ($amount) = @_;
    my $tax = $amount;
    for my $round (1 .. $rounds) { $tax = ($tax * 31 + $round) % 1000003; }
    return $tax;
}

while (1) {
    my $connection = $listener->accept or next;
    if (fork() == 0) {
        $connection->autoflush(1);
        while (my $amount = <$connection>) { print {$connection} tax($amount), "\n"; }
        exit 0;
    }
    close $connection;
}
