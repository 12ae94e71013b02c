//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "peers: the servers run in processes of their own, on processors of their own, which needs Linux")
	os.Exit(1)
}
