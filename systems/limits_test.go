package systems

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/policy"
)

// A client that has heard nothing for long cannot be compared with the server, which says so.
func TestDifferenceOfAClientThatLags(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn, Timeout: time.Minute})
	c := g.join(ClientConfig{Timeout: time.Minute}, netsys.Link{})
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

// Ticks that a server had to drop are counted in ticks, however many it makes each time that it wakes.
func TestDroppedTicksOfAServerThatWakesForSeveral(t *testing.T) {
	log := &journal{}
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn, WakeEvery: 3, Logger: log.logger()})
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(60)
	before := g.server.Tick()
	for range 11 { // of 60 ticks each
		g.now = g.now.Add(time.Second)
		g.server.Advance(g.now)
	}
	made := g.server.Tick() - before
	if made < 11 || made > 11*30 {
		t.Fatalf("%d ticks in 11 s with a call a second", made)
	}
	each := 60 - made/11
	first, rest := fmt.Sprintf("ticks=%d ", each), fmt.Sprintf("ticks=%d ", 10*each)
	if log.told("ticks dropped", first) != 1 || log.told("ticks dropped", rest) != 1 {
		t.Errorf("%d of 660 ticks were made, want %q and %q: %q", made, first, rest, log.lines)
	}
}

// Under a model that relays inputs, states for who joins need a channel that holds the smallest part of one, and what
// is written in front of it.
func TestChannelForTheStateOfAWorld(t *testing.T) {
	for longest, ok := range map[int]bool{0: true, 1 << 10: false, 1<<10 + 2: false, 1<<10 + 3: true} {
		c := ServerConfig{Policies: policy.Rollback.Policies(), Join: spawnPawn, Channels: channel.Config{Channels: []channel.ChannelConfig{
			{Name: "fast"}, {Name: "news", Kind: channel.ReliableUnordered}, {Name: "bulk", Kind: channel.ReliableOrdered, MaxMessage: longest},
		}}}
		if err := c.Validate(); (err == nil) != ok || err != nil && !(errors.Is(err, ErrConfig) && strings.Contains(err.Error(), "MaxMessage")) {
			t.Errorf("with messages of up to %d bytes: %v", longest, err)
		}
	}
}
