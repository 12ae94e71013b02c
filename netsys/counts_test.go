package netsys

import (
	"testing"
	"time"
)

// On a link without losses, one end counts as received what the other counts as sent, and the byte counts equal the bytes on
// the wire.
func TestWhatIsSentIsWhatIsReceived(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{Latency: 5 * time.Millisecond}}).connect()
	client, server := m.client.Session(), m.atServer.last
	settle := func() (Stats, Stats) {
		for range 30 {
			m.step()
		}
		return client.Stats(), server.Stats()
	}
	c0, s0 := settle()
	for range 50 {
		m.send(client, "something from the client")
		m.send(server, "and something else from the server")
		m.step()
	}
	c, s := settle()
	up := func(a, b uint64) uint64 { return b - a }
	for _, figure := range []struct {
		what     string
		out, in  uint64
		atLeast  uint64
		perFrame uint64
	}{
		{"payload up", up(c0.PayloadOut, c.PayloadOut), up(s0.PayloadIn, s.PayloadIn), 50 * 25, 0},
		{"payload down", up(s0.PayloadOut, s.PayloadOut), up(c0.PayloadIn, c.PayloadIn), 50 * 34, 0},
		{"bytes up", up(c0.BytesOut, c.BytesOut), up(s0.BytesIn, s.BytesIn), 50 * (25 + 29), 1},
		{"bytes down", up(s0.BytesOut, s.BytesOut), up(c0.BytesIn, c.BytesIn), 50 * (34 + 29), 1},
		{"datagrams up", up(c0.DatagramsOut, c.DatagramsOut), up(s0.DatagramsIn, s.DatagramsIn), 50, 1},
		{"datagrams down", up(s0.DatagramsOut, s.DatagramsOut), up(c0.DatagramsIn, c.DatagramsIn), 50, 1},
	} {
		// One may be on its way when the figures are read.
		apart := max(figure.out, figure.in) - min(figure.out, figure.in)
		if apart > figure.perFrame*60 || figure.out < figure.atLeast || figure.out > 3*figure.atLeast {
			t.Errorf("%s: %d sent, %d received, want at least %d", figure.what, figure.out, figure.in, figure.atLeast)
		}
	}
}

// An end that only receives sends a packet with acknowledgements after about 16 packets, long before its next keep-alive. So
// every packet is acknowledged more than once.
func TestWhoOnlyReceivesAcknowledges(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	client, server := m.client.Session(), m.atServer.last
	for range 30 {
		m.step()
	}
	quiet := func() {
		for before := server.Stats().DatagramsOut; server.Stats().DatagramsOut == before; {
			m.step()
		}
		m.step()
	}
	for n, want := range map[int]uint64{12: 0, 20: 1, 40: 1} {
		quiet() // a keep-alive has just gone out
		before := server.Stats().DatagramsOut
		for range n {
			m.send(client, "x")
		}
		m.server.Poll(m.now, &m.atServer)
		if got := server.Stats().DatagramsOut - before; got != want {
			t.Errorf("%d packets came at once: %d went out, want %d", n, got, want)
		}
	}
}
