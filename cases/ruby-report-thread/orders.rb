# SPDX-License-Identifier: Apache-2.0
# Orders: six threads take orders and ask the stock for each; a report is made meanwhile, in a thread of the same process or in a
# process of its own. usage: orders.rb PORT thread|process SECONDS     prints orders a second
require "socket"

port = Integer(ARGV[0])
seconds = Float(ARGV[2])

def report(finish)
  sum = 0
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
    20_000.times { |row| sum = (sum * 31 + row) % 1_000_003 }
  end
  sum
end

begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
finish = begun + seconds
reporter = ARGV[1] == "thread" ? Thread.new { Thread.current.name = "report"; report(finish) } : fork { report(finish) }
orders = (1..6).map do |number|
  Thread.new do
    Thread.current.name = "order-#{number}"
    stock = TCPSocket.new("127.0.0.1", port)
    stock.setsockopt(:TCP, :NODELAY, 1)
    done = 0
    while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
      stock.write("stock\n")
      stock.gets
      done += 1
    end
    done
  end
end
total = orders.sum(&:value)
puts total / (Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun)
reporter.is_a?(Thread) ? reporter.join : Process.wait(reporter)
