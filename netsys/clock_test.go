package netsys_test

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

// shifted is a wire of an end whose clock is off by some time.
type shifted struct {
	netsys.Wire
	off time.Duration
}

func (w *shifted) Poll(now time.Time, deliver func(netsys.Datagram)) {
	w.Wire.Poll(now.Add(-w.off), func(d netsys.Datagram) {
		d.At = d.At.Add(w.off)
		deliver(d)
	})
}

func (w *shifted) Send(now time.Time, to netip.AddrPort, b []byte) error {
	return w.Wire.Send(now.Add(-w.off), to, b)
}

// The clock of one end is set during a session. Datagrams, resent messages, keep-alives and statistics continue, silence still
// ends the session, and new clients can connect.
func TestClockIsSet(t *testing.T) {
	link := netsys.Link{Latency: 40 * time.Millisecond, Loss: 0.1}
	for _, by := range []time.Duration{-time.Hour, -time.Minute, 5 * time.Second, 20 * time.Minute} {
		for _, atServer := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, server %v", by, atServer), func(t *testing.T) {
				network, now := netsys.NewNetwork(), opening
				up, down := &netsystest.Recorder{}, &netsystest.Recorder{}
				there := &shifted{Wire: network.Node(netip.MustParseAddrPort("192.0.2.1:4000"))}
				server, err := netsys.NewServer(there, netsys.ServerConfig{Random: netsys.SeededRandom(1), InsecureAllowAnyAddress: true})
				must(t, err)
				addr := server.LocalAddr()
				type end struct {
					*netsys.Client
					*netsystest.Recorder
					wire *shifted
					lost bool
				}
				var clients []*end
				join := func(h *netsystest.Recorder, off time.Duration) *end {
					link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: 3, In: link, Out: link})
					must(t, err)
					e := &end{Recorder: h, wire: &shifted{Wire: link, off: off}}
					e.Client, err = netsys.NewClient(e.wire, addr, netsys.ClientConfig{
						Random: netsys.SeededRandom(uint64(2 + len(clients))), InsecureAllowAnyAddress: true,
					})
					must(t, err)
					clients = append(clients, e)
					return e
				}
				run := func(d time.Duration, each func()) {
					for end := now.Add(d); now.Before(end); {
						now = now.Add(frame)
						if each != nil {
							each()
						}
						for _, c := range clients {
							if !c.lost {
								c.Poll(now.Add(c.wire.off), c.Recorder)
							}
						}
						server.Poll(now.Add(there.off), up)
					}
				}
				c := join(down, 0)
				run(2*time.Second, nil)
				if len(up.Sessions) != 1 || len(down.Sessions) != 1 {
					t.Fatal("not connected")
				}
				atUp, atDown, id := up.Sessions[0], down.Sessions[0], up.Sessions[0].ID()
				sent := 0
				play := func() {
					sent++
					for e, at := range map[netsys.Session]time.Time{atUp: now.Add(there.off), atDown: now.Add(c.wire.off)} {
						_, _ = e.Send(at, []byte("played"))
						_ = e.Channels().Send(eventChannel, []byte("told"))
					}
				}
				run(5*time.Second, play)
				if atServer {
					there.off = by
				} else {
					c.wire.off = by
				}
				run(time.Second, play)
				for name, e := range map[string]netsys.Session{"server": atUp, "client": atDown} {
					if st := e.Stats(); st.RTT > 140*time.Millisecond || st.Jitter > 100*time.Millisecond {
						t.Errorf("%s, 1 s after the clock was set: %+v", name, st)
					}
				}
				run(4*time.Second, play)
				run(2*time.Second, nil)
				if up.Reasons != nil || down.Reasons != nil {
					t.Fatalf("ended: %v, %v", up.Reasons, down.Reasons)
				}
				for name, e := range map[string]*netsystest.Recorder{"server": up, "client": down} {
					if messages, received := len(e.Messages[id]), len(e.Payloads[id]); messages != sent || received < sent*8/10 {
						t.Errorf("%s: %d messages and %d datagrams of %d", name, messages, received, sent)
					}
					if st := e.Sessions[0].Stats(); st.RTT < 60*time.Millisecond || st.RTT > 140*time.Millisecond || st.LossIn > 0.25 || st.LossOut > 0.25 {
						t.Errorf("%s: %+v", name, st)
					}
				}
				datagrams := atUp.Stats().DatagramsIn
				run(5*time.Second, nil)
				if n := atUp.Stats().DatagramsIn - datagrams; n < 35 || n > 55 {
					t.Errorf("%d keep-alives in 5 s", n)
				}
				begun := now
				c.lost = true
				for range 20 * 60 {
					if up.Reasons == nil {
						run(frame, nil)
					}
				}
				if d := now.Sub(begun); !errors.Is(errors.Join(up.Reasons...), netsys.ErrTimeout) || d < 9*time.Second || d > 11*time.Second {
					t.Errorf("%v after %v of silence", up.Reasons, d)
				}
				next := join(&netsystest.Recorder{}, there.off)
				run(2*time.Second, nil)
				if next.Sessions == nil {
					t.Errorf("a newcomer is not welcomed: %v, %v", next.Reasons, server.DatagramDrops())
				}
			})
		}
	}
}
