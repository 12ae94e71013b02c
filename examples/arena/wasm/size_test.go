//go:build !wasm

package main_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
)

// maxRaw and maxGzip limit the download of a player, in bytes. Raise them deliberately, if the client has to link more.
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
