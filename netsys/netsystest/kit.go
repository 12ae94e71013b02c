package netsystest

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Setup is the transport under test. Every subtest opens a new Setup, while other subtests run.
type Setup struct {
	// Clock reads the time and advances it. The zero value is [RealClock].
	Clock Clock

	// Server is the server's transport.
	Server netsys.Wire

	// Dial opens the transport of one more client and returns the address at which it reaches the server.
	Dial func(t testing.TB) (client netsys.Wire, server netip.AddrPort)
}

// OverUDP returns a Setup whose clients reach the server over UDP from this machine.
func OverUDP(server netsys.Wire) Setup {
	return Setup{Server: server, Dial: func(t testing.TB) (netsys.Wire, netip.AddrPort) {
		client, err := netsys.DialUDP(t.Context(), server.LocalAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		return client, client.RemoteAddr()
	}}
}

// Poor returns a link that delays, reorders, loses and duplicates datagrams, as badly as [Run] tolerates in real time.
func Poor() netsys.Link {
	return netsys.Link{Latency: 10 * time.Millisecond, Jitter: 8 * time.Millisecond, Loss: 0.05, Duplicate: 0.1}
}

// Conditioned wraps open so that every dialed client is behind the link.
func Conditioned(link netsys.Link, open func(t testing.TB) Setup) func(t testing.TB) Setup {
	return func(t testing.TB) Setup {
		setup := open(t)
		dial := setup.Dial
		setup.Dial = func(t testing.TB) (netsys.Wire, netip.AddrPort) {
			wire, server := dial(t)
			c, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: 7, In: link, Out: link})
			if err != nil {
				t.Fatal(err)
			}
			return c, server
		}
		return setup
	}
}

// Clock is the time of a test.
type Clock struct {
	// Now returns the current time.
	Now func() time.Time
	// Step advances the time by a few milliseconds.
	Step func()
}

// RealClock reads time.Now and sleeps 1 ms per step.
func RealClock() Clock {
	return Clock{Now: time.Now, Step: func() { time.Sleep(time.Millisecond) }}
}

// VirtualClock returns a clock that starts at a fixed time. Every Step advances it by step, without sleeping.
func VirtualClock(step time.Duration) Clock {
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	return Clock{Now: func() time.Time { return now }, Step: func() { now = now.Add(step) }}
}

// Recorder is a [netsys.Handler] that records its calls. The zero value is ready.
type Recorder struct {
	// Sessions are the connected sessions, in the order of connection.
	Sessions []netsys.Session
	// Payloads are copies of the received payloads, by session id.
	Payloads map[uint64][]string
	// Messages are copies of the messages received on channels, by session id: "channel: bytes".
	Messages map[uint64][]string
	// Acks are the acknowledged sequence numbers in the order of the calls, by session id.
	Acks map[uint64][]uint16
	// Reasons are the arguments of Disconnected in the order of the calls.
	Reasons []error
	// OnConnected and OnReceived are called after the recording, unless nil.
	OnConnected func(now time.Time, s netsys.Session)
	OnReceived  func(now time.Time, s netsys.Session, p netsys.Packet)

	mu sync.Mutex // because a server's workers call Received and Acked
}

var _ netsys.Handler = (*Recorder)(nil)

// Connected implements [netsys.Handler].
func (r *Recorder) Connected(now time.Time, s netsys.Session) {
	if r.Payloads == nil {
		r.Payloads, r.Messages, r.Acks = make(map[uint64][]string), make(map[uint64][]string), make(map[uint64][]uint16)
	}
	r.Sessions = append(r.Sessions, s)
	if r.OnConnected != nil {
		r.OnConnected(now, s)
	}
}

// Received implements [netsys.Handler].
func (r *Recorder) Received(now time.Time, s netsys.Session, p netsys.Packet) {
	r.mu.Lock()
	r.Payloads[s.ID()] = append(r.Payloads[s.ID()], string(p.Data))
	r.mu.Unlock()
	if r.OnReceived != nil {
		r.OnReceived(now, s, p)
	}
}

// Message implements [netsys.Handler].
func (r *Recorder) Message(_ time.Time, s netsys.Session, channel int, message []byte) {
	r.Messages[s.ID()] = append(r.Messages[s.ID()], fmt.Sprintf("%d: %s", channel, message))
}

// Acked implements [netsys.Handler].
func (r *Recorder) Acked(s netsys.Session, seq uint16) {
	r.mu.Lock()
	r.Acks[s.ID()] = append(r.Acks[s.ID()], seq)
	r.mu.Unlock()
}

// Disconnected implements [netsys.Handler].
func (r *Recorder) Disconnected(_ time.Time, _ netsys.Session, reason error) {
	r.Reasons = append(r.Reasons, reason)
}
