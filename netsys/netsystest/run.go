package netsystest

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// limit bounds every wait of the conformance tests: 20 s or more of real time at 1 ms a step. It is far
// beyond what any step needs, so that only a wire that fails ever gets there.
const limit = 20_000

// Run runs the conformance tests: a server and clients of package netsys over the wires that open returns.
// The wires may lose, duplicate and delay, but not so much that nothing passes within ten seconds. Run
// asserts on what happens, never on how long it takes.
func Run(t *testing.T, open func(t testing.TB) Setup) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, setup Setup)
	}{
		{"exchange and acknowledge", exchange},
		{"two clients are apart", twoClients},
		{"channels", channels},
		{"a long message", longMessage},
		{"connect tokens", tokens},
		{"a new token takes over", takeover},
		{"the longest payload", longest},
		{"client leaves", clientLeaves},
		{"server kicks", serverKicks},
		{"server closes", serverCloses},
		{"silent client times out", silentClient},
		{"nobody answers", nobodyAnswers},
		{"other schema is refused", otherSchema},
		{"full server refuses", fullServer},
		{"closed wire", closedWire},
	} {
		t.Run(test.name, func(t *testing.T) {
			setup := open(t)
			if setup.Clock.Now == nil {
				setup.Clock = RealClock()
			}
			test.run(t, setup)
		})
	}
}

// table is a server with the clients that sit at it.
type table struct {
	t       *testing.T
	setup   Setup
	server  *netsys.Server
	hears   Recorder
	clients []*seat
}

type seat struct {
	*netsys.Client
	hears Recorder
	quiet bool // not polled any more
}

func newTable(t *testing.T, setup Setup, config netsys.ServerConfig) *table {
	server, err := netsys.NewServer(setup.Server, config)
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, setup: setup, server: server}
	t.Cleanup(func() {
		for _, c := range tb.clients {
			if err := c.Close(setup.Clock.Now()); err != nil {
				t.Error(err)
			}
		}
		if err := server.Close(setup.Clock.Now()); err != nil {
			t.Error(err)
		}
	})
	return tb
}

func (tb *table) join(config netsys.ClientConfig) *seat {
	wire, addr := tb.setup.Dial(tb.t)
	client, err := netsys.NewClient(wire, addr, config)
	if err != nil {
		tb.t.Fatal(err)
	}
	s := &seat{Client: client}
	tb.clients = append(tb.clients, s)
	return s
}

// until polls both sides until the condition holds.
func (tb *table) until(what string, condition func() bool) {
	tb.t.Helper()
	for range limit {
		now := tb.setup.Clock.Now()
		for _, c := range tb.clients {
			if !c.quiet {
				c.Poll(now, &c.hears)
			}
		}
		tb.server.Poll(now, &tb.hears)
		if condition() {
			return
		}
		tb.setup.Clock.Step()
	}
	tb.t.Fatalf("never happened: %s (server dropped %v)", what, tb.server.Drops())
}

// seated joins a client and waits until both sides know.
func (tb *table) seated(config netsys.ClientConfig) (c *seat, atServer netsys.Session) {
	tb.t.Helper()
	before := len(tb.hears.Sessions)
	c = tb.join(config)
	tb.until("connected", func() bool { return len(c.hears.Sessions) == 1 && len(tb.hears.Sessions) == before+1 })
	return c, tb.hears.Sessions[before]
}

func exchange(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{
		Schema:  []string{"Position{X,Y}"},
		Welcome: func(id uint64) []byte { return fmt.Appendf(nil, "welcome %d", id) },
	})
	c, peer := tb.seated(netsys.ClientConfig{Schema: []string{"Position{X,Y}"}})
	id := c.Session().ID()
	if id == 0 || peer.ID() != id {
		t.Fatalf("ids: client %d, server %d", id, peer.ID())
	}
	if got, want := string(c.Welcome()), fmt.Sprintf("welcome %d", id); got != want {
		t.Fatalf("welcome %q, want %q", got, want)
	}
	const enough = 60
	var up, down sender
	tb.until("60 payloads acknowledged each way", func() bool {
		up.send(t, setup, c.Session(), "up")
		down.send(t, setup, peer, "down")
		return len(c.hears.Acks[id]) >= enough && len(tb.hears.Acks[id]) >= enough
	})
	up.check(t, c.hears.Acks[id], tb.hears.Payloads[id])
	down.check(t, tb.hears.Acks[id], c.hears.Payloads[id])
	for _, stats := range []netsys.Stats{c.Session().Stats(), peer.Stats()} {
		if stats.DatagramsIn < enough || stats.DatagramsOut < enough || stats.PayloadIn == 0 || stats.BytesOut <= stats.PayloadOut {
			t.Errorf("stats do not add up: %+v", stats)
		}
	}
}

