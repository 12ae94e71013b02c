package systems

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// What is another on the client than on the server is named, and nothing is where all is equal.
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
