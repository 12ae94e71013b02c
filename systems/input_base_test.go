package systems

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// continues reports whether a message continues from an earlier one.
func continues(b []byte) bool { return len(b) > 0 && b[0]>>wire.KindBits != 0 }

// Packets that a session sends by itself use packet numbers. The next input message is still decoded.
func TestInputsAfterTheSessionSpokeByItself(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 30 * time.Millisecond})
	g.connect()
	g.run(120)
	if !continues(c.inputs.sender.Packet()) {
		t.Fatalf("after two seconds a message is %x", c.inputs.sender.Packet())
	}
	for range 5 {
		before := c.link.session.Next()
		for range 40 { // the client sleeps, its session is kept alive
			g.now = g.now.Add(testTick)
			g.server.Advance(g.now)
			c.link.endpoint.Poll(g.now, (*clientHandler)(c))
		}
		if c.link.session.Next() == before {
			t.Fatal("the session has sent nothing by itself")
		}
		if g.step(); !continues(c.inputs.sender.Packet()) {
			t.Errorf("after a pause a message is %x", c.inputs.sender.Packet())
		}
		g.run(60)
	}
	if s := g.server.Stats(); s.Inputs.Unread+s.MalformedMessages > 0 {
		t.Errorf("%d messages malformed, %+v", s.MalformedMessages, s.Inputs)
	}
	g.mustConverge()
}

// A server that was stalled skips excess messages that its session has acknowledged. It cannot decode the inputs that continue
// from them, requests whole messages, and a few round trips later everything is as before.
func TestInputsAfterAFlood(t *testing.T) {
	for _, timing := range inputTimings {
		g := newGame(t, peopled, ServerConfig{Model: timing.model(), Session: ServerSession{Timeout: time.Minute}})
		c := g.join(ClientConfig{Gather: gatherPush(), Session: ClientSession{Timeout: time.Minute}}, netsys.Link{Latency: 30 * time.Millisecond})
		g.connect()
		g.run(120)
		g.frozen = true
		g.run(MaxMessages + 60)
		g.frozen = false
		g.run(60)
		s := g.server.Stats()
		if s.FloodedMessages == 0 || s.Inputs.Unread == 0 {
			t.Fatalf("%v: %d messages flooded, %d unread: nothing to recover from", timing, s.FloodedMessages, s.Inputs.Unread)
		}
		g.run(300)
		if now := g.server.Stats(); now.Inputs.Unread != s.Inputs.Unread || now.Inputs.Consumed < s.Inputs.Consumed+295 {
			t.Errorf("%v: after a second %+v, six seconds after the flood %+v", timing, s.Inputs, now.Inputs)
		}
		if s.Inputs.Unread > 20 || !continues(c.inputs.sender.Packet()) || c.inputs.sender.Depth == wire.DepthUnread {
			t.Errorf("%v: %d unread, the last message is %x", timing, s.Inputs.Unread, c.inputs.sender.Packet())
		}
		if n := g.server.Stats().MalformedMessages; n > 0 {
			t.Errorf("%v: %d malformed messages of an honest client", timing, n)
		}
		g.mustConverge()
	}
}

// An input message that continues from a packet that was never sent is refused with a named error, is counted and changes
// nothing.
func TestInputsFromABaseThatNeverWas(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	i := g.intrude()
	g.run(30)
	coder := wire.NewInputCoder(g.server.protocol.Input().Schema)
	var m wire.Input
	if err := coder.Read([]byte{9<<wire.KindBits | wire.KindInput}, &m, 5, wire.NewInputBases(3)); !errors.Is(err, codec.ErrBaseline) || !errors.Is(err, ErrMessage) {
		t.Errorf("the error is %v", err)
	}
	n := 0
	for t := range 300 {
		for k := range 10 {
			f := (10*t+k)%31 + 1
			i.send([]byte{byte(f)<<wire.KindBits | wire.KindInput, 0, 0, 0}) // 31: one packet and input back
			n++
		}
		i.tick()
	}
	p := g.server.sessions.peers.All()[1]
	if st := p.inputs.Stats(); st.Unread != uint64(n) || p.Malformed != 0 || p.inputs.Received() || depth(p) != wire.DepthUnread {
		t.Errorf("%+v after %d messages, %d malformed, depth %d", st, n, p.Malformed, depth(p))
	}
	i.send(i.input(1, push{DX: 1}))
	i.tick()
	if !p.inputs.Received() || depth(p) == wire.DepthUnread {
		t.Errorf("a whole message after them: %+v", p.inputs.Stats())
	}
	g.mustConverge()
	if st := c.Stats(); st.Corrections > 0 {
		t.Errorf("the honest client was corrected %d times", st.Corrections)
	}
}

// depth returns the number of waiting inputs that the server reports to the client.
func depth(p *peer) uint8 {
	_, depth, _ := p.inputs.Ack()
	return depth
}
