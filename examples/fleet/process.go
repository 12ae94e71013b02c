package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/serve"
)

// A process is told these by its environment, which nobody else sees: the URL has a password in it, and who has the key
// can give seats.
const (
	nameVariable = "FLEET_PROCESS"
	urlVariable  = "FLEET_DIRECTORY"
	keyVariable  = "FLEET_KEY"
)

// process is one with rooms of dots. It drains at the first interrupt or SIGTERM, and ends when the launcher does: then its
// input ends.
func process(name, url, key string, in io.Reader) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	b, err := hex.DecodeString(key)
	if err != nil || len(b) != netcode.KeySize {
		return fmt.Errorf("%s has no key", keyVariable)
	}
	directory, err := fleet.Open(ctx, fleet.Config{URL: url})
	if err != nil {
		return err
	}
	defer directory.Close()
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := rooms.New(rooms.Config{
		Kinds: []rooms.Kind{{Name: "dots", Protocol: Dots, Capacity: 2}}, Process: name, Directory: directory, Key: netcode.Key(b),
	}, wire)
	if err != nil {
		return err
	}
	return serve.Run(ctx, s, serve.Config{})
}

// beProcess is process, as the environment says it.
func beProcess() error {
	return process(os.Getenv(nameVariable), os.Getenv(urlVariable), os.Getenv(keyVariable), os.Stdin)
}
