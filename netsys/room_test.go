package netsys

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Clients of one goroutine that share a packet buffer each get their own packets. A reply within a handler does not overwrite
// the packet that is being read.
func TestClientsShareARoom(t *testing.T) {
	network := NewNetwork()
	server := serverOn(t, network.Node(netip.AddrPort{}), ServerConfig{Random: SeededRandom(1)})
	room := new(netcode.Room)
	var all []*Client
	for i := range uint64(5) {
		all = append(all, clientOn(t, network.Node(netip.AddrPort{}), server.LocalAddr(), ClientConfig{Random: SeededRandom(i + 2), Room: room}))
		if all[i].carrier.buf != room.Payload() {
			t.Fatal("the room is not used")
		}
	}
	now, h := epoch, &log{}
	got, asked := make(map[string]int), ""
	hears := &log{onReceived: func(now time.Time, s Session, p Packet) {
		text := string(p.Data)
		_, _ = s.Send(now, []byte("a reply that is longer than what is being read"))
		if got[asked+" "+text]++; string(p.Data) != text {
			t.Errorf("%q became %q", text, p.Data)
		}
	}}
	for range 60 * 3 {
		now = now.Add(second60)
		for i, c := range all {
			_, _ = c.Session().Send(now, fmt.Appendf(nil, "from %d", i))
			asked = fmt.Sprint(i + 1)
			c.Poll(now, hears)
		}
		server.Poll(now, h)
		for s := range server.Sessions() {
			_, _ = s.Send(now, fmt.Appendf(nil, "to %d", s.ID()))
		}
		server.Flush(now)
	}
	for i := range all {
		if n := got[fmt.Sprintf("%d to %d", i+1, i+1)]; n < 150 {
			t.Errorf("client %d got %d payloads of its own: %v", i, n, got)
		}
	}
	if len(got) != len(all) {
		t.Errorf("%v", got)
	}
}
