package relay_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// letterTo is a long command. tally sums the effects of all letters in order.
type letterTo struct {
	N    uint16    `net:"0..999"`
	Text [60]uint8 `net:"raw"`
}

type tally struct {
	Sum, Count uint32 `net:"raw"`
}

// post adds letters to a protocol.
func post(p *ecs.Protocol) {
	ecs.Singleton[tally](p, 0)
	ecs.Command(p, func(w *ecs.World, player uint32, v *letterTo) {
		for _, r := range ecs.Each[struct{ Is *tally }](w) {
			r.Is.Count++
			r.Is.Sum = r.Is.Sum*31 + player*1000 + uint32(v.N)
		}
	})
}

// tallied returns the sum of the effects in a world.
func tallied(w *ecs.World) (sum tally) {
	for _, r := range ecs.All[struct{ Is tally }](w) {
		sum = r.Is
	}
	return sum
}

// command makes a player send its n-th letter.
func (m *match) command(player uint32, n int) {
	m.t.Helper()
	s, err := m.server.Timeline().World().Protocol().Players().Pack(letterTo{N: uint16(n)})
	testgame.Must(m.t, err)
	m.server.Command(player, s)
}

// Every peer, including late joiners, runs the same commands in the same ticks over links with loss and reordering, even if
// there are more commands than a message holds. No message is too long, and no client needs another state.
func TestCommandsReachEverybody(t *testing.T) {
	for _, wait := range []bool{false, true} {
		m := newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{}, human, post)
		for player := range uint32(3) {
			m.join(player+1, 3, 2, 0.1, 0.05)
		}
		m.until(100)
		given, largest := 0, 0
		for n := range 400 {
			switch {
			case n == 200:
				m.join(4, 5, 2, 0.1, 0)
			case n == 50:
				for range 40 {
					m.command(3, given%1000)
					given++
				}
			}
			if n%5 == 0 {
				m.command(uint32(1+n%2), given%1000)
				given++
			}
			m.step()
			for _, e := range m.ends {
				for _, p := range e.down.queue {
					largest = max(largest, len(p.data))
				}
			}
		}
		m.run(100)
		want := tallied(m.server.Timeline().World())
		testgame.Equal(t, "commands that ran", want.Count, uint32(given))
		for _, e := range m.ends {
			if got := tallied(e.Timeline().World()); got != want || m.checked[e.player] < 100 {
				t.Errorf("player %d has %+v, want %+v; %d ticks were compared", e.player, got, want, m.checked[e.player])
			}
			testgame.Equal(t, "states taken in", e.Stats().States, 1)
		}
		if largest > m.limit {
			t.Errorf("a message of %d bytes", largest)
		}
	}
}

// A client with many commands of maximum size causes no other client to need a state, however long the path takes. Commands
// that cannot be sent yet wait, and all run in the end. A silent client does not delay them.
func TestCommandsDoNotPileUp(t *testing.T) {
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human, func(p *ecs.Protocol) {
		post(p)
		ecs.Command(p, func(w *ecs.World, player uint32, v *parcel) {
			for _, r := range ecs.Each[struct{ Is *tally }](w) {
				r.Is.Sum += uint32(v.Text[0])
			}
		})
	})
	m.join(1, 12, 3, 0.05, 0)
	m.join(2, 12, 3, 0.05, 0)
	silent := m.join(3, 2, 0, 0, 0)
	m.until(150)
	s, err := m.server.Timeline().World().Protocol().Players().Pack(parcel{Text: [250]uint8{1}})
	testgame.Must(t, err)
	for n := range 600 {
		if n == 500 {
			silent.up.dead, silent.down.dead = true, true
		}
		if n%3 == 0 {
			m.server.Command(1, s)
		}
		m.step()
	}
	testgame.Equal(t, "plays while a command waits", m.server.Plays(1), false)
	largest := 0
	for !m.server.Plays(1) && m.now < 9000 {
		m.step()
		largest = max(largest, len(m.server.Append(nil, 3, silent.down.seq, m.limit)))
		silent.down.seq++
	}
	if largest < 500 || largest > m.limit {
		t.Errorf("who is silent is sent %d bytes", largest)
	}
	m.run(60)
	want := tallied(m.server.Timeline().World())
	testgame.Equal(t, "commands that ran", want.Sum, uint32(200))
	for _, e := range m.ends[:2] {
		if got := tallied(e.Timeline().World()); got != want {
			t.Errorf("player %d has %+v, want %+v", e.player, got, want)
		}
		testgame.Equal(t, "states taken in", e.Stats().States, 1)
	}
}

// parcel is a command of maximum size.
type parcel struct {
	Text [250]uint8 `net:"raw"`
}

// Mutilated commands of a server are refused or harmless.
func TestMutilatedCommands(t *testing.T) {
	m, _, down, state := staged(t, false, post)
	e, refused := m.ends[0], 0
	check := func(err error) {
		if err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Fatal(err)
		}
		if err != nil {
			refused++
		}
	}
	for i := range 8 * 24 { // up to where the number of the first letter ends, for who does not know it yet
		m, _, down, _ := staged(t, false, post)
		down[i/8] ^= 1 << (i % 8)
		check(m.ends[0].Receive(m.ends[0].down.seq, down))
		m.ends[0].Step(testgame.Words(steer{}))
	}
	for i := range 8 * len(down) {
		b := slices.Clone(down)
		b[i/8] ^= 1 << (i % 8)
		check(e.Receive(e.down.seq, b))
		e.down.seq++
		e.Step(testgame.Words(steer{}))
	}
	for i := range len(state) {
		b := slices.Clone(state)
		b[i] ^= 1 << (i % 8)
		check(e.Deliver(b))
		check(e.Deliver(state[:i]))
		e.Step(testgame.Words(steer{}))
	}
	if refused == 0 {
		t.Error("none was refused")
	}
}

// After arbitrary bytes from a server, with commands, the client continues or needs a state.
func FuzzCommands(f *testing.F) {
	for kind, wait := range []bool{false, true} {
		m, _, down, state := staged(f, wait, post)
		f.Add(append([]byte{byte(kind<<1 | 1), 255}, state...))
		seed := append([]byte{byte(kind << 1), byte(len(down))}, down...)
		f.Add(seed)
		for n := range 6 {
			m.command(2, n)
			m.step()
			down = m.server.Append(nil, 1, m.ends[0].down.seq, 250)
			m.ends[0].down.seq++
			seed = append(append(seed, 0, byte(len(down))), down...)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		feed(t, b, post)
	})
}
