package manysockets_test

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
)

// echo answers what clients send with the same, and counts sessions.
type echo struct{ netsys.Handler }

func (echo) Connected(time.Time, netsys.Session)           {}
func (echo) Disconnected(time.Time, netsys.Session, error) {}
func (echo) Acked(netsys.Session, uint16)                  {}
func (echo) Received(now time.Time, s netsys.Session, p netsys.Packet) {
	_, _ = s.Send(now, p.Data)
}

// caller repeats a question until it is answered.
type caller struct {
	netsys.Handler
	client   *netsys.Client
	question string
	answered bool
	wrong    string
}

func (c *caller) Connected(time.Time, netsys.Session)                 {}
func (c *caller) Disconnected(_ time.Time, _ netsys.Session, e error) { c.wrong = fmt.Sprint(e) }
func (c *caller) Acked(netsys.Session, uint16)                        {}
func (c *caller) Received(_ time.Time, _ netsys.Session, p netsys.Packet) {
	if c.answered = true; string(p.Data) != c.question {
		c.wrong = string(p.Data)
	}
}

// carrier is the wires of many clients.
type carrier interface {
	Poll(now time.Time, arrived func(n int))
	Flush(now time.Time)
}

// answer lets callers ask a server until each has its own answer.
func answer(t *testing.T, server *netsys.Server, f carrier, callers []*caller) {
	t.Helper()
	for end, all := time.Now().Add(30*time.Second), false; !all; time.Sleep(time.Millisecond) {
		now := time.Now()
		server.Poll(now, echo{})
		server.Flush(now)
		f.Poll(now, func(n int) { callers[n].client.Poll(now, callers[n]) })
		all = true
		for n, c := range callers {
			c.client.Poll(now, c)
			if c.client.Connected() && !c.answered {
				_, _ = c.client.Session().Send(now, []byte(c.question))
			}
			if all = all && c.answered; c.wrong != "" || now.After(end) {
				t.Fatalf("client %d: answered %v, %q", n, c.answered, c.wrong)
			}
		}
		f.Flush(now)
	}
}

// talk lets clients ask a server at an address until each has its answer. It returns the statistics of the set, and the number
// of the clients' addresses.
func talk(t *testing.T, listen string, config manysockets.Config) (st manysockets.Stats, addresses int) {
	t.Helper()
	on, err := netsys.ListenUDP(listen)
	if err != nil {
		t.Skip(err)
	}
	server, err := netsys.NewServer(on, netsys.ServerConfig{MaxClients: config.Clients})
	must(t, err)
	defer server.Close(time.Now())
	f, err := config.Dial(t.Context(), on.LocalAddr().String())
	must(t, err)
	defer f.Close()
	callers := make([]*caller, config.Clients)
	for n := range callers {
		w, err := f.Wire(n)
		must(t, err)
		c, err := netsys.NewClient(w, f.RemoteAddr(), netsys.ClientConfig{})
		must(t, err)
		callers[n] = &caller{client: c, question: fmt.Sprint("client ", n)}
	}
	answer(t, server, f, callers)
	seen := make(map[netip.AddrPort]bool)
	for s := range server.Sessions() {
		seen[s.RemoteAddr()] = true
	}
	for n, c := range callers {
		if at := c.client.LocalAddr(); !seen[at] {
			t.Errorf("client %d is at %v, and the server knows nobody there", n, at)
		}
	}
	return f.Stats(), len(seen)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Each client has its own session and gets only its own datagrams. On Linux the clients share sockets and system calls.
func TestManyClientsShareSockets(t *testing.T) {
	const clients = 300
	st, addresses := talk(t, "127.0.0.1:0", manysockets.Config{Clients: clients})
	if addresses != clients || st.Dropped+st.Unsent != 0 {
		t.Errorf("%d addresses, %+v", addresses, st)
	}
	if runtime.GOOS == "linux" && (st.Sockets >= clients/4 || st.Writes >= clients) {
		t.Errorf("%+v: clients share neither sockets nor system calls", st)
	}
}

// One socket is enough for 100 clients.
func TestSocketsAreBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("clients have a socket each")
	}
	if st, addresses := talk(t, "127.0.0.1:0", manysockets.Config{Clients: 100, Sockets: 1}); st.Sockets != 1 || addresses != 100 {
		t.Errorf("%d addresses, %+v", addresses, st)
	}
}

// To a server that is not at a loopback address of IPv4 each client has a socket, up to a bound.
func TestOneSocketEach(t *testing.T) {
	if st, addresses := talk(t, "[::1]:0", manysockets.Config{Clients: 20, Sockets: 20}); st.Sockets != 20 || addresses != 20 {
		t.Errorf("%d addresses, %+v", addresses, st)
	}
	_, err := manysockets.Config{Clients: 21, Sockets: 20}.Dial(t.Context(), "[::1]:7777")
	if err == nil || !strings.Contains(err.Error(), "21 clients to [::1]:7777 need a socket each") {
		t.Errorf("error %v", err)
	}
}

// A closed wire can be opened again. Other wires are not affected.
func TestWireAgain(t *testing.T) {
	for _, server := range []string{"127.0.0.1:7777", "[::1]:7777"} {
		f, err := manysockets.Config{Clients: 2}.Dial(t.Context(), server)
		must(t, err)
		defer f.Close()
		a, err := f.Wire(0)
		if err != nil {
			t.Skip(err)
		}
		mustPanic(t, func() { _, _ = f.Wire(0) })
		mustPanic(t, func() { _, _ = f.Wire(2) })
		must(t, a.Close())
		must(t, a.Close())
		if err := a.Send(time.Now(), f.RemoteAddr(), []byte("x")); !errors.Is(err, netsys.ErrClosed) {
			t.Errorf("%s: a closed wire sends: %v", server, err)
		}
		b, err := f.Wire(0)
		must(t, err)
		must(t, b.Send(time.Now(), f.RemoteAddr(), []byte("x")))
		if err := b.Send(time.Now(), netip.MustParseAddrPort("192.0.2.1:9"), []byte("x")); err == nil {
			t.Errorf("%s: it sends elsewhere", server)
		}
		if err := b.Send(time.Now(), f.RemoteAddr(), make([]byte, netsys.MaxDatagram+1)); !errors.Is(err, netsys.ErrTooLarge) {
			t.Errorf("%s: too long: %v", server, err)
		}
		must(t, f.Close())
		if _, err := f.Wire(1); !errors.Is(err, netsys.ErrClosed) {
			t.Errorf("%s: a wire of a closed set: %v", server, err)
		}
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

// Invalid configurations are refused at once.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		config manysockets.Config
		addr   string
		want   string
	}{
		{manysockets.Config{Clients: 1}, "127.0.0.1", "missing port"},
		{manysockets.Config{Clients: 1}, "127.0.0.1:0", "no port"},
		{manysockets.Config{Clients: 1}, "127.0.0.1:70000", "no port"},
	} {
		if _, err := c.config.Dial(t.Context(), c.addr); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v to %s: %v, want %q", c.config, c.addr, err, c.want)
		}
	}
	if f, err := (manysockets.Config{Clients: 1}).Dial(t.Context(), ":7"); err != nil || f.RemoteAddr() != netip.MustParseAddrPort("127.0.0.1:7") {
		t.Errorf("no host: %v", err)
	}
}