// sender remembers what it sent under which number.
type sender struct{ bySeq map[uint16]string }

func (s *sender) send(t *testing.T, setup Setup, to netsys.Session, what string) {
	if s.bySeq == nil {
		s.bySeq = make(map[uint16]string)
	}
	payload := fmt.Sprintf("%s %d", what, len(s.bySeq))
	seq, err := to.Send(setup.Clock.Now(), []byte(payload))
	if err != nil && !errors.Is(err, netsys.ErrFull) {
		t.Fatal(err)
	}
	if _, dup := s.bySeq[seq]; dup {
		t.Fatalf("sequence %d twice", seq)
	}
	s.bySeq[seq] = payload
}

// check compares what one side sent and was acknowledged with what the other received.
func (s *sender) check(t *testing.T, acks []uint16, received []string) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(received))
	if n := len(slices.Compact(sorted)); n != len(received) {
		t.Errorf("%d payloads arrived more than once", len(received)-n)
	}
	sent := make(map[string]bool)
	for _, payload := range s.bySeq {
		sent[payload] = true
	}
	for _, payload := range received {
		if !sent[payload] {
			t.Errorf("received %q, which nobody sent", payload)
		}
	}
	seen := make(map[uint16]bool)
	for _, seq := range acks {
		payload, known := s.bySeq[seq]
		switch {
		case !known:
			t.Errorf("%d acknowledged and never sent", seq)
		case seen[seq]:
			t.Errorf("%d acknowledged twice", seq)
		case !slices.Contains(received, payload):
			t.Errorf("%q acknowledged and never received", payload)
		}
		seen[seq] = true
	}
}

func twoClients(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	a, atA := tb.seated(netsys.ClientConfig{})
	b, atB := tb.seated(netsys.ClientConfig{})
	if atA.ID() == atB.ID() || atA.RemoteAddr() == atB.RemoteAddr() {
		t.Fatalf("clients are not apart: %d %v, %d %v", atA.ID(), atA.RemoteAddr(), atB.ID(), atB.RemoteAddr())
	}
	tb.until("each got its own", func() bool {
		for s := range tb.server.Sessions() {
			_, _ = s.Send(setup.Clock.Now(), fmt.Appendf(nil, "for %d", s.ID()))
		}
		return len(a.hears.Payloads[atA.ID()]) > 0 && len(b.hears.Payloads[atB.ID()]) > 0
	})
	for _, c := range []*seat{a, b} {
		for _, got := range c.hears.Payloads[c.Session().ID()] {
			if want := fmt.Sprintf("for %d", c.Session().ID()); got != want {
				t.Errorf("client %d received %q", c.Session().ID(), got)
			}
		}
	}
}

func longest(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c, _ := tb.seated(netsys.ClientConfig{})
	payload := strings.Repeat("x", netsys.MaxPayload)
	if _, err := c.Session().Send(setup.Clock.Now(), []byte(payload+"x")); !errors.Is(err, netsys.ErrTooLarge) {
		t.Fatalf("one byte too many: %v", err)
	}
	id := c.Session().ID()
	tb.until("the longest payload arrived", func() bool {
		_, _ = c.Session().Send(setup.Clock.Now(), []byte(payload))
		return len(tb.hears.Payloads[id]) > 0
	})
	if tb.hears.Payloads[id][0] != payload {
		t.Error("the longest payload arrived changed")
	}
}

