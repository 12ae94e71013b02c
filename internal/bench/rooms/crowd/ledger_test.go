package crowd

import (
	"net/netip"
	"testing"
	"time"
)

// The ledger counts a seat that is given while it certainly belongs to another player, and players beyond the seats of a room.
// It does not count a seat that may have been free by then.
func TestLedger(t *testing.T) {
	began := time.Unix(1e9, 0)
	after := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
	at := netip.MustParseAddrPort("127.0.0.1:7777")
	type given struct {
		player      uint64
		number      uint16
		from, until float64
	}
	for name, x := range map[string]struct {
		given         []given
		doubled, over int
	}{
		"two seats":                     {[]given{{1, 0, 0, 9}, {2, 1, 1, 9}}, 0, 0},
		"one after the other":           {[]given{{1, 0, 0, 2}, {2, 0, 2, 9}}, 0, 0},
		"twice":                         {[]given{{1, 0, 0, 2}, {2, 0, 1, 9}}, 1, 0},
		"a third in a room of two":      {[]given{{1, 0, 0, 9}, {2, 1, 0, 9}, {3, 2, 1, 9}}, 0, 1},
		"and one who comes when one is": {[]given{{1, 0, 0, 9}, {2, 1, 0, 3}, {3, 1, 4, 9}}, 0, 0},
		"once more to its player":       {[]given{{1, 0, 0, 9}, {1, 0, 1, 9}, {2, 1, 2, 9}}, 0, 0},
		"under the newest promise":      {[]given{{1, 0, 0, 2}, {1, 0, 1, 9}, {2, 0, 3, 9}}, 1, 0},
	} {
		var l Ledger
		for i := len(x.given) - 1; i >= 0; i-- { // in whatever order answers come
			g := x.given[i]
			l.Give(Given{Seat: Seat{at, 1, g.number}, Player: g.player, Expires: after(g.until)}, after(g.from))
			l.Give(Given{Seat: Seat{at, 2, g.number}, Player: g.player + 10*uint64(i+1), Expires: after(g.from)}, after(g.from)) // elsewhere
		}
		if doubled, over := l.Count(2); doubled != x.doubled || over != x.over {
			t.Errorf("%s: %d doubled, %d over", name, doubled, over)
		}
	}
}
