//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this is for a page: GOOS=js GOARCH=wasm go build")
	os.Exit(1)
}
