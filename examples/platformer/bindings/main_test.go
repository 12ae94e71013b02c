package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/tactusgo/tactus/systems/host/bind"
)

// The committed bindings are those of the protocol and the level.
func TestBindingsAreOfToday(t *testing.T) {
	if err := bind.Check(config()); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(levelFile); err != nil || !bytes.Equal(b, level()) {
		t.Errorf("%s is not of this level (%v): run go generate, and commit what it writes", levelFile, err)
	}
}
