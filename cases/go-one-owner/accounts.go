// SPDX-License-Identifier: Apache-2.0
// Accounts: handlers hand their questions to the goroutines that own the connections to the ledger.
// usage: accounts ADDRESS LEDGER OWNERS
package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
)

type question struct {
	account string
	answer  chan string
}

func own(ledger string, questions <-chan question) {
	connection, err := net.Dial("tcp", ledger)
	if err != nil {
		log.Fatal(err)
	}
	answers := bufio.NewReader(connection)
	for asked := range questions {
		fmt.Fprintf(connection, "%s\n", asked.account)
		line, err := answers.ReadString('\n')
		if err != nil {
			log.Fatal(err)
		}
		asked.answer <- line
	}
}

func main() {
	owners, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	questions := make(chan question)
	for i := 0; i < owners; i++ {
		go own(os.Args[2], questions)
	}
	http.HandleFunc("/", func(page http.ResponseWriter, request *http.Request) {
		asked := question{request.URL.Path, make(chan string)}
		questions <- asked
		fmt.Fprintf(page, "balance: %s", <-asked.answer)
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
