package main

import (
	"testing"

	"github.com/tactusgo/tactus/systems/host/bind"
)

// Nobody has forgotten go generate ./...
func TestBindings(t *testing.T) {
	if err := bind.Check(config()); err != nil {
		t.Error(err)
	}
}
