# SPDX-License-Identifier: Apache-2.0
# usage: seats.rb PORT SEATS refuse|queue. A booking takes a seat for 4 ms.
require 'socket'

port, seats, how = ARGV[0].to_i, ARGV[1].to_i, ARGV[2]
free = SizedQueue.new(seats)
seats.times { free << true }
listener = TCPServer.new('127.0.0.1', port)
loop do
  Thread.new(listener.accept) do |client|
    client.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    while client.gets
      begin
        seat = free.pop(how == 'refuse')
        sleep 0.004
        free << seat
        client.write("booked\n")
      rescue ThreadError
        client.write("busy\n")
      end
    end
  end
end
