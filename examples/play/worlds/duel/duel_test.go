//go:build !js

package duel

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/play/internal/host"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
)

// Who comes to a match of two bots fights: one of them makes room.
func TestWhoComesFights(t *testing.T) {
	o := &stage.Options{Bots: stage.Usual, NPCs: stage.Usual, Seed: 1}
	address, stop, err := host.Start("duel", o)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	time.Sleep(time.Second) // the bots come first
	o.Connect = address
	on := stage.New(World(), o)
	defer on.Leave()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Second / 60) {
		if c := on.Blink(time.Now()); c != nil {
			if _, fights := c.Own(c.World()); fights {
				return
			}
		}
	}
	t.Fatal("never happened: it has a fighter")
}
