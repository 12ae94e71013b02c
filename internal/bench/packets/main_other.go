//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "packets: the servers that it compares, and its clients, need Linux")
	os.Exit(1)
}
