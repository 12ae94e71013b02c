package netsystest

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// limit is the largest number of steps in one wait: at least 20 s of real time at 1 ms per step. Working transports never
// come near it.
const limit = 20_000

// shortly is how long a client tries to reach a server that does not answer.
const shortly = 300 * time.Millisecond

// Run runs the conformance tests: a server and clients of package netsys use the transports that open returns. The
// transports may lose, duplicate and delay datagrams, but something must arrive within ten seconds. Run checks results,
// never times. The subtests run in parallel, each with its own transports.
func Run(t *testing.T, open func(t testing.TB) Setup) {
	var wait sync.WaitGroup
	for _, test := range []struct {
		name string
		run  func(t *testing.T, setup Setup)
	}{
		{"exchange and acknowledge", exchange},
		{"two clients are apart", twoClients},
		{"channels", channels},
		{"several workers", severalWorkers},
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
		wait.Go(func() {
			t.Run(test.name, func(t *testing.T) {
				setup := open(t)
				if setup.Clock.Now == nil {
					setup.Clock = RealClock()
				}
				test.run(t, setup)
			})
		})
	}
	wait.Wait()
}

// same fails the test unless got equals want.
func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// is fails the test unless err wraps all the given errors.
func is(t testing.TB, what string, err error, all ...error) {
	t.Helper()
	for _, want := range all {
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
}

// table is a server with its clients.
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
	quiet bool // no longer polled
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

// until polls server and clients until the condition holds.
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

// seated joins a client and waits until both sides are connected.
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
	same(t, "0 as id", id == 0, false)
	same(t, "id at the server", peer.ID(), id)
	same(t, "welcome", string(c.Welcome()), fmt.Sprintf("welcome %d", id))
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
		for what, holds := range map[string]bool{
			"as many datagrams in":  stats.DatagramsIn >= enough,
			"as many datagrams out": stats.DatagramsOut >= enough,
			"payload in":            stats.PayloadIn > 0,
			"bytes around payload":  stats.BytesOut > stats.PayloadOut,
		} {
			same(t, fmt.Sprintf("%s in %+v", what, stats), holds, true)
		}
	}
}

// sender records its sent payloads by sequence number.
type sender struct{ bySeq map[uint16]string }

func (s *sender) send(t *testing.T, setup Setup, to netsys.Session, what string) {
	if s.bySeq == nil {
		s.bySeq = make(map[uint16]string)
	}
	payload := fmt.Sprintf("%s %d", what, len(s.bySeq))
	next := to.Next()
	seq, err := to.Send(setup.Clock.Now(), []byte(payload))
	if err != nil && !errors.Is(err, netsys.ErrFull) {
		t.Fatal(err)
	}
	same(t, "number of a payload", seq, next)
	if _, dup := s.bySeq[seq]; dup {
		t.Fatalf("sequence %d twice", seq)
	}
	s.bySeq[seq] = payload
}

