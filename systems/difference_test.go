package systems

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// Difference names the first difference between client and server, and returns nil if there is none.
func TestDifferenceNamesWhatDiffers(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	w := g.server.World()
	e := w.Spawn(place{X: 3}, tint{7})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	g.settle()
	id := w.NetID(e)
	mine, there := c.World().ByNetID(id)
	if !there {
		t.Fatal("the client has not heard of an entity")
	}
	differs := func(want string) {
		t.Helper()
		if err := Difference(g.server, c); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	differs("")
	at := ecs.Get[place](c.World(), mine)
	was := *at
	at.X++
	differs("place.X")
	differs(fmt.Sprintf("entity %d at tick", id))
	*at = was
	differs("")
}

// If snapshots do not hold everything, Difference ignores new entities that were not sent yet. Once they were sent, the client
// must have them.
func TestDifferenceOfNewcomersThatWait(t *testing.T) {
	t.Parallel()
	g, _ := crowded(t, 300, ServerConfig{Snapshots: Snapshots{Budget: 200}})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	g.until("the client has joined", func() bool { k, ok := g.server.Knowledge(c.ID(), 1); return ok && k.OverBudget && !k.Joining })
	var came []ecs.Entity
	for n := range 64 {
		came = append(came, g.server.World().Spawn(place{X: float32(n)}, tint{uint8(n)}))
	}
	waited := 0
	for range 3 * 60 {
		g.step()
		if _, there := c.World().ByNetID(g.server.World().NetID(came[63])); !there {
			waited++
		}
		if err := Difference(g.server, c); err != nil {
			t.Fatal(err)
		}
	}
	if waited < 6 || waited > 120 {
		t.Errorf("the last newcomer was told of after %d ticks", waited)
	}
}
