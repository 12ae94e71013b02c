package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	arenas "github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// It fills rooms of the arena, as arena -rooms has them.
func TestSwarmFillsRooms(t *testing.T) {
	on, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{{
		Name: "arena", Protocol: arenas.CombatProtocol, Capacity: 3,
		Set: func(_ *rooms.Room, c *systems.ServerConfig) error {
			arenas.Arm(c)
			arenas.NewMessages().Serve(c)
			c.Overload.Off = true // a slow machine refuses nobody
			return nil
		},
	}}}, on)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := web.New(web.Config{}, rooms.Here(server))
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(handler)
	defer site.Close()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	var out, errs bytes.Buffer
	code := swarm.Main(t.Context(), arena(), strings.Fields("-json -rooms 2 -seats 4 -thin 4 -warmup 100ms -duration 1s -http "+site.URL), &out, &errs)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	var r swarm.Report
	if err := json.Unmarshal(out.Bytes(), &r); code != 0 || err != nil || r.Connected != 6 || r.Decoded == 0 || r.Malformed != 0 ||
		r.Rooms == nil || r.Rooms.Filled != 2 || r.Rooms.Joins != 6 || r.Rooms.Reasons["full"] != 2 {
		t.Errorf("exit code %d, %v, %s: %s", code, err, &out, &errs)
	}
}

// It plays the arena, with guns and without, and thin clients see the same world.
func TestSwarmPlaysTheArena(t *testing.T) {
	for _, combat := range []bool{true, false} {
		on, err := netsys.ListenUDP("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		protocol, config := arenas.Protocol(), systems.ServerConfig{Seed: 1}
		config.Overload.Off = true // a slow machine refuses nobody
		flags := "-json -clients 30 -thin 4 -ramp 1000 -warmup 100ms -duration 1s -connect " + on.LocalAddr().String()
		if combat {
			protocol = arenas.CombatProtocol()
			arenas.Arm(&config)
			arenas.NewMessages().Serve(&config)
		} else {
			flags += " -combat=false"
		}
		s, err := systems.NewServer(on, protocol, config)
		if err != nil {
			t.Fatal(err)
		}
		if combat {
			arenas.PopulateCombat(s.World(), 30, 20)
		} else {
			arenas.Populate(s.World(), 30, 20)
		}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		var out, errs bytes.Buffer
		code := swarm.Main(t.Context(), arena(), strings.Fields(flags), &out, &errs)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		var r swarm.Report
		if err := json.Unmarshal(out.Bytes(), &r); code != 0 || err != nil || r.Connected != 30 || r.Decoded == 0 || r.Malformed != 0 {
			t.Errorf("guns %v: exit code %d, %v, %+v: %s", combat, code, err, r, &errs)
		}
	}
}
