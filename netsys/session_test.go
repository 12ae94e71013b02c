package netsys

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// With 60 packets a second up and 20 down, and 5 % of both lost, all that arrived is acknowledged.
func TestAcknowledgementsAtDifferentRates(t *testing.T) {
	m := newMatch(t, matchConfig{
		link:   Link{Latency: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05},
		server: ServerConfig{KeepAlive: time.Second},
	}).connect()
	for i := range 60 * 60 {
		m.send(m.client.Session(), "input")
		if i%3 == 0 {
			m.send(m.atServer.last, "snapshot")
		}
		m.step()
	}
	for range 5 * 60 {
		m.step()
	}
	if m.atClient.acked != m.atServer.received {
		t.Errorf("%d acknowledged, %d received", m.atClient.acked, m.atServer.received)
	}
}

func TestStatsMeasureTheLink(t *testing.T) {
	for _, test := range []struct {
		name string
		link Link
	}{
		{"steady", Link{Latency: 100 * time.Millisecond}},
		{"reordered, nothing lost", Link{Latency: 250 * time.Millisecond, Jitter: 84 * time.Millisecond}},
		{"5 % lost", Link{Latency: 250 * time.Millisecond, Jitter: 84 * time.Millisecond, Loss: 0.05}},
		{"25 % lost in bursts", Link{Latency: 50 * time.Millisecond, Loss: 0.25, Burst: 30 * time.Millisecond}},
		{"duplicated", Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Duplicate: 0.5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMatch(t, matchConfig{link: test.link}).connect()
			var in, out float64
			const seconds = 120
			for i := range seconds * 60 {
				m.send(m.client.Session(), "input")
				m.send(m.atServer.last, "snapshot")
				m.step()
				if i%600 == 599 {
					in += m.atServer.last.Stats().LossIn / (seconds / 10)
					out += m.client.Session().Stats().LossOut / (seconds / 10)
				}
			}
			for name, loss := range map[string]float64{"LossIn": in, "LossOut": out} {
				if test.link.Loss == 0 && loss != 0 || loss < 0.75*test.link.Loss || loss > 1.25*test.link.Loss {
					t.Errorf("%s %.4f, link loses %v", name, loss, test.link.Loss)
				}
			}
			// Between polls an arrival waits up to 1/60 s; the stamps of arrival take that out on the way to
			// the client, the server's own node has it.
			const grid = time.Second / 60
			s := m.client.Session().Stats()
			if lo := 2 * (test.link.Latency - test.link.Jitter); s.MinRTT < lo || s.MinRTT > lo+2*test.link.Jitter+2*grid {
				t.Errorf("MinRTT %v on %+v", s.MinRTT, test.link)
			}
			if mean := 2 * test.link.Latency; (s.RTT - mean).Abs() > test.link.Jitter+2*grid {
				t.Errorf("RTT %v on %+v", s.RTT, test.link)
			}
			if s.Jitter > test.link.Jitter+grid {
				t.Errorf("Jitter %v on %+v", s.Jitter, test.link)
			}
		})
	}
}

// LossIn moves in small steps, rises while packets are lost and is forgotten after ten seconds.
func TestLossIsSmoothAndForgotten(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{Latency: 40 * time.Millisecond}}).connect()
	play := func(seconds int, each func(loss float64)) {
		for range seconds * 60 {
			m.send(m.client.Session(), "input")
			m.step()
			each(m.atServer.last.Stats().LossIn)
		}
	}
	play(20, func(loss float64) {
		if loss != 0 {
			t.Fatalf("loss %v on a perfect link", loss)
		}
	})
	m.links(Link{Latency: 40 * time.Millisecond, Loss: 0.2})
	before, highest := 0.0, 0.0
	play(20, func(loss float64) {
		if d := loss - before; d > 0.03 || d < -0.03 {
			t.Fatalf("loss jumped from %v to %v", before, loss)
		}
		before, highest = loss, max(highest, loss)
	})
	if highest < 0.15 || highest > 0.3 {
		t.Errorf("loss rose to %v at 0.2", highest)
	}
	m.links(Link{Latency: 40 * time.Millisecond})
	play(12, func(float64) {})
	if loss := m.atServer.last.Stats().LossIn; loss != 0 {
		t.Errorf("loss %v twelve seconds after the last one", loss)
	}
}

// Received is called only between Connected and Disconnected, even if the handler itself closes the session.
func TestHandlerClosesSessions(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	m.atServer.onReceived = func(now time.Time, s Session, p Packet) { s.Close(now, ReasonProtocol) }
	m.send(m.client.Session(), "one")
	m.send(m.client.Session(), "two")
	m.until("both know", func() bool { return m.atServer.disconnected == 1 && m.atClient.disconnected == 1 })
	if m.atServer.received != 1 {
		t.Errorf("%d payloads from a closed session", m.atServer.received)
	}
	var closed *CloseError
	if !errors.As(m.atClient.reason, &closed) || closed.Reason != ReasonProtocol || !closed.Remote {
		t.Errorf("reason %v", m.atClient.reason)
	}
	for range 100 {
		m.step()
	}
	if m.atServer.disconnected != 1 || m.atClient.disconnected != 1 {
		t.Error("Disconnected more than once")
	}
}

