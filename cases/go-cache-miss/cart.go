// SPDX-License-Identifier: Apache-2.0
// usage: cart ADDRESS PRICES inside|outside
package main

import (
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"sync"
)

var (
	mutex  sync.Mutex
	cache  = map[int]string{}
	client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
)

func fetch() string {
	answer, err := client.Get(os.Args[2])
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

// Prices expire: one in eight is not there.
func priceInside(article int) string {
	mutex.Lock()
	defer mutex.Unlock()
	price, found := cache[article]
	if !found || rand.Intn(8) == 0 {
		price = fetch()
		cache[article] = price
	}
	return price
}

func priceOutside(article int) string {
	mutex.Lock()
	price, found := cache[article]
	mutex.Unlock()
	if !found || rand.Intn(8) == 0 {
		price = fetch()
		mutex.Lock()
		cache[article] = price
		mutex.Unlock()
	}
	return price
}

func main() {
	price := priceInside
	if os.Args[3] == "outside" {
		price = priceOutside
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s\n", price(rand.Intn(100)))
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
