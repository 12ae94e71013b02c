//go:build !wasm

package main_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// process is a process with rooms, by WebSocket.
type process struct {
	*rooms.Server
	link *rooms.Link
}

// processes starts some processes whose players can travel between them.
func processes(t *testing.T, names ...string) (all []*process) {
	t.Helper()
	key, fleet := netcode.GenerateKey(nil), new(roomstest.Fleet)
	kind := func(name string, protocol func() *ecs.Protocol) rooms.Kind {
		k := rooms.Kind{Name: name, Protocol: protocol, Capacity: 8}
		k.Set = func(_ *rooms.Room, c *systems.ServerConfig) error {
			game.Arm(c)
			game.NewMessages().Serve(c)
			return nil
		}
		return k
	}
	peaceful := rooms.Kind{Name: "peaceful", Protocol: game.Protocol, Capacity: 8}
	for _, name := range names {
		wire, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		p := &process{}
		p.Server, err = rooms.New(rooms.Config{
			Kinds: []rooms.Kind{kind("arena", game.CombatProtocol), kind("annex", game.CombatProtocol), peaceful}, Key: key, Process: name,
		}, wire)
		if err != nil {
			t.Fatal(err)
		}
		p.link = fleet.Connect(p.Server)
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		t.Cleanup(func() {
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		all = append(all, p)
	}
	return all
}

// page is a program in Node that plays by the npm package.
type page struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan told
}

// told is a line of the output.
type told struct {
	What, Why, Kind, Schema, Token, WebSocket string
	ID, Client, Reason, Rooms, Sockets        int
}

func openPage(t *testing.T, node, module string) *page {
	t.Helper()
	cmd := exec.Command(node, "--experimental-websocket", "testdata/travel.mjs", module, filepath.Join(root(t), "lib/wasm/wasm_exec.js"))
	p := &page{t: t, lines: make(chan told, 1024)}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			var line told
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				t.Errorf("%v: %s", err, s.Bytes())
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() {
		_ = p.in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// sit gives the page a seat.
func (p *page) sit(a rooms.Admission) {
	p.t.Helper()
	seat := map[string]string{"websocket": a.Endpoints.WS, "token": base64.StdEncoding.EncodeToString(a.Token.Append(nil))}
	if err := json.NewEncoder(p.in).Encode(seat); err != nil {
		p.t.Fatal(err)
	}
}

// until waits for a line.
func (p *page) until(what string, holds func(l told) bool) told {
	p.t.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case l, ok := <-p.lines:
			p.t.Logf("%.300s", fmt.Sprintf("%+v", l))
			if !ok {
				p.t.Fatalf("the page has ended before: %s", what)
			}
			if l.What == what && (holds == nil || holds(l)) {
				return l
			}
		case <-deadline:
			p.t.Fatalf("never: %s", what)
		}
	}
}

// A page travels to other rooms, in its process and in another one, over sockets that the package opens. It learns of a room
// with another protocol. A newer token takes over its seat. When another process takes over its room, it continues there.
func TestNodeTravels(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	module := build(t)
	all := processes(t, "one", "two")
	one, two := all[0], all[1]
	room := func(p *process, kind string) *rooms.Room {
		t.Helper()
		r, err := p.Create(kind, rooms.Creation{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, second, other := room(one, "arena"), room(one, "annex"), room(two, "arena")
	who := rooms.Player{ID: 7}
	seats, err := first.Reserve(who)
	if err != nil {
		t.Fatal(err)
	}
	page := openPage(t, node, module)
	page.sit(seats[0])
	page.until("walked", nil)
	here := first
	for i, to := range []*rooms.Room{second, other} {
		if err := here.Travel(who.ID, rooms.Destination{Room: to.ID()}); err != nil {
			t.Fatal(err)
		}
		page.until("loaded", func(l told) bool { return l.Rooms == i+2 })
		if l := page.until("walked", nil); l.Sockets != 1 || to.Info().Taken != 1 || here.Info().Taken != 0 {
			t.Errorf("%d sockets, %d are there, %d here", l.Sockets, to.Info().Taken, here.Info().Taken)
		}
		here = to
	}

	// Another game: the page would load another module.
	if err := here.Travel(who.ID, rooms.Destination{Kind: "peaceful"}); err != nil {
		t.Fatal(err)
	}
	ticket := page.until("ticket", nil)
	if ticket.Kind != "peaceful" || ticket.Token == "" || ticket.WebSocket == "" || ticket.Schema == "" {
		t.Errorf("told %+v", ticket)
	}

	// The same player from another page: the newer token has the seat.
	again, err := here.Reconnect(who)
	if err != nil {
		t.Fatal(err)
	}
	newer := openPage(t, node, module)
	newer.sit(again)
	newer.until("walked", nil)
	if l := page.until("ended", nil); l.Reason != int(host.Replaced) {
		t.Errorf("ended for %d %s", l.Reason, l.Why)
	}

	// The other process claims the room, where the player gets a seat.
	entry, ok := rooms.Here(two.Server).Find(here.ID().String())
	if !ok {
		t.Fatal("the room is in no list")
	}
	two.link.Lose(here, errors.New("the room was claimed"))
	entry.Epoch++
	made, err := one.link.Restore(t.Context(), entry, 0, func(*rooms.Room) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if l := newer.until("ended", nil); l.Reason != int(rooms.ReasonClaimed) {
		t.Errorf("ended for %d %s", l.Reason, l.Why)
	}
	seats, err = made.Reserve(who)
	if err != nil {
		t.Fatal(err)
	}
	newer.sit(seats[0])
	newer.until("walked", nil)
}
