package systems

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// everybodySimulates runs a test under both models.
func everybodySimulates(t *testing.T, f func(t *testing.T, p policy.Model)) {
	for _, p := range []policy.Model{policy.Rollback{}, policy.Lockstep{}} {
		t.Run(p.String(), func(t *testing.T) { f(t, p) })
	}
}

// joinPeer adds a client that simulates all pawns.
func (g *game) joinPeer(player uint64, link netsys.Link) *Client {
	return g.join(ClientConfig{Session: ClientSession{ClientID: player}, Gather: gatherPush()}, link)
}

// A client that sends malformed data does not affect the others, and its session ends after too many messages.
func TestPeersHostileClient(t *testing.T) {
	everybodySimulates(t, func(t *testing.T, p policy.Model) {
		g := newGame(t, peopled, ServerConfig{Model: p})
		honest := g.joinPeer(1, netsys.Link{Latency: 20 * time.Millisecond})
		g.connect()
		g.run(60)
		i := g.intrude()
		r := rand.New(rand.NewPCG(4, 2))
		bulk := channel.Config{}.Channel("bulk")
		for n := 0; n < 600 && i.reason == nil; n++ {
			for _, b := range [][]byte{nil, {0}, {wire.KindInput}, {relay.Kind}, {99}, noise(r, relay.Kind, 1+r.IntN(200))} {
				i.send(b)
			}
			_ = i.Session().Channels().Send(bulk, relay.AppendMessage(nil, noise(r, byte(r.IntN(4)), r.IntN(100))))
			i.tick()
		}
		if i.reason == nil {
			t.Error("the intruder goes on")
		}
		g.run(120)
		st := g.server.Stats()
		if st.MalformedMessages < MaxMalformed || g.server.sessions.peers.Len() != 1 {
			t.Errorf("%d malformed messages, %d clients", st.MalformedMessages, g.server.sessions.peers.Len())
		}
		if err := Difference(g.server, honest); err != nil {
			t.Error(err)
		}
		if policy.Is[policy.Lockstep](p) && honest.Stats().Resimulated > 0 {
			t.Errorf("%d ticks simulated again", honest.Stats().Resimulated)
		}
	})
}

// noise returns a message with a first byte and random bytes.
func noise(r *rand.Rand, first byte, n int) []byte {
	b := make([]byte, n+1)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	b[0] = first
	return b
}

// NewServer refuses options that do not suit a model in which every peer simulates everything, with the remedy.
func TestPeersConfig(t *testing.T) {
	noBulk := []channel.ChannelConfig{{Name: "event", Kind: channel.Unreliable}, {Name: "small", Kind: channel.ReliableOrdered, MaxMessage: 512}}
	for text, change := range map[string]func(c *ServerConfig){
		"Interest":   func(c *ServerConfig) { c.Snapshots.Interest = Same[tint]() },
		"Record":     func(c *ServerConfig) { c.Snapshots.Record = &strings.Builder{} },
		"MaxClients": func(c *ServerConfig) { c.MaxClients = 5000 },
		"Window":     func(c *ServerConfig) { c.TickRate, c.Model = 1000, policy.Rollback{Window: 10 * time.Second} },
		"Channels":   func(c *ServerConfig) { c.Session.Channels.Channels = noBulk },
	} {
		c := ServerConfig{Model: policy.Rollback{}}
		change(&c)
		if err := c.Validate(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for want, channels := range map[int][]channel.ChannelConfig{
		4: nil,
		1: {{Kind: channel.ReliableOrdered, Priority: 1}, {Kind: channel.ReliableOrdered}, {Kind: channel.Unreliable}},
		0: {{Name: "bulk", Kind: channel.ReliableOrdered, Priority: 1}, {Kind: channel.ReliableOrdered}},
	} {
		if n, longest := relay.BulkChannel(channel.Config{Channels: channels}); n != want || longest < 1<<10 {
			t.Errorf("channel %d with messages of %d bytes, want %d", n, longest, want)
		}
	}
}

// After arbitrary messages from either side, the other peer still works.
func FuzzPeers(f *testing.F) {
	f.Add(true, []byte{relay.Kind, 0}, []byte{1, 1, 0, 0, 1, 0})
	f.Fuzz(func(t *testing.T, lockstep bool, datagram, message []byte) {
		var p policy.Model = policy.Rollback{}
		if lockstep {
			p = policy.Lockstep{}
		}
		g := newGame(t, peopled, ServerConfig{Model: p})
		c := g.joinPeer(1, netsys.Link{})
		g.connect()
		g.run(30)
		s := g.server
		peer := s.sessions.peers.All()[0]
		_ = s.model.receive(0, peer, netsys.Packet{Seq: 9000, Data: datagram, At: g.now})
		bulk, _ := relay.BulkChannel(channel.Config{})
		_, _ = s.model.message(peer, bulk, relay.AppendMessage(nil, message))
		for _, err := range []error{
			c.model.listener.Receive(netsys.Packet{Seq: 9000, Data: datagram, At: g.now}),
			func() error {
				_, err := c.model.listener.Message(bulk, relay.AppendMessage(nil, message))
				return err
			}(),
		} {
			if err != nil && !errors.Is(err, ErrMessage) && !errors.Is(err, relay.ErrMessage) {
				t.Fatal(err)
			}
		}
		before := s.Tick()
		g.run(5)
		if n := s.Tick() - before; !lockstep && n != 5 {
			t.Errorf("the server made %d of 5 ticks", n)
		}
	})
}
