// SPDX-License-Identifier: Apache-2.0
// usage: prices serve ADDRESS STORE CONNECTIONS SUMS | prices ask ADDRESS CALLS SECONDS
// Serving: each call asks the store by one of so many connections. Asking: so many calls at a time, all on one connection.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"log"
	"net"
	"net/rpc"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type Prices struct {
	store chan *bufio.ReadWriter
	sums  int
}

//go:noinline
func checksum(data []byte, times int) [32]byte {
	sum := sha256.Sum256(data)
	for i := 1; i < times; i++ {
		sum = sha256.Sum256(sum[:])
	}
	return sum
}

func (prices *Prices) Of(item string, answer *string) error {
	store := <-prices.store
	defer func() { prices.store <- store }()
	fmt.Fprintf(store, "%s\n", item)
	if err := store.Flush(); err != nil {
		return err
	}
	line, err := store.ReadString('\n')
	*answer = fmt.Sprintf("%x", checksum([]byte(line), prices.sums))
	return err
}

func serve(address, store string, connections, sums int) {
	prices := &Prices{make(chan *bufio.ReadWriter, connections), sums}
	for i := 0; i < connections; i++ {
		connection, err := net.Dial("tcp", store)
		if err != nil {
			log.Fatal(err)
		}
		prices.store <- bufio.NewReadWriter(bufio.NewReader(connection), bufio.NewWriter(connection))
	}
	if err := rpc.Register(prices); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	rpc.Accept(listener)
}

func ask(address string, calls, seconds int) {
	client, err := rpc.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	var answers atomic.Int64
	var askers sync.WaitGroup
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for i := 0; i < calls; i++ {
		askers.Add(1)
		go func() {
			defer askers.Done()
			var answer string
			for time.Now().Before(end) {
				if err := client.Call("Prices.Of", "tea", &answer); err != nil {
					log.Fatal(err)
				}
				answers.Add(1)
			}
		}()
	}
	askers.Wait()
	fmt.Println(float64(answers.Load()) / float64(seconds))
}

func main() {
	number := func(text string) int {
		value, err := strconv.Atoi(text)
		if err != nil {
			log.Fatal(err)
		}
		return value
	}
	if os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3], number(os.Args[4]), number(os.Args[5]))
	} else {
		ask(os.Args[2], number(os.Args[3]), number(os.Args[4]))
	}
}
