package relay_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
)

// Kinds of reliable messages of a client.
const (
	digests  = 2
	unstable = 3
)

// report is what a client tells of n ticks up to the newest, with m numbers of a digest for each.
func report(newest uint32, n, m int) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{digests}, newest)
	b = append(b, byte(n), byte(m))
	return append(b, make([]byte, 8*n*(1+m))...)
}

// A report is of some ticks, no more than have been, with all hashes and digests that it announces.
func TestReportsAreWhole(t *testing.T) {
	whole := report(20, 4, 3)
	for what, c := range map[string]struct {
		msg []byte
		ok  bool
	}{
		"four ticks":                {whole, true},
		"no digests":                {report(20, 4, 0), true},
		"from the first tick":       {report(5, 6, 1), true},
		"from before it":            {report(5, 7, 1), false},
		"no ticks":                  {report(20, 0, 0), false},
		"no ticks, no numbers":      {report(20, 0, 9), false},
		"64 ticks":                  {report(100, 64, 1), true},
		"65 ticks":                  {report(100, 65, 1), false},
		"a byte less":               {whole[:len(whole)-1], false},
		"a byte more":               {append(whole[:len(whole):len(whole)], 0), false},
		"a head":                    {whole[:6], false},
		"half a head":               {whole[:4], false},
		"another kind":              {[]byte{9, 9, 9}, false},
		"nothing":                   {nil, false},
		"a system, asked by nobody": {append([]byte{unstable}, strings.Repeat("x", 200)...), true},
		"too long a system":         {append([]byte{unstable}, strings.Repeat("x", 201)...), false},
		"a system without a name":   {[]byte{unstable}, false},
	} {
		m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
		m.step()
		m.join(1, 1, 0, 0, 0)
		for m.now < 120 {
			m.step()
		}
		before := m.server.Stats().Malformed
		err := m.server.Deliver(1, c.msg)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
		if n := m.server.Stats().Malformed - before; (n == 0) != c.ok {
			t.Errorf("%s: %d malformed", what, n)
		}
	}
}

// What is known of a divergence is said, and no more.
func TestDivergenceSaysWhatIsKnown(t *testing.T) {
	for want, d := range map[string]relay.Divergence{
		"player 3: tick 7: the world differs":                                           {Player: 3, Tick: 7},
		"player 3: tick 7: health.Points differs":                                       {Player: 3, Tick: 7, Where: "health.Points"},
		"player 3: tick 7: health.Points differs; not the same twice: system \"drift\"": {Player: 3, Tick: 7, Where: "health.Points", System: "system \"drift\""},
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
