package relay_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// asked returns a world in which a joining player sends a login of type T.
func asked[T any]() *ecs.World {
	return ecs.NewWorld(testgame.Stage(func(p *ecs.Protocol) {
		ecs.Input[steer](p)
		ecs.Join(p, func(*ecs.World, uint32, *T) {})
	}), ecs.Config{Seed: 7})
}

// A server takes any byte for a choice, and its clients are to know a bool.
type (
	anyChoice struct {
		V uint8 `net:"raw"`
	}
	choice struct{ V bool }
)

// letter is a datagram or a part of a state.
type letter struct {
	state bool
	data  []byte
}

// told returns the messages of a server to client 1 when player 2 joins with the login value. If late is true, client 1 gets
// the state of the world instead.
func told(t testing.TB, value string, late bool) (all []letter) {
	s := relay.NewServer(asked[anyChoice](), relay.Config{})
	clients := map[uint32]*relay.Client{}
	sent, up := map[uint32]uint16{}, map[uint32]uint16{}
	add := func(player uint32, value string) {
		testgame.Must(t, s.Add(player, true, value))
		clients[player] = relay.NewClient(asked[anyChoice](), player, relay.ClientConfig{})
	}
	for n := range 24 {
		switch {
		case n == 0 && !late, n == 11 && late:
			add(1, "\x01")
		case n == 10:
			add(2, value)
		}
		s.Step()
		for player := range uint32(3) {
			c := clients[player]
			if c == nil {
				continue
			}
			seq := sent[player]
			if b := s.Append(nil, player, seq, 1180); len(b) > 0 {
				sent[player]++
				if testgame.Must(t, c.Receive(seq, b)); player == 1 {
					all = append(all, letter{false, b})
				}
			}
			for {
				b, err := s.Outgoing(player, nil)
				if testgame.Must(t, err); b == nil {
					break
				}
				if b = slices.Clone(b); player == 1 {
					all = append(all, letter{true, b})
				}
				testgame.Must(t, c.Deliver(b))
				s.Sent(player)
			}
			c.Step(testgame.Words(steer{}))
			if b := c.Append(nil, 200); len(b) > 0 {
				testgame.Must(t, s.Receive(player, up[player], b))
				up[player]++
			}
		}
	}
	return all
}

// hear passes messages to a client and returns its first error.
func hear(c *relay.Client, all []letter) (first error) {
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	seq := uint16(0)
	for _, m := range all {
		if m.state {
			note(c.Deliver(m.data))
			continue
		}
		note(c.Receive(seq, m.data))
		seq++
		c.Step(testgame.Words(steer{}))
		c.Append(nil, 200)
	}
	for range 20 {
		c.Step(testgame.Words(steer{}))
		c.Append(nil, 200)
	}
	return first
}

// Each peer validates a login before it runs the join, whatever the server accepted.
func TestForgedLogins(t *testing.T) {
	for _, late := range []bool{false, true} {
		for value, want := range map[string]error{"": nil, "\x00": nil, "\x01": nil, "\x02": relay.ErrMessage, "\xff": relay.ErrMessage} {
			if err := hear(relay.NewClient(asked[choice](), 1, relay.ClientConfig{}), told(t, value, late)); !errors.Is(err, want) {
				t.Errorf("late %v: player 2 asks for %x: %v, want %v", late, value, err, want)
			}
		}
	}
}

// FuzzLogins sends arbitrary joins from a server: the client continues or returns an error.
func FuzzLogins(f *testing.F) {
	for _, value := range []string{"", "\x01", "\x02"} {
		for _, late := range []bool{false, true} {
			for n, m := range told(f, value, late) {
				f.Add(late, uint8(n), m.data)
			}
		}
	}
	var letters [2][]letter
	letters[0], letters[1] = told(f, "\x01", false), told(f, "\x01", true)
	f.Fuzz(func(t *testing.T, late bool, n uint8, b []byte) {
		all := letters[0]
		if late {
			all = letters[1]
		}
		all = slices.Clone(all)
		all[int(n)%len(all)].data = b
		if err := hear(relay.NewClient(asked[choice](), 1, relay.ClientConfig{}), all); err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Fatal(err)
		}
	})
}
