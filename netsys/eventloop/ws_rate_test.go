//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/tactusgo/tactus/netsys"
)

// All frames count for the rate of a connection, because answering pings costs more than datagrams. Frames above the rate are
// dropped and not answered. Two seconds' worth of excess frames end the connection. A client whose path stalled, and which
// delivers 20 seconds at once, continues.
func TestPingsCountLikeDatagrams(t *testing.T) {
	const rate = 100
	for name, frame := range map[string][]byte{
		"ping": {0x89, 0x80, 0, 0, 0, 0}, "pong": {0x8a, 0x80, 0, 0, 0, 0}, "datagram": {0x82, 0x80, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newConnections(WebSocketConfig{FramesPerSecond: rate}, netsys.NewInbox(10*rate), logger{})
			at := time.Unix(1, 0)
			c := &webConn{fd: -1, client: netip.MustParseAddr("192.0.2.1"), port: 5000, opened: at}
			w.all[c], w.halfOpen = struct{}{}, []*webConn{c}
			w.assignAddress(c, at)
			c.answered.Store(true)
			bring := func(after time.Duration, n int) gnet.Action {
				at = at.Add(after)
				w.polls.Add(1)
				return w.receive(&byteStream{bytes.Repeat(frame, n)}, c, at, &w.frames)
			}
			want := func(action, wanted gnet.Action, flooded, tooFast uint64) {
				t.Helper()
				if s := w.currentStats(); action != wanted || s.Flooded != flooded || s.TooFast != tooFast {
					t.Errorf("%v, %+v; want %v, %d flooded, %d too fast", action, s, wanted, flooded, tooFast)
				}
			}
			want(bring(0, rate), gnet.None, 0, 0)
			want(bring(0, 7), gnet.None, 7, 0)
			for range 10 * rate { // at its rate
				want(bring(time.Second/rate, 1), gnet.None, 7, 0)
			}
			const held, lost = 20 * rate * 13 / 100, 20*rate*13/100 - rate
			want(bring(20*time.Second, held), gnet.None, 7+lost, 0)
			for range rate {
				want(bring(8*time.Second/rate, 1), gnet.None, 7+lost, 0)
			}
			want(bring(20*time.Second, 3*rate), gnet.None, 7+lost+2*rate, 0)
			want(bring(0, 1), gnet.Close, 7+lost+2*rate, 1)
		})
	}
}
