# SPDX-License-Identifier: Apache-2.0
# A page of a shop: the price comes from a service, each thread has a connection to it.
require "socket"

PORT = Integer(ENV.fetch("PRICES_PORT"))
ROWS = Integer(ENV.fetch("ROWS"))

def price
  service = (Thread.current[:service] ||= TCPSocket.new("127.0.0.1", PORT).tap { |s| s.setsockopt(:TCP, :NODELAY, 1) })
  service.write("price\n")
  service.gets
end

run lambda { |_request|
  cost = price.to_i
  rows = (1..ROWS).map { |row| "<tr><td>#{row}</td><td>#{row * cost}</td></tr>" }
  [200, { "Content-Type" => "text/html" }, [rows.join]]
}
