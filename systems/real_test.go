package systems

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// These tests run on real sockets of this machine. They wait for things to happen,
// up to a deadline that no machine needs, and measure no time.
const generous = 20 * time.Second

// listen opens the wire of a server. The tag eventloop puts that of package
// eventloop in its place; it is no part of the ordinary test binary, because what
// it links allocates in the background, and other tests here count allocations.
var listen = func(addr string) (netsys.Wire, error) { return netsys.ListenUDP(addr) }

// live is a served game.
type live struct {
	t      testing.TB
	addr   string
	server *Server
	stop   func() // and wait
	fresh  chan figures
}

// figures are statistics of a server.
type figures struct {
	ServerStats
	clients int
}

// serve runs a server until the test ends or stop is called. Its goroutine sends statistics on request.
func serve(t testing.TB, c ServerConfig) *live {
	t.Helper()
	wire, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &live{t: t, addr: wire.LocalAddr().String(), fresh: make(chan figures)}
	c.Schedule = func(s *ecs.Schedule) error {
		return s.InsertAfter("Send", ecs.System{Name: "tell", Run: func(*ecs.World) {
			select {
			case l.fresh <- figures{l.server.Stats(), l.server.sessions.peers.Len()}:
			default:
			}
		}})
	}
	if l.server, err = NewServer(wire, peopled(), c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.server.Run(ctx) }()
	stopped := false
	l.stop = func() {
		if cancel(); stopped {
			return
		}
		stopped = true
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
	t.Cleanup(l.stop)
	return l
}

// stats waits until the statistics satisfy wanted.
func (l *live) stats(what string, wanted func(figures) bool) figures {
	l.t.Helper()
	for deadline := time.After(generous); ; {
		select {
		case s := <-l.fresh:
			if wanted(s) {
				return s
			}
		case <-deadline:
			l.t.Fatalf("never happened: %s", what)
		}
	}
}

func dial(t testing.TB, addr string, c ClientConfig) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	defer cancel()
	k, err := Dial(ctx, addr, peopled(), c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// goroutines waits until there are no more goroutines than before.
func goroutines(t testing.TB, before int) {
	t.Helper()
	n := 0
	for deadline := time.Now().Add(generous); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if n = runtime.NumGoroutine(); n <= before {
			return
		}
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
}

// A server and a client play over UDP until their contexts end, and leave no goroutine behind. A failed NewServer and a
// refused Dial leave none either.
func TestRunEndsWithItsContext(t *testing.T) {
	before := runtime.NumGoroutine()
	l := serve(t, ServerConfig{})
	c := dial(t, l.addr, ClientConfig{Gather: gatherPush()})
	ctx, cancel := context.WithCancel(context.Background())
	frames := 0
	err := c.Run(ctx, func(c *Client) {
		if frames++; c.Stats().Snapshots >= 10 {
			cancel()
		}
	})
	if err != nil || frames == 0 || c.Stats().Inputs == 0 {
		t.Errorf("%v after %d frames, %+v", err, frames, c.Stats())
	}
	l.stats("a goodbye", func(s figures) bool { return s.Inputs.Consumed > 0 && s.clients == 0 })
	l.stop()
	if _, err := c.link.session.Send(time.Now(), nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("the session takes packets after Run: %v", err)
	}
	wire, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := Serve(context.Background(), wire, plaza(), ServerConfig{TickRate: -1}); !errors.Is(err, ErrConfig) {
		t.Errorf("Serve with a bad configuration: %v", err)
	}
	if _, err := Dial(context.Background(), l.addr, plaza(), ClientConfig{Prediction: Prediction{History: -1}}); !errors.Is(err, ErrConfig) {
		t.Errorf("Dial with a bad configuration: %v", err)
	}
	goroutines(t, before)
}

func TestDialNobody(t *testing.T) {
	before := runtime.NumGoroutine()
	nobody, err := net.ListenPacket("udp4", "127.0.0.1:0") // hears, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	addr := nobody.LocalAddr().String()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, addr, plaza(), ClientConfig{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a context that ends: %v", err)
	}
	if _, err := Dial(context.Background(), addr, plaza(), ClientConfig{Session: ClientSession{Timeout: 300 * time.Millisecond}}); !errors.Is(err, netsys.ErrTimeout) {
		t.Errorf("with a timeout: %v", err)
	}
	cancel()
	if _, err := Dial(ctx, addr, plaza(), ClientConfig{}); err == nil {
		t.Error("with a context that has ended")
	}
	if _, err := Dial(context.Background(), "no port", plaza(), ClientConfig{}); err == nil || !strings.Contains(err.Error(), "Dial") {
		t.Errorf("an address that is none: %v", err)
	}
	goroutines(t, before)
}

func TestDialWithAnotherSchema(t *testing.T) {
	before := runtime.NumGoroutine()
	l := serve(t, ServerConfig{})
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	defer cancel()
	p := plazaParts("plaza/1")
	ecs.Input[every](p)
	_, err := Dial(ctx, l.addr, p, ClientConfig{})
	if !errors.Is(err, netsys.ErrSchema) || !strings.Contains(err.Error(), "push") || !strings.Contains(err.Error(), "every") {
		t.Errorf("another schema: %v", err)
	}
	l.stop()
	goroutines(t, before)
}

// Noise, zeros and truncated packets from real sockets are counted, and a player over UDP plays on.
func TestNoiseOverUDP(t *testing.T) {
	l := serve(t, ServerConfig{})
	c := dial(t, l.addr, ClientConfig{Gather: gatherPush()})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, nil) }()
	l.stats("a client in the game", func(s figures) bool { return s.Inputs.Consumed > 10 })
	stranger, err := net.Dial("udp4", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	r := rand.New(rand.NewPCG(1, 9))
	// Sockets lose what comes too fast, so a datagram of each kind is repeated until
	// all have been seen.
	kinds := []netcode.DropReason{netcode.DropSize, netcode.DropType, netcode.DropSequence, netcode.DropUnknownSender, netcode.DropVersion}
	s := l.stats("all kinds of noise are counted", func(s figures) bool {
		for _, b := range [][]byte{{0x15}, append([]byte{0x1f}, make([]byte, 50)...), append([]byte{0x05}, make([]byte, 50)...), append([]byte{0x15}, make([]byte, 50)...), make([]byte, 1078)} {
			stranger.Write(b)
		}
		noise := make([]byte, 1+r.IntN(60_000))
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		stranger.Write(noise)
		for _, k := range kinds {
			if s.DatagramDrops[k] == 0 {
				return false
			}
		}
		return true
	})
	l.stats("the client plays on", func(later figures) bool { return later.Inputs.Consumed > s.Inputs.Consumed+60 })
	select {
	case err := <-ended:
		t.Fatalf("the client ended: %v", err)
	default:
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s.MalformedMessages > 0 {
		t.Errorf("%d malformed messages from nobody", s.MalformedMessages)
	}
}

// A server under Run measures the durations of its wake-ups. A caller of Advance gets no durations, so that a match in virtual
// time is a function of its seed.
func TestTickTimeIsMeasuredInRealTime(t *testing.T) {
	l := serve(t, ServerConfig{Overload: Overload{Off: true}})
	st := l.stats("30 wake-ups", func(f figures) bool { return f.Ticks >= 30 })
	if x := st.TickTime; x.P50 <= 0 || x.P99 < x.P50 || x.P999 < x.P99 || x.Longest < x.P999 {
		t.Errorf("%+v", x)
	}
	l.stop()
	g := newGame(t, peopled, ServerConfig{})
	g.run(60)
	if x := g.server.Stats().TickTime; x.Longest != 0 || x.GCPause != 0 {
		t.Errorf("in virtual time: %+v", x)
	}
}