// Sessions yields sessions in the order of joining, whatever their addresses. Closing sessions during the loop is allowed.
func TestSessionsInJoinOrder(t *testing.T) {
	network := NewNetwork()
	server := serverOn(t, network.Node(netip.AddrPort{}), ServerConfig{Random: SeededRandom(1)})
	var atServer log
	now := epoch
	var clients []*Client
	for i := range 20 {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, byte(200 - 7*i)}), 9999)
		c := clientOn(t, network.Node(addr), server.LocalAddr(), ClientConfig{Random: SeededRandom(uint64(i))})
		clients = append(clients, c)
		for range 4 {
			now = now.Add(10 * time.Millisecond)
			for _, c := range clients {
				c.Poll(now, &log{})
			}
			server.Poll(now, &atServer)
		}
	}
	ids := func() (ids []uint64) {
		for s := range server.Sessions() {
			ids = append(ids, s.ID())
		}
		return ids
	}
	all := ids()
	if len(all) != 20 || !slices.IsSorted(all) || all[0] != 1 || all[19] != 20 {
		t.Fatalf("ids %v", all)
	}
	for s := range server.Sessions() {
		if s.ID()%2 == 0 {
			s.Close(now, ReasonKicked)
		}
	}
	if got := ids(); len(got) != 10 || !slices.IsSorted(got) {
		t.Errorf("ids %v", got)
	}
	server.Poll(now, &atServer)
	if atServer.disconnected != 10 || server.Len() != 10 {
		t.Errorf("%d disconnected, %d left", atServer.disconnected, server.Len())
	}
}

func TestConfigsReject(t *testing.T) {
	tooMany := make([]string, MaxSchemaLines+1)
	for i := range tooMany {
		tooMany[i] = fmt.Sprint("line ", i)
	}
	for i, c := range []interface{ Validate() error }{
		ServerConfig{MaxClients: -1}, ServerConfig{Timeout: -1}, ServerConfig{KeepAlive: -1},
		ServerConfig{Timeout: 150 * time.Millisecond}, ServerConfig{Schema: tooMany}, ServerConfig{Schema: []string{""}},
		ServerConfig{Schema: []string{"a\nb"}}, ServerConfig{MaxMalformed: -1}, ServerConfig{Messages: []string{""}},
		ServerConfig{Addresses: make([]netip.AddrPort, 33)}, ServerConfig{Channels: channel.Config{Packet: MaxPayload + 1}},
		ServerConfig{Channels: channel.Config{Rate: -1}}, ServerConfig{Schema: tooMany[8:], Messages: tooMany[:2]},
		ClientConfig{ConnectTimeout: -1}, ClientConfig{Timeout: -1}, ClientConfig{KeepAlive: 6 * time.Second},
		ClientConfig{Schema: tooMany},
	} {
		if err := c.Validate(); err == nil {
			t.Errorf("%d: %+v accepted", i, c)
		}
	}
	for _, c := range []interface{ Validate() error }{ServerConfig{}, ClientConfig{}, ConditionerConfig{}, ServerConfig{Schema: tooMany[7:]}} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewServer(nil, ServerConfig{MaxClients: -1}); err == nil {
		t.Error("NewServer accepted a bad config")
	}
	if _, err := NewClient(nil, netip.AddrPort{}, ClientConfig{Timeout: -1}); err == nil {
		t.Error("NewClient accepted a bad config")
	}
}

// A whole connected pair at 60 Hz, sending datagrams and messages both ways through a conditioner that delays, loses
// and duplicates, allocates nothing.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{
		Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05, Burst: 40 * time.Millisecond, Duplicate: 0.05,
	}}).connect()
	payload := make([]byte, 300)
	frame := func() {
		_ = m.client.Session().Channels().Send(0, payload[:20])
		_, _ = m.client.Session().Send(m.now, payload)
		for s := range m.server.Sessions() {
			_ = s.Channels().Send(1, payload[:50])
			_ = s.Channels().Send(4, payload)
			_, _ = s.Send(m.now, payload)
		}
		m.server.Flush(m.now)
		m.step()
		_ = m.client.Session().Stats()
	}
	for range 2000 {
		frame()
	}
	if n := testing.AllocsPerRun(2000, frame); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

// Another session is worth an attempt after ends that pass, and never after the player was replaced, sent away or refused,
// nor after an end that this side wanted.
func TestMayReconnect(t *testing.T) {
	for _, c := range []struct {
		reason error
		want   bool
	}{
		{ErrTimeout, true}, {endReason(netcode.ErrDenied), true}, {&refusal{ErrBusy}, true}, {&refusal{ErrClosed}, true}, {&refusal{ErrSchema}, false},
		{&refusal{ErrVersion}, false}, {&refusal{fmt.Errorf("%w: banned", ErrLogin)}, false}, {ErrReplaced, false}, {ErrElsewhere, false}, {netcode.ErrTokenExpired, false}, {ErrClosed, false}, {nil, false},
		{&CloseError{ReasonServerClosing, true}, true}, {&CloseError{ReasonAway, true}, true}, {&CloseError{ReasonAway, false}, false}, {&CloseError{ReasonLeft, false}, false},
		{&CloseError{ReasonReplaced, true}, false}, {&CloseError{ReasonKicked, true}, false}, {&CloseError{ReasonProtocol, true}, false}, {&CloseError{ReasonFlood, true}, false}, {&CloseError{66, true}, false}, {&CloseError{ReasonApplication, true}, false},
	} {
		if got := MayReconnect(c.reason); got != c.want {
			t.Errorf("%v: %v", c.reason, got)
		}
	}
}
