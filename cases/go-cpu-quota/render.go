// SPDX-License-Identifier: Apache-2.0

// A web service that renders a small picture of the Mandelbrot set for each request. usage: render ADDRESS
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func steps(re, im float64) int {
	x, y := 0.0, 0.0
	for step := 0; step < 200; step++ {
		x, y = x*x-y*y+re, 2*x*y+im
		if x*x+y*y > 4 {
			return step
		}
	}
	return 200
}

func render() string {
	var picture strings.Builder
	for row := 0; row < 48; row++ {
		for column := 0; column < 96; column++ {
			picture.WriteByte(" .:-=+*#%@"[steps(float64(column)/32-2.1, float64(row)/24-1)%10])
		}
		picture.WriteByte('\n')
	}
	return picture.String()
}

func main() {
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) { fmt.Fprint(answer, render()) })
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
