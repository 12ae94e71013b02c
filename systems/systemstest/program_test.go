package systemstest_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A program plays the same match as a test. It may count datagrams on the server's wire and choose when clients
// start.
func TestOpen(t *testing.T) {
	at := func() systemstest.Config {
		config := dots(1, 3)
		config.ServerAddr = netip.MustParseAddrPort("127.0.0.1:7777")
		return config
	}
	test := systemstest.New(t, at())
	test.Run(3 * time.Second)
	config := at()
	counted := &counter{}
	config.ServerWire = func(w netsys.Wire) netsys.Wire { counted.Wire = w; return counted }
	c, err := systemstest.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	c.Run(3 * time.Second)
	if err := c.Err(); err != nil || c.Hash() != test.Hash() {
		t.Errorf("hash %x in a test and %x in a program, error %v", test.Hash(), c.Hash(), err)
	}
	if counted.n == 0 || uint64(counted.n) < c.Server.Stats().DatagramsIn {
		t.Errorf("%d datagrams arrived on the wire, %d at the server", counted.n, c.Server.Stats().DatagramsIn)
	}
	config = dots(1, 1)
	start := time.Unix(2, 0)
	config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Start: start} }
	c, err = systemstest.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	if at := c.Clients[0].Next(); !at.Equal(start) {
		t.Errorf("the first tick is at %v, want %v", at, start)
	}
}

// The seed of the links alone decides which packets are lost.
func TestLinkSeed(t *testing.T) {
	lost := func(seed uint64) uint64 {
		config := dots(1, 1)
		config.Link = systemstest.RoundTrip(50*time.Millisecond, 0, 0.2)
		config.LinkSeed = func(int) uint64 { return seed }
		c := systemstest.New(t, config)
		c.Run(10 * time.Second)
		return c.Clients[0].Traffic().Down.Lost<<32 | c.Clients[0].Traffic().Up.Lost
	}
	if a, b := lost(1), lost(1); a != b || a == 0 || a == lost(2) {
		t.Errorf("seed 1 lost %x and %x, seed 2 %x", a, b, lost(2))
	}
}

// A configuration that fails a test is an error in a program. A client that loses its session is one of Err.
func TestOpenFails(t *testing.T) {
	config := dots(1, 1)
	config.Server.Snapshots.SendRate = 7
	if c, err := systemstest.Open(config); c != nil || err == nil || !strings.Contains(err.Error(), "SendRate 7") {
		t.Errorf("%v, %v", c, err)
	}
	config = dots(1, 2)
	c, err := systemstest.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	c.Connect()
	c.Clients[0].Leave()
	c.Run(time.Second)
	if err := c.Err(); err != nil {
		t.Errorf("a client left: %v", err)
	}
	if err := c.Server.Close(c.Now()); err != nil {
		t.Fatal(err)
	}
	c.Run(time.Second)
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "client 1") {
		t.Errorf("the server closed: %v", err)
	}
}

// counter is a wire that counts the datagrams that arrive.
type counter struct {
	netsys.Wire
	n int
}

func (c *counter) Poll(now time.Time, deliver func(netsys.Datagram)) {
	c.Wire.Poll(now, func(d netsys.Datagram) { c.n++; deliver(d) })
}
