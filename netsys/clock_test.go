package netsys_test

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
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

// counted counts what an end is told.
type counted struct {
	session            netsys.Session
	received, messages int
	reason             error
}

func (c *counted) Connected(_ time.Time, s netsys.Session)                  { c.session = s }
func (c *counted) Received(time.Time, netsys.Session, netsys.Packet)        { c.received++ }
func (c *counted) Message(time.Time, netsys.Session, int, []byte)           { c.messages++ }
func (c *counted) Acked(netsys.Session, uint16)                             {}
func (c *counted) Disconnected(_ time.Time, _ netsys.Session, reason error) { c.reason = reason }

// Somebody sets the clock of one end while it plays: datagrams, messages that have to be sent again, keep-alives and
// figures go on, a silence ends the session as ever, and who comes new is welcomed.
//
//mutant:rule Session24 netsys/internal/clock/clock.go
//mutant:from !c.started || d < -late
//mutant:to !c.started
//mutant:rule Session24 netsys/inside.go
//mutant:from max(at-max(now.Sub(c.datagram.At), 0), 0)
//mutant:to 0 * at
func TestClockIsSet(t *testing.T) {
	link := netsys.Link{Latency: 40 * time.Millisecond, Loss: 0.1}
	for _, by := range []time.Duration{-time.Hour, -time.Minute, 5 * time.Second} {
		for _, atServer := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, server %v", by, atServer), func(t *testing.T) {
				network, now := netsys.NewNetwork(), opening
				up, down := &counted{}, &counted{}
				there := &shifted{Wire: network.Node(netip.MustParseAddrPort("192.0.2.1:4000"))}
				server, err := netsys.NewServer(there, netsys.ServerConfig{Random: netsys.SeededRandom(1), InsecureAllowAnyAddress: true})
				if err != nil {
					t.Fatal(err)
				}
				addr := server.LocalAddr()
				type end struct {
					*netsys.Client
					*counted
					wire *shifted
					lost bool
				}
				var clients []*end
				join := func(h *counted, off time.Duration) *end {
					link, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: 3, In: link, Out: link})
					if err != nil {
						t.Fatal(err)
					}
					e := &end{counted: h, wire: &shifted{Wire: link, off: off}}
					e.Client, err = netsys.NewClient(e.wire, addr, netsys.ClientConfig{
						Random: netsys.SeededRandom(uint64(2 + len(clients))), InsecureAllowAnyAddress: true,
					})
					if err != nil {
						t.Fatal(err)
					}
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
								c.Poll(now.Add(c.wire.off), c.counted)
							}
						}
						server.Poll(now.Add(there.off), up)
					}
				}
				c := join(down, 0)
				run(2*time.Second, nil)
				if up.session == nil || down.session == nil {
					t.Fatal("not connected")
				}
				sent := 0
				play := func() {
					sent++
					for e, at := range map[netsys.Session]time.Time{up.session: now.Add(there.off), down.session: now.Add(c.wire.off)} {
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
				run(5*time.Second, play)
				run(2*time.Second, nil)
				if up.reason != nil || down.reason != nil {
					t.Fatalf("ended: %v, %v", up.reason, down.reason)
				}
				for name, e := range map[string]*counted{"server": up, "client": down} {
					if e.messages != sent || e.received < sent*8/10 {
						t.Errorf("%s: %d messages and %d datagrams of %d", name, e.messages, e.received, sent)
					}
					if st := e.session.Stats(); st.RTT < 60*time.Millisecond || st.RTT > 140*time.Millisecond || st.LossIn > 0.25 || st.LossOut > 0.25 {
						t.Errorf("%s: %+v", name, st)
					}
				}
				datagrams := up.session.Stats().DatagramsIn
				run(5*time.Second, nil)
				if n := up.session.Stats().DatagramsIn - datagrams; n < 35 || n > 55 {
					t.Errorf("%d keep-alives in 5 s", n)
				}
				begun := now
				c.lost = true
				for range 20 * 60 {
					if up.reason == nil {
						run(frame, nil)
					}
				}
				if d := now.Sub(begun); !errors.Is(up.reason, netsys.ErrTimeout) || d < 9*time.Second || d > 11*time.Second {
					t.Errorf("%v after %v of silence", up.reason, d)
				}
				next := join(&counted{}, there.off)
				run(2*time.Second, nil)
				if next.session == nil {
					t.Errorf("a newcomer is not welcomed: %v, %v", next.reason, server.DatagramDrops())
				}
			})
		}
	}
}
