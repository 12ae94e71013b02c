package netsys

import (
	"net/netip"
	"testing"

	"github.com/tactusgo/tactus/internal/heapuse"
)

// After 20 seconds of inputs, snapshots and events, a session with the default channels uses the memory that the package
// comment states.
func TestMemoryOfASession(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the heap")
	}
	const clients = 40
	profile := heapuse.Begin(t)
	network := NewNetwork()
	server := serverOn(t, network.Node(netip.AddrPort{}), ServerConfig{Random: SeededRandom(1)})
	var all []*Client
	for i := range uint64(clients) {
		c := clientOn(t, network.Node(netip.AddrPort{}), server.LocalAddr(), ClientConfig{Random: SeededRandom(i + 2)})
		all = append(all, c)
	}
	now, h := epoch, &log{}
	payload := make([]byte, 200)
	for i := range 60 * 20 {
		now = now.Add(second60)
		for _, c := range all {
			_, _ = c.Session().Send(now, payload)
			c.Poll(now, h)
		}
		server.Poll(now, h)
		for s := range server.Sessions() {
			_, _ = s.Send(now, payload)
			if i%60 == 0 {
				_ = s.Channels().Send(0, payload)
			}
		}
		server.Flush(now)
	}
	use := profile.Under([]string{"github.com/tactusgo/tactus/netsys.(*Server).", "github.com/tactusgo/tactus/netsys.(*session)."},
		[]string{"github.com/tactusgo/tactus/netsys.(*Node).Send", "github.com/tactusgo/tactus/netsys.(*Client)."})
	each := use.Bytes / clients
	t.Logf("%d bytes a session:\n%s", each, use.Table(20, clients))
	if server.Len() != clients || each > 10<<10 {
		t.Errorf("%d sessions, %d bytes each", server.Len(), each)
	}
}
