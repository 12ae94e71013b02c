package campaign

import (
	"os"
	"strconv"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestDebug(t *testing.T) {
	seed, err := strconv.Atoi(os.Getenv("SEED"))
	if err != nil {
		t.Skip()
	}
	d := newDraw(t, uint64(seed))
	m := newMatch(t, d)
	t.Cleanup(func() {
		t.Log(d)
		for _, k := range m.players {
			s, ok := m.session(k)
			var sp, de int
			if k.World() != nil {
				sp, de = k.World().Foretold()
			}
			t.Logf("%v gone %v err %v conn %v session %v lastinput %d input %d confirmed %d  foretold %d %d joined tick %d of %d stats %+v", k, k.gone, k.Err(), k.Connected(), ok, s.LastInput, k.Input(), k.ConfirmedInput(), sp, de, k.ServerTick(), m.crowd.Server.Tick(), 0)
			for e, r := range ecs.All[struct{ Owner components.Owner }](m.crowd.Server.World()) {
				if r.Owner.Client == k.ID() {
					t.Logf("   owns %d mask %#x", m.crowd.Server.World().NetID(e), m.crowd.Server.World().Mask(e))
				}
			}
		}
	})
	m.play()
	m.end()
}
