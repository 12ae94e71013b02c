package netsys_test

import (
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// 70,000 packets each way, with a message in each, wrap the 16-bit numbers of packets and messages. The link loses, duplicates
// and reorders them. Packets are acknowledged exactly if they arrived. Reliable messages arrive once and in order, and
// sequenced ones never go back.
func TestSequenceWraps16(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("plays 70,000 ticks; package channel wraps both numbers as well: set TACTUS_LONG=1")
	}
	t.Parallel()
	const count = 70_000
	s := newStage(t, netsys.ServerConfig{})
	p := s.seat(7, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05, Duplicate: 0.05})
	for range count {
		p.play()
		for _, number := range []int{eventChannel, messageChannel, signalChannel, stateChannel} {
			p.talk(number, 12)
		}
		s.step()
	}
	s.run(3*time.Second, nil)
	p.alive()
	if !p.delivered() {
		t.Errorf("not all messages arrived: %+v, %+v", p.Session().Channels().Stats(), p.atServer.Channels().Stats())
	}
	for name, way := range map[string]*traffic{"up": &p.up, "down": &p.down} {
		if n := way.lost(); n < count*45/1000 || n > count*55/1000 {
			t.Errorf("%s: %d of %d lost, the link takes 5 %%", name, n, count)
		}
		if n := way.unacked(); n > 0 {
			t.Errorf("%s: %d arrived and are not acknowledged", name, n)
		}
		for _, number := range []int{eventChannel, messageChannel} {
			if l := &way.messages[number]; l.sent != count || l.full > 0 {
				t.Errorf("%s, channel %d: sent %d, refused %d", name, number, l.sent, l.full)
			}
		}
		if l := &way.messages[signalChannel]; l.came < count*90/100 {
			t.Errorf("%s: %d of %d signals came", name, l.came, l.sent)
		}
		// Of states, those do not count that another one overtook.
		if l := &way.messages[stateChannel]; l.came < count*60/100 {
			t.Errorf("%s: %d of %d states came", name, l.came, l.sent)
		}
	}
}
