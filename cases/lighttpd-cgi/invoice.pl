#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Shows a customer's invoice. Runs as a CGI program, for one request, or as a FastCGI process, for many.
use strict;
use warnings;
use FCGI;
use Data::Dumper;
use Digest::SHA qw(sha1_hex);
use File::Temp;
use HTTP::Tiny;
use JSON::PP;
use POSIX qw(strftime);
use Time::Local;

my $request = FCGI::Request();
while ($request->Accept() >= 0) {
  my ($customer) = ($ENV{QUERY_STRING} // '') =~ /^customer=(\d+)$/;
  my %invoice = (customer => $customer // 0, date => strftime('%Y-%m-%d', gmtime), rows => [map { {row => $_, sum => $_ * 3} } 1 .. 1500]);
  my $text = JSON::PP->new->canonical->encode(\%invoice);
  print "Content-Type: application/json\r\nETag: \"" . sha1_hex($text) . "\"\r\n\r\n$text\n";
}
