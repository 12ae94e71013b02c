package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/tactusgo/tactus/systems/host/bind"
)

// The committed bindings and levels match the worlds.
func TestBindingsAreOfToday(t *testing.T) {
	for _, c := range configs() {
		if err := bind.Check(c); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(levelsFile); err != nil || !bytes.Equal(b, levels()) {
		t.Errorf("%s does not match the worlds (%v): run go generate and commit the result", levelsFile, err)
	}
}
