package systems

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/policy"
)

// Difference returns an error for a client that has received nothing for long.
func TestDifferenceOfAClientThatLags(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{Session: ServerSession{Timeout: time.Minute}})
	c := g.join(ClientConfig{Session: ClientSession{Timeout: time.Minute}}, netsys.Link{})
	g.connect()
	g.run(120)
	if err := Difference(g.server, c); err != nil {
		t.Fatal(err)
	}
	if err := g.links[0].SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		g.run(60)
		if err := Difference(g.server, c); err != nil {
			if !strings.Contains(err.Error(), "ticks old") {
				t.Errorf("%v", err)
			}
			return
		}
	}
	t.Error("a client that has heard nothing for 20 s does not differ")
}

// Models that relay inputs need a channel whose messages can hold the smallest part of a state with its prefix.
func TestChannelForTheStateOfAWorld(t *testing.T) {
	for longest, ok := range map[int]bool{0: true, 1 << 10: false, 1<<10 + 2: false, 1<<10 + 3: true} {
		c := ServerConfig{Model: policy.Rollback{}, Session: ServerSession{Channels: channel.Config{Channels: []channel.ChannelConfig{
			{Name: "fast"}, {Name: "news", Kind: channel.ReliableUnordered}, {Name: "bulk", Kind: channel.ReliableOrdered, MaxMessage: longest},
		}}}}
		if err := c.Validate(); (err == nil) != ok || err != nil && !(errors.Is(err, ErrConfig) && strings.Contains(err.Error(), "MaxMessage")) {
			t.Errorf("with messages of up to %d bytes: %v", longest, err)
		}
	}
}