// check compares the sent payloads and the acknowledgements of one side with the payloads received by the other.
func (s *sender) check(t *testing.T, acks []uint16, received []string) {
	t.Helper()
	once := slices.Compact(slices.Sorted(slices.Values(received)))
	same(t, "different payloads among those that arrived", len(once), len(received))
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
	same(t, "one id for two clients", atA.ID() == atB.ID(), false)
	same(t, "one address for two clients", atA.RemoteAddr() == atB.RemoteAddr(), false)
	for s, c := range map[netsys.Session]*seat{atA: a, atB: b} {
		tb.until("a client got its own", func() bool {
			_, _ = s.Send(setup.Clock.Now(), fmt.Appendf(nil, "for %d", s.ID()))
			return c.hears.Payloads[s.ID()] != nil
		})
	}
	for _, c := range []*seat{a, b} {
		same(t, "a client without payloads", len(c.hears.Payloads[c.Session().ID()]) == 0, false)
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
			got := of()
			if ch.Kind == channel.ReliableUnordered {
				slices.SortFunc(got, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
			}
			same(t, "messages on "+ch.Name, strings.Join(got, " "), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19")
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

// tokens runs with a secret key. A token made with another key and a used token admit no client.
func tokens(t *testing.T, setup Setup) {
	key := netcode.GenerateKey(nil)
	address := netip.MustParseAddrPort("127.0.0.1:9") // the server's own address in tokens, different from the address that clients dial
	unused, at := setup.Dial(t)
	defer func() { _ = unused.Close() }()
	tb := newTable(t, setup, netsys.ServerConfig{Key: key, Addresses: []netip.AddrPort{address}})
	issue := func(key netcode.Key, clientID uint64) *netcode.ConnectToken {
		token, err := netcode.TokenConfig{
			Key: key, ClientID: clientID, Servers: []netip.AddrPort{at}, Known: []netip.AddrPort{address}, UserData: []byte("Ada"),
		}.Issue(setup.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	used := issue(key, 7)
	c, peer := tb.seated(netsys.ClientConfig{Token: used})
	same(t, "client", peer.ClientID(), 7)
	same(t, "user data", string(peer.UserData()[:3]), "Ada")
	same(t, "id at the client", c.Session().ID(), peer.ID())
	foreign := tb.join(netsys.ClientConfig{Token: issue(netcode.GenerateKey(nil), 8), ConnectTimeout: shortly})
	second := tb.join(netsys.ClientConfig{Token: used, ConnectTimeout: shortly})
	tb.until("both give up", func() bool { return len(foreign.hears.Reasons) == 1 && len(second.hears.Reasons) == 1 })
	is(t, "a token of another key", foreign.hears.Reasons[0], netsys.ErrTimeout)
	is(t, "a used token", second.hears.Reasons[0], netsys.ErrTimeout)
	same(t, "sessions", tb.server.Len(), 1)
	same(t, "sessions that ended", len(tb.hears.Reasons), 0)
}

func takeover(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{MaxClients: 1})
	old, _ := tb.seated(netsys.ClientConfig{ClientID: 7})
	old.quiet = true
	_, peer := tb.seated(netsys.ClientConfig{ClientID: 7})
	is(t, "the old session", errors.Join(tb.hears.Reasons...), netsys.ErrReplaced)
	same(t, "client", peer.ClientID(), 7)
	same(t, "sessions", tb.server.Len(), 1)
	old.quiet = false
	tb.until("the old client hears why", func() bool { return old.hears.Reasons != nil })
	is(t, "what the old client hears", old.hears.Reasons[0], netsys.ErrReplaced)
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
	_, err := peer.Send(setup.Clock.Now(), nil)
	is(t, "Send after the end", err, netsys.ErrClosed)
	same(t, "sessions", tb.server.Len(), 0)
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

// checkClose also accepts a timeout, because all ten disconnect packets from the other side may have been lost.
func checkClose(t *testing.T, reason error, want netsys.Reason, remote bool) {
	t.Helper()
	var closed *netsys.CloseError
	if !errors.As(reason, &closed) {
		same(t, fmt.Sprintf("whether %v came from the other side, whose goodbyes were all lost", reason), remote, true)
		is(t, "reason", reason, netsys.ErrTimeout)
		return
	}
	same(t, "reason", closed.Reason, want)
	same(t, "from the other side", closed.Remote, remote)
	is(t, "reason", reason, netsys.ErrClosed)
}

func silentClient(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{Timeout: 400 * time.Millisecond})
	c, _ := tb.seated(netsys.ClientConfig{})
	c.quiet = true
	tb.until("the server gives up", func() bool { return len(tb.hears.Reasons) == 1 })
	is(t, "reason", tb.hears.Reasons[0], netsys.ErrTimeout)
}

func nobodyAnswers(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{})
	c := tb.join(netsys.ClientConfig{ConnectTimeout: shortly})
	if err := tb.server.Close(setup.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	tb.until("the client gives up", func() bool { return len(c.hears.Reasons) == 1 })
	is(t, "reason", c.hears.Reasons[0], netsys.ErrTimeout)
	same(t, "connections", len(c.hears.Sessions), 0)
}

func otherSchema(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{Schema: []string{"Position{X,Y}", "Heading{A}"}})
	c := tb.join(netsys.ClientConfig{Schema: []string{"Position{X,Y}", "Heading{A,B}"}})
	tb.until("the client is refused", func() bool { return len(c.hears.Reasons) == 1 })
	reason := c.hears.Reasons[0]
	var schema *netsys.SchemaError
	is(t, "reason", reason, netsys.ErrRefused, netsys.ErrSchema)
	if !errors.As(reason, &schema) {
		t.Fatalf("reason %v", reason)
	}
	same(t, "difference", *schema, netsys.SchemaError{Line: 2, Server: "Heading{A}", Client: "Heading{A,B}"})
	same(t, "no drops for their schema", tb.server.Drops()[netsys.DropSchema] == 0, false)
	same(t, "sessions", len(tb.hears.Sessions), 0)
}

func fullServer(t *testing.T, setup Setup) {
	tb := newTable(t, setup, netsys.ServerConfig{MaxClients: 1})
	_, peer := tb.seated(netsys.ClientConfig{})
	c := tb.join(netsys.ClientConfig{})
	tb.until("the second client is refused", func() bool { return len(c.hears.Reasons) == 1 })
	is(t, "reason", c.hears.Reasons[0], netsys.ErrRefused, netsys.ErrServerFull)
	peer.Close(setup.Clock.Now(), netsys.ReasonKicked)
	tb.until("the slot is free", func() bool { return tb.server.Len() == 0 })
	_, next := tb.seated(netsys.ClientConfig{})
	same(t, "a larger id", next.ID() > peer.ID(), true)
}

func closedWire(t *testing.T, setup Setup) {
	now := setup.Clock.Now()
	wire, server := setup.Dial(t)
	is(t, "too long", wire.Send(now, server, make([]byte, netsys.MaxDatagram+1)), netsys.ErrTooLarge)
	same(t, "a valid local address", wire.LocalAddr().IsValid(), true)
	same(t, "local port 0", wire.LocalAddr().Port() == 0, false)
	for _, w := range []netsys.Wire{wire, setup.Server} {
		local := w.LocalAddr()
		for range 2 {
			same(t, "Close", w.Close(), nil)
		}
		same(t, "local address after Close", w.LocalAddr(), local)
		is(t, "Send after Close", w.Send(now, server, []byte("late")), netsys.ErrClosed)
		w.Poll(now, func(netsys.Datagram) {})
	}
}
