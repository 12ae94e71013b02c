package relay_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// staged returns a match that has run for some time, with its last messages.
func staged(t testing.TB, wait bool, parts ...func(p *ecs.Protocol)) (m *match, up, down, state []byte) {
	m = newMatch(t, relay.Config{Timeline: timeline.Config{Wait: wait}}, relay.ClientConfig{Replay: true}, human, parts...)
	m.blind = true
	m.run(10)
	if len(parts) > 0 {
		m.command(1, 0)
	}
	testgame.Must(t, m.server.Add(7, true, ""))
	m.server.Step()
	state, err := m.server.Outgoing(7, nil)
	testgame.Must(t, err)
	m.server.Remove(7)
	e := m.join(1, 2, 0, 0, 0)
	m.join(2, 3, 1, 0.1, 0)
	m.run(50)
	if len(parts) > 0 {
		m.command(1, 1)
		m.command(2, 2)
		m.server.Step()
	}
	up = e.Append(nil, m.limit)
	down = m.server.Append(nil, 1, e.down.seq, m.limit)
	e.down.seq++
	return m, up, down, state
}

// maxScript is the maximum number of messages in a script.
const maxScript = 32

// waits reports whether the match of a script waits for inputs. Its first byte decides this.
func waits(b []byte) bool { return len(b) > 0 && b[0]&2 != 0 }

// script divides bytes into messages: a kind u8, a length u8 and as many bytes. Length 255 takes the rest.
func script(b []byte, f func(kind byte, msg []byte)) {
	for n := 0; len(b) > 1 && n < maxScript; n++ {
		kind, n := b[0], int(b[1])
		if b = b[2:]; n == 255 || n > len(b) {
			n = len(b)
		}
		f(kind, b[:n])
		b = b[n:]
	}
}

// After arbitrary bytes from a client, the server continues, and so do other clients.
func FuzzServer(f *testing.F) {
	for kind, wait := range []bool{false, true} {
		m, up, _, _ := staged(f, wait)
		seed := append([]byte{byte(kind << 1), byte(len(up))}, up...)
		f.Add(seed)
		for range 12 { // and how it continues
			m.step()
			up = m.ends[0].Append(nil, 200)
			seed = append(append(seed, 0, byte(len(up))), up...)
		}
		f.Add(seed)
	}
	digests := binary.LittleEndian.AppendUint32([]byte{2}, 60)
	f.Add(append([]byte{1, 255}, append(append(digests, 1, 1), make([]byte, 16)...)...))
	f.Add(append([]byte{1, 255, 3}, "system"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		wait := waits(b)
		m, _, _, _ := staged(t, wait)
		m.blind = false
		m.ends[0].frozen = true
		other, seq := m.ends[1], m.ends[0].up.seq
		script(b, func(kind byte, msg []byte) {
			var err error
			if kind&1 == 0 {
				err = m.server.Receive(1, seq, msg)
			} else {
				err = m.server.Deliver(1, msg)
			}
			if err != nil && !errors.Is(err, relay.ErrMessage) {
				t.Fatal(err)
			}
			seq++
			m.step()
		})
		before, checked := other.Timeline().Next(), m.checked[other.player]
		m.run(70)
		if n := other.Timeline().Next() - before; !wait && (n < 60 || m.checked[other.player] < checked+60) {
			t.Errorf("another client made %d of 70 ticks, %d of them checked", n, m.checked[other.player]-checked)
		}
	})
}

// After arbitrary bytes from a server, the client continues or needs a state.
func FuzzClient(f *testing.F) {
	for kind, wait := range []bool{false, true} {
		m, _, down, state := staged(f, wait)
		f.Add(append([]byte{byte(kind<<1 | 1), 255}, state...))
		f.Add([]byte{byte(kind<<1 | 1), 255, 4, 40, 0, 0, 0, 2, 1, 2, 3, 4}) // sums of two ticks
		seed := append([]byte{byte(kind << 1), byte(len(down))}, down...)
		f.Add(seed)
		for range 12 {
			m.step()
			down = m.server.Append(nil, 1, m.ends[0].down.seq, m.limit)
			m.ends[0].down.seq++
			seed = append(append(seed, 0, byte(len(down))), down...)
		}
		f.Add(seed)
		m.server.SetRepeats(1, 1) // with gaps
		seed = []byte{byte(kind << 1), 0}
		for n := range 24 {
			m.step()
			if down = m.server.Append(nil, 1, m.ends[0].down.seq, m.limit); n%2 == 0 {
				seed = append(append(seed, 0, byte(len(down))), down...)
			}
			m.ends[0].down.seq++
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		feed(t, b)
	})
}

// feed sends fuzzed packets and parts of states alternately to a client, and lets it play on.
func feed(t *testing.T, b []byte, parts ...func(p *ecs.Protocol)) {
	t.Helper()
	m, _, _, _ := staged(t, waits(b), parts...)
	e := m.ends[0]
	seq := e.down.seq
	script(b, func(kind byte, msg []byte) {
		var err error
		if kind&1 == 0 {
			err = e.Receive(seq, msg)
		} else {
			err = e.Deliver(msg)
		}
		if err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Fatal(err)
		}
		seq++
		e.Step(testgame.Words(steer{DX: 1}))
		e.Append(nil, 200)
		e.Diverged()
	})
	for range 70 {
		e.Step(testgame.Words(steer{}))
		e.Append(nil, 200)
	}
}
