package campaign

import (
	"os"
	"strconv"
	"testing"
	"time"

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

func TestCost(t *testing.T) {
	seed, err := strconv.Atoi(os.Getenv("SEED"))
	if err != nil {
		t.Skip()
	}
	d := newDraw(t, uint64(seed))
	m := newMatch(t, d)
	m.play()
	m.hush()
	for range 20 {
		a := m.crowd.Server.Stats()
		m.crowd.Run(time.Second)
		b := m.crowd.Server.Stats()
		n := int(b.Updates - a.Updates)
		t.Logf("%d clients %d updates, per update: %d bytes, headers %d own %d; blocks raw %d zstd %d range %d; wire %d; %v", len(m.there()), n, int(b.Snapshots.Bytes-a.Snapshots.Bytes)/n, int(b.Snapshots.Headers-a.Snapshots.Headers)/n,
			int(b.Snapshots.Own-a.Snapshots.Own)/n, (b.Snapshots.Raw.Blocks-a.Snapshots.Raw.Blocks)/uint64(n), (b.Snapshots.Zstd.Blocks-a.Snapshots.Zstd.Blocks)/uint64(n), (b.Snapshots.Range.Blocks-a.Snapshots.Range.Blocks)/uint64(n), int(b.BytesOut-a.BytesOut)/n, m.wrong())
	}
}
