package campaign

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
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

func TestWatch(t *testing.T) {
	seed, err := strconv.Atoi(os.Getenv("SEED"))
	if err != nil {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("CLIENT"))
	gun, _ := strconv.Atoi(os.Getenv("GUN"))
	shot, _ := strconv.Atoi(os.Getenv("SHOT"))
	d := newDraw(t, uint64(seed))
	m := newMatch(t, d)
	was := ""
	say := func(name string, w *ecs.World, more string) {
		s := name
		for e, r := range ecs.All[struct {
			Owner  components.Owner `ecs:"optional"`
			Cannon cannon
			At     spot
		}](w) {
			if int(r.Cannon.Number) == gun {
				s += fmt.Sprintf(" gun at %v owner %d shots %d stun %d trace %x sim %v", r.At, r.Owner.Client, r.Cannon.Shots, r.Cannon.Stunned, r.Cannon.Trace, ecs.Has[components.Predicted](w, e))
			}
		}
		for e, r := range ecs.All[struct {
			Shell shell
			At    spot
			Owner components.Owner `ecs:"optional"`
		}](w) {
			if int(r.Shell.Gun) == gun && int(r.Shell.Shot) == shot {
				s += fmt.Sprintf(" SHELL %d id %d owner %d at %v left %d sim %v parked %v", r.Shell.Nth, w.NetID(e), r.Owner.Client, r.At, r.Shell.Left, ecs.Has[components.Predicted](w, e), w.Parked(e))
			}
		}
		if s != was {
			t.Logf("%s   %s", s, more)
		}
	}
	m.crowd.OnServerTick(func() { say(fmt.Sprintf("SERVER %d", m.crowd.Server.Tick()), m.crowd.Server.World(), "") })
	m.crowd.OnClientTick(func(k *systemstest.Client) {
		if k.N == n && k.Connected() {
			p := m.players[n]
			open := ""
			for _, o := range p.ledger.open {
				if int(o.Value.Gun) == gun && int(o.Value.Shot) == shot {
					open += fmt.Sprintf("%+v at %d;", o.Value, o.Tick)
				}
			}
			done := ""
			for d, tick := range p.ledger.committed {
				if int(d.Gun) == gun && int(d.Shot) == shot {
					done += fmt.Sprintf("%+v: %d;", d, p.ledger.ticks[d])
				}
				_ = tick
			}
			say(fmt.Sprintf("       client in %d conf %d(tick %d) srv %d", k.Input(), k.ConfirmedInput(), k.ConfirmedTick(), k.ServerTick()), k.World(), fmt.Sprintf("open %s done %s corr %d", open, done, k.Stats().Corrections))
		}
	})
	m.play()
}
