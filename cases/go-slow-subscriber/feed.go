// SPDX-License-Identifier: Apache-2.0

// Command feed sends ticks of 1 kB to all subscribers. usage: feed ADDRESS wait|drop ROUNDS
package main

import (
	"encoding/binary"
	"log"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	tickBytes   = 1024
	tickEvery   = 200 * time.Microsecond
	bufferBytes = 64 * 1024
)

type feed struct {
	mutex       sync.Mutex
	subscribers map[net.Conn]chan []byte
	drops       bool
}

func (f *feed) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		connection.(*net.TCPConn).SetWriteBuffer(bufferBytes)
		queue := make(chan []byte, 64)
		if f.drops {
			go send(connection, queue)
		}
		f.mutex.Lock()
		f.subscribers[connection] = queue
		f.mutex.Unlock()
	}
}

func send(connection net.Conn, queue chan []byte) {
	for tick := range queue {
		if _, err := connection.Write(tick); err != nil {
			return
		}
	}
}

func (f *feed) publish(tick []byte) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for connection, queue := range f.subscribers {
		if f.drops {
			select {
			case queue <- tick:
			default:
			}
			continue
		}
		if _, err := connection.Write(tick); err != nil {
			delete(f.subscribers, connection)
		}
	}
}

func encode(number uint64, rounds int) []byte {
	tick := make([]byte, tickBytes)
	for i := 0; i < rounds; i++ {
		number = number*6364136223846793005 + 1442695040888963407
	}
	binary.LittleEndian.PutUint64(tick, number)
	return tick
}

func main() {
	rounds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	f := &feed{subscribers: map[net.Conn]chan []byte{}, drops: os.Args[2] == "drop"}
	go f.accept(listener)
	next := time.Now()
	for number := uint64(0); ; number++ {
		f.publish(encode(number, rounds))
		if next = next.Add(tickEvery); time.Now().After(next.Add(10 * time.Millisecond)) {
			next = time.Now()
		}
		time.Sleep(time.Until(next))
	}
}