func channels(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c, peer := tb.seated(netsys.ClientConfig{})
	id, names := c.Session().ID(), c.Session().Channels().Config()
	for i := range 20 {
		for number, ch := range names.Channels {
			message := fmt.Appendf(nil, "%s %d", ch.Name, i)
			for _, s := range []netsys.Session{c.Session(), peer} {
				if err := s.Channels().Send(number, message); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, hears := range []*Recorder{&c.hears, &tb.hears} {
		for number, ch := range names.Channels {
			of := func() (list []string) {
				for _, m := range hears.Messages[id] {
					if text, ok := strings.CutPrefix(m, fmt.Sprintf("%d: %s ", number, ch.Name)); ok {
						list = append(list, text)
					}
				}
				return list
			}
			if ch.Kind != channel.ReliableOrdered && ch.Kind != channel.ReliableUnordered {
				continue
			}
			tb.until(ch.Name+" arrived", func() bool { return len(of()) >= 20 })
			for i, text := range of() {
				if ch.Kind == channel.ReliableOrdered && text != fmt.Sprint(i) {
					t.Errorf("%s: %q in place %d", ch.Name, text, i)
				}
			}
			if got := slices.Compact(slices.Sorted(slices.Values(of()))); len(got) != 20 {
				t.Errorf("%s: %q", ch.Name, got)
			}
		}
	}
}

func longMessage(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c, peer := tb.seated(netsys.ClientConfig{})
	id, long := c.Session().ID(), strings.Repeat("piece by piece ", 4000)
	bulk := c.Session().Channels().Config().Channel("bulk")
	for _, s := range []netsys.Session{c.Session(), peer} {
		if err := s.Channels().Send(bulk, []byte(long)); err != nil {
			t.Fatal(err)
		}
	}
	tb.until("both have it", func() bool { return len(c.hears.Messages[id]) == 1 && len(tb.hears.Messages[id]) == 1 })
	for _, hears := range []*Recorder{&c.hears, &tb.hears} {
		if hears.Messages[id][0] != fmt.Sprintf("%d: %s", bulk, long) {
			t.Error("the long message arrived changed")
		}
	}
}

// tokens runs with a secret key: a token of another one, and one that was used, admit nobody.
func tokens(t *testing.T, setup Setup) {
	key := netcode.GenerateKey(nil)
	address := netip.MustParseAddrPort("127.0.0.1:9") // as tokens name the server, wherever it really is
	tb := newTable(t, setup, netsys.ServerConfig{Key: key, Addresses: []netip.AddrPort{address}})
	issue := func(key netcode.Key, clientID uint64) *netcode.ConnectToken {
		token, err := netcode.TokenConfig{
			Key: key, ProtocolID: netsys.DefaultProtocolID, ClientID: clientID, Servers: []netip.AddrPort{address}, UserData: []byte("Ada"),
		}.Issue(setup.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	used := issue(key, 7)
	c, peer := tb.seated(netsys.ClientConfig{Token: used})
	if peer.ClientID() != 7 || string(peer.UserData()[:3]) != "Ada" || c.Session().ID() != peer.ID() {
		t.Errorf("client %d, user data %q, ids %d and %d", peer.ClientID(), peer.UserData()[:3], peer.ID(), c.Session().ID())
	}
	for what, token := range map[string]*netcode.ConnectToken{"another key": issue(netcode.GenerateKey(nil), 8), "a used token": used} {
		stranger := tb.join(netsys.ClientConfig{Token: token, ConnectTimeout: 300 * time.Millisecond})
		tb.until(what+" gets no answer", func() bool { return len(stranger.hears.Reasons) == 1 })
		if !errors.Is(stranger.hears.Reasons[0], netsys.ErrTimeout) {
			t.Errorf("%s: %v", what, stranger.hears.Reasons[0])
		}
	}
	if tb.server.Len() != 1 || len(tb.hears.Reasons) != 0 {
		t.Errorf("%d sessions, %v", tb.server.Len(), tb.hears.Reasons)
	}
}

func takeover(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{MaxClients: 1})
	old, _ := tb.seated(netsys.ClientConfig{ClientID: 7})
	old.quiet = true
	_, peer := tb.seated(netsys.ClientConfig{ClientID: 7})
	if len(tb.hears.Reasons) != 1 || !errors.Is(tb.hears.Reasons[0], netsys.ErrReplaced) {
		t.Errorf("the old session ended by %v", tb.hears.Reasons)
	}
	if peer.ClientID() != 7 || tb.server.Len() != 1 {
		t.Errorf("client %d, %d sessions", peer.ClientID(), tb.server.Len())
	}
	old.quiet = false
	tb.until("the old client hears why", func() bool { return len(old.hears.Reasons) > 0 })
	if !errors.Is(old.hears.Reasons[0], netsys.ErrReplaced) {
		t.Errorf("the old client hears %v", old.hears.Reasons[0])
	}
}

func clientLeaves(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c, peer := tb.seated(netsys.ClientConfig{})
	if err := c.Close(setup.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	tb.until("both ends know", func() bool { return len(tb.hears.Reasons) == 1 && len(c.hears.Reasons) == 1 })
	checkClose(t, tb.hears.Reasons[0], netsys.ReasonLeft, true)
	checkClose(t, c.hears.Reasons[0], netsys.ReasonLeft, false)
	if _, err := peer.Send(setup.Clock.Now(), nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("Send after the end: %v", err)
	}
	if tb.server.Len() != 0 {
		t.Errorf("server still has %d clients", tb.server.Len())
	}
}

func serverKicks(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c, peer := tb.seated(netsys.ClientConfig{})
	peer.Close(setup.Clock.Now(), netsys.ReasonKicked)
	peer.Close(setup.Clock.Now(), netsys.ReasonLeft)
	tb.until("both ends know", func() bool { return len(tb.hears.Reasons) == 1 && len(c.hears.Reasons) == 1 })
	checkClose(t, tb.hears.Reasons[0], netsys.ReasonKicked, false)
	checkClose(t, c.hears.Reasons[0], netsys.ReasonKicked, true)
}

func serverCloses(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c, _ := tb.seated(netsys.ClientConfig{})
	if err := tb.server.Close(setup.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	tb.until("both ends know", func() bool { return len(tb.hears.Reasons) == 1 && len(c.hears.Reasons) == 1 })
	checkClose(t, tb.hears.Reasons[0], netsys.ReasonServerClosing, false)
	checkClose(t, c.hears.Reasons[0], netsys.ReasonServerClosing, true)
}

// checkClose accepts a timeout in place of a goodbye from the other side: all ten may have been lost.
func checkClose(t *testing.T, reason error, want netsys.Reason, remote bool) {
	t.Helper()
	if remote && errors.Is(reason, netsys.ErrTimeout) {
		t.Log("every goodbye was lost")
		return
	}
	var closed *netsys.CloseError
	if !errors.As(reason, &closed) || closed.Reason != want || closed.Remote != remote || !errors.Is(reason, netsys.ErrClosed) {
		t.Errorf("reason %v, want %v (remote %v)", reason, want, remote)
	}
}

func silentClient(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{Timeout: 400 * time.Millisecond})
	c, _ := tb.seated(netsys.ClientConfig{})
	c.quiet = true
	tb.until("the server gives up", func() bool { return len(tb.hears.Reasons) == 1 })
	if !errors.Is(tb.hears.Reasons[0], netsys.ErrTimeout) {
		t.Errorf("reason %v", tb.hears.Reasons[0])
	}
}

func nobodyAnswers(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c := tb.join(netsys.ClientConfig{ConnectTimeout: 300 * time.Millisecond})
	if err := tb.server.Close(setup.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	tb.until("the client gives up", func() bool { return len(c.hears.Reasons) == 1 })
	if !errors.Is(c.hears.Reasons[0], netsys.ErrTimeout) || len(c.hears.Sessions) != 0 {
		t.Errorf("reason %v, connected %d times", c.hears.Reasons[0], len(c.hears.Sessions))
	}
}

func otherSchema(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{Schema: []string{"Position{X,Y}", "Heading{A}"}})
	c := tb.join(netsys.ClientConfig{Schema: []string{"Position{X,Y}", "Heading{A,B}"}})
	tb.until("the client is refused", func() bool { return len(c.hears.Reasons) == 1 })
	reason := c.hears.Reasons[0]
	var schema *netsys.SchemaError
	if !errors.Is(reason, netsys.ErrRefused) || !errors.Is(reason, netsys.ErrSchema) || !errors.As(reason, &schema) {
		t.Fatalf("reason %v", reason)
	}
	if want := (netsys.SchemaError{Line: 2, Server: "Heading{A}", Client: "Heading{A,B}"}); *schema != want {
		t.Errorf("%+v, want %+v", *schema, want)
	}
	if tb.server.Drops()[netsys.DropSchema] == 0 || len(tb.hears.Sessions) != 0 {
		t.Errorf("the server did not notice: %v", tb.server.Drops())
	}
}

func fullServer(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{MaxClients: 1})
	_, peer := tb.seated(netsys.ClientConfig{})
	c := tb.join(netsys.ClientConfig{})
	tb.until("the second client is refused", func() bool { return len(c.hears.Reasons) == 1 })
	if !errors.Is(c.hears.Reasons[0], netsys.ErrRefused) || !errors.Is(c.hears.Reasons[0], netsys.ErrServerFull) {
		t.Errorf("reason %v", c.hears.Reasons[0])
	}
	peer.Close(setup.Clock.Now(), netsys.ReasonKicked)
	tb.until("the slot is free", func() bool { return tb.server.Len() == 0 })
	_, next := tb.seated(netsys.ClientConfig{})
	if next.ID() <= peer.ID() {
		t.Errorf("id %d after %d", next.ID(), peer.ID())
	}
}

func closedWire(t *testing.T, setup Setup) {
	now := setup.Clock.Now()
	wire, server := setup.Dial(t)
	if err := wire.Send(now, server, make([]byte, netsys.MaxDatagram+1)); !errors.Is(err, netsys.ErrTooLarge) {
		t.Errorf("too long: %v", err)
	}
	if !wire.LocalAddr().IsValid() || wire.LocalAddr().Port() == 0 {
		t.Errorf("LocalAddr %v", wire.LocalAddr())
	}
	for _, w := range []netsys.Wire{wire, setup.Server} {
		for range 2 {
			if err := w.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		if err := w.Send(now, server, []byte("late")); !errors.Is(err, netsys.ErrClosed) {
			t.Errorf("Send after Close: %v", err)
		}
		w.Poll(now, func(netsys.Datagram) {})
	}
}
