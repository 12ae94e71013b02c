package netsys_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// A client uploads over a path of unlimited bandwidth, beside many datagrams. Its channels never send more packets than the
// server accepts from a session.
func TestUploadKeepsToTheRate(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{})
	p := s.seat(7, netsys.Link{Latency: 5 * time.Millisecond})
	bulk := &p.up.messages[bulkChannel]
	begun, packets := s.now, s.byID[7].atServer.Stats().DatagramsIn
	s.until("it is uploaded", func() bool {
		if bulk.sent < 16 && bulk.sent < bulk.came+2 {
			bulk.send(p, p.Session(), bulkChannel, 1<<20)
		}
		p.up.send(p, p.Session(), nil)
		p.up.send(p, p.Session(), nil)
		return bulk.came == 16
	})
	t.Logf("16 MiB in %v, %d packets", s.now.Sub(begun), s.byID[7].atServer.Stats().DatagramsIn-packets)
	if n := s.server.DatagramDrops()[netcode.DropFlood]; n != 0 || p.reason != nil || p.up.lost() > 2 { // which may be on their way
		t.Errorf("%d packets dropped, %d datagrams lost; %v", n, p.up.lost(), p.reason)
	}
}
