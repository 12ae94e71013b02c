package ecs_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// pastRow has an optional component and one that is only asked for.
type pastRow struct {
	Place place
	Cool  cooldown `ecs:"optional"`
	_     ecs.With[speed]
}

// reads checks that a captured state reads as the world was then.
func (c *chronicle) reads(t *testing.T, h *ecs.WorldHistory, tick uint32, m *model) {
	t.Helper()
	p, err := h.At(tick)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	has := func(k known, c *ecs.Component) bool { return k.mask&maskOf(c) != 0 }
	placeC, speedC := ecs.ComponentOf[place](c.w.Protocol()), ecs.ComponentOf[speed](c.w.Protocol())
	for e := range c.seen {
		k := m.alive[e]
		speed, quick := ecs.GetAt[speed](p, e)
		place, placed := ecs.GetAt[place](p, e)
		if quick != has(k, speedC) || placed != has(k, placeC) || speed != k.rest.speed || place != k.rest.place {
			t.Fatalf("tick %d: %v was %v (%t) with %v (%t), want %+v", tick, e, place, placed, speed, quick, k)
		}
		if quick && placed {
			want++
		}
	}
	rows := 0
	for e, row := range ecs.AllAt[pastRow](p) {
		rows++
		k := m.alive[e]
		found, _ := p.ByNetID(k.id)
		if row.Place != k.rest.place || row.Cool != k.rest.cool || p.NetID(e) != k.id || found != e {
			t.Fatalf("tick %d: %v reads %+v, NetID %d of %v, want %+v", tick, e, row, p.NetID(e), found, k)
		}
	}
	equal(t, "rows", rows, want)
}

// takeOver gives a world the state of another's history.
func (c *chronicle) takeOver(t *testing.T, h *ecs.WorldHistory, tick uint32) {
	t.Helper()
	b, err := h.AppendState(nil, tick)
	if err == nil {
		err = c.w.Netcode().ReadState(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Hundreds of ticks of random play with random restores, back and forth, compared with deep copies. Ticks that are repeated
// unchanged have the same result to the last handle and NetID, in any storage order. Ticks that are repeated otherwise do not
// damage the captures of the undone ticks. Captures read as the world was. A second world gets the state of a tick, whatever
// it held before, and continues like the first, with a history of its own.
//
//	TACTUS_SEEDS=1000 go test ./ecs -run 'TestWorldHistoryCampaign$' -timeout 30m
func TestWorldHistoryCampaign(t *testing.T) {
	seeds, ticks := 3, uint32(300)
	if testing.Short() || race.Enabled {
		seeds, ticks = 2, 150
	}
	if n, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("repeat it alone: TACTUS_SEEDS=%d go test ./ecs -run '^%s$'", seed+1, strings.Replace(t.Name(), "/", "$/^", 1))
				}
			})
			again := backAndForth(t, uint64(seed), ticks)
			if again < 20 && ticks == 300 {
				t.Errorf("only %d ticks were played again", again)
			}
		})
	}
}

// backAndForth plays a world, and returns how many ticks were played again.
func backAndForth(t *testing.T, seed uint64, ticks uint32) (again int) {
	const ring = 16
	c, twin := newChronicle(seed), newChronicle(seed)
	for tick := range uint32(50) {
		twin.play(seed+5, tick) // to be gone
	}
	twin.seen, twin.ids = c.seen, c.ids
	h, twins := ecs.NewWorldHistory(c.w, ring), ecs.NewWorldHistory(twin.w, ring)
	models := map[uint32]*model{}
	r := ecs.NewRand(seed, 1<<40)
	tick, newest, course, from := uint32(0), uint32(0), seed, (*model)(nil)
	for newest < ticks {
		was := models[tick]
		if was != nil && was.from == from && was.course == course {
			again++
			c.equals(t, was)
		} else {
			was = c.model()
			was.from, was.course = from, course
			models[tick] = was
		}
		h.Capture(tick)
		from, newest = was, max(newest, tick)
		back := tick - min(tick, uint32(r.IntN(ring)))
		if h.Has(back) {
			c.reads(t, h, back, models[back])
		}
		if tick%37 == 0 && h.Has(back) {
			twin.takeOver(t, h, back)
			twin.equals(t, models[back])
			twin.takeOver(t, h, tick)
			if d, differs := ecs.Differs(c.w, twin.w); differs {
				t.Fatal(d)
			}
		}
		if tick%4 == 0 {
			twin.equals(t, was)
		}
		twins.Capture(tick)
		if r.IntN(5) == 0 {
			c.w.Shuffle(uint64(r.IntN(1000)))
		}
		c.play(course, tick)
		twin.play(course, tick)
		tick++
		for r.IntN(16) == 0 {
			tick = newest - min(newest, uint32(r.IntN(ring)))
			for _, h := range []*ecs.WorldHistory{h, twins} {
				if err := h.Restore(tick); err != nil {
					t.Fatal(err)
				}
				if d, differs, err := h.Differs(tick); differs || err != nil {
					t.Fatalf("after the restore: %v, %v", d, err)
				}
			}
			from = models[tick]
			c.equals(t, from)
			twin.equals(t, from)
			from, course = from.from, from.course
			if r.IntN(3) == 0 {
				course += 1000 // from this tick on
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, tick %d", seed, tick)
		}
	}
	return again
}
