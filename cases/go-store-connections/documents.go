// SPDX-License-Identifier: Apache-2.0
// usage: documents ADDRESS STORE CONNECTIONS SUMS
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
)

//go:noinline
func checksum(data []byte, times int) [32]byte {
	sum := sha256.Sum256(data)
	for i := 1; i < times; i++ {
		sum = sha256.Sum256(sum[:])
	}
	return sum
}

func main() {
	connections, _ := strconv.Atoi(os.Args[3])
	sums, _ := strconv.Atoi(os.Args[4])
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer, err := client.Get(os.Args[2])
		if err != nil {
			http.Error(w, err.Error(), 502)
			return
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		fmt.Fprintf(w, "%s %x\n", text, checksum(text, sums*20))
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
