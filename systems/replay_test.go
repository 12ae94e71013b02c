package systems

import (
	"testing"

	"github.com/tactusgo/tactus/netsys"
)

// A client that has followed its server back to before the first input that it keeps has
// nothing to simulate again.
func TestNetcodeE7_NoReplayBehindTheFirstInput(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect().run(60)
	told := c.mirror.Own.Newest.Input
	c.inputs.Log.Back(told - 3)
	c.predictor.Skip()
	first, n := c.predictor.Rewind(told)
	c.world.Netcode().EndReplay()
	if n > 0 {
		t.Errorf("%d inputs from %d on were to be simulated again, up to %d", n, first, c.predictor.Applied())
	}
}
