// SPDX-License-Identifier: Apache-2.0
// usage: search ADDRESS
package main

import (
	"fmt"
	"log"
	"math/rand"
	"net/http"
	"os"
	"sort"
	"strings"
)

type entry struct {
	word  string
	next  *entry
	pages []*entry
}

var index []*entry

func build() {
	for i := 0; i < 600000; i++ {
		e := &entry{word: fmt.Sprintf("word-%d", i), pages: make([]*entry, 4)}
		if i > 0 {
			e.next = index[rand.Intn(i)]
			for p := range e.pages {
				e.pages[p] = index[rand.Intn(i)]
			}
		}
		index = append(index, e)
	}
}

func search() string {
	words := []string{}
	for e := index[rand.Intn(len(index))]; e != nil && len(words) < 200; e = e.pages[rand.Intn(4)] {
		words = append(words, strings.ToUpper(e.word))
	}
	sort.Strings(words)
	return strings.Join(words, "\n")
}

func main() {
	build()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, search())
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
