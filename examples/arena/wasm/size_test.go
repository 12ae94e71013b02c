//go:build !wasm

package main_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
)

// What a player downloads is part of what the client is: whoever links more into it raises these with open eyes.
const (
	maxRaw  = 8_700_000
	maxGzip = 2_390_000
)

func TestSize(t *testing.T) {
	module, err := os.ReadFile(build(t))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(module); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d by gzip", len(module), packed.Len())
	if len(module) > maxRaw || packed.Len() > maxGzip {
		t.Errorf("%d bytes and %d by gzip, at most %d and %d", len(module), packed.Len(), maxRaw, maxGzip)
	}
}
