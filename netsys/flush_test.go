package netsys

import (
	"net/netip"
	"testing"
	"time"
)

// collecting is a wire that sends datagrams only when it is flushed.
type collecting struct {
	*Node
	waiting []Datagram
}

func (c *collecting) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	c.waiting = append(c.waiting, Datagram{From: to, Data: append([]byte(nil), b...)})
	return nil
}

func (c *collecting) Flush(now time.Time) {
	for _, d := range c.waiting {
		_ = c.Node.Send(now, d.From, d.Data)
	}
	c.waiting = c.waiting[:0]
}

// Poll flushes the wire at its end, after the keep-alives, and so does Flush. The same is true under a conditioner.
func TestServerFlushesItsWire(t *testing.T) {
	for _, conditioned := range []bool{false, true} {
		network := NewNetwork()
		below := &collecting{Node: network.Node(netip.AddrPort{})}
		var wire Wire = below
		if conditioned {
			var err error
			if wire, err = Condition(below, ConditionerConfig{}); err != nil {
				t.Fatal(err)
			}
		}
		server := serverOn(t, wire, ServerConfig{Random: SeededRandom(1)})
		client := clientOn(t, network.Node(netip.AddrPort{}), below.LocalAddr(), ClientConfig{Random: SeededRandom(2)})
		var atServer, atClient log
		now := epoch
		for range 120 { // two seconds with nothing but keep-alives
			now = now.Add(time.Second / 60)
			client.Poll(now, &atClient)
			server.Poll(now, &atServer)
			if len(below.waiting) > 0 {
				t.Fatalf("%d datagrams wait after Poll", len(below.waiting))
			}
		}
		if atServer.connected != 1 || atClient.connected != 1 || atClient.disconnected != 0 {
			t.Fatalf("server %+v, client %+v", atServer, atClient)
		}
		if _, err := atServer.last.Send(now, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if len(below.waiting) != 1 {
			t.Errorf("%d datagrams wait after Send", len(below.waiting))
		}
		if server.Flush(now); len(below.waiting) != 0 {
			t.Errorf("%d datagrams wait after Flush", len(below.waiting))
		}
		if err := server.Close(now); err != nil {
			t.Error(err)
		}
		server.Flush(now)
	}
}
