package systems

import (
	"testing"

	"github.com/tactusgo/tactus/netsys"
)

// A client that has followed its server back to before the first input that it keeps has
// nothing to simulate again.
func TestNetcodeE7_NoReplayBehindTheFirstInput(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect().run(60)
	before := c.Stats().Resimulated
	c.predictor.log.Jump(c.predictor.log.Newest + 10)
	c.predictor.applied = c.predictor.log.Newest - 3
	c.replayAfter(c.world, c.mirror.Own.Newest.Input, c.mirror.Own.Newest)
	if n := c.Stats().Resimulated - before; n > 0 {
		t.Errorf("%d ticks were simulated again", n)
	}
}
