package notice

import (
	"testing"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Notices that the client can cause are limited. Those above the rate, those without room in the channel, and those without a session are
// counted.
func TestQueueIsBounded(t *testing.T) {
	channels, err := channel.New(channel.Config{})
	if err != nil {
		t.Fatal(err)
	}
	n := wire.Notice{Kind: wire.NoticeCommand, Input: 7}
	q := Queue{Channels: channels}
	for tick := range uint32(60) {
		q.AddLimited(&n, 60, tick)
	}
	if st := channels.Channel(channel.Control); st.Queued != Rate+Burst-1 || q.Untold() != uint64(60-st.Queued) {
		t.Errorf("%d wait, %d were not sent", st.Queued, q.Untold())
	}
	for tick := uint32(60); q.Add(&n); tick++ {
	}
	if q.AddLimited(&n, 60, 600); q.Untold() != 60-(Rate+Burst-1)+1 {
		t.Errorf("%d were not sent", q.Untold())
	}
	if none := new(Queue); none.Add(&n) {
		t.Error("a notice was sent without a session")
	}
}

// Each event is logged once, independently of the others.
func TestOnce(t *testing.T) {
	var o Once
	for _, what := range []Once{Flooded, Budget, Input, Fast, Desync, Unstable, Command} {
		if !o.First(what) || o.First(what) {
			t.Errorf("%b is not logged once", what)
		}
	}
}
