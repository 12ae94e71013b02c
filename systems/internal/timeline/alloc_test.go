package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// deaf is a listener without ears.
type deaf struct{}

func (deaf) Rewind(uint32) {}
func (deaf) Start(uint32)  {}
func (deaf) Done()         {}
func (deaf) Settle(uint32) {}

// A tick with late inputs, passes, a moving horizon, spawned and despawned shots, and a player who joins and leaves, allocates
// nothing once memory has grown.
func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations differ under the race detector")
	}
	l := newTimeline(timeline.Config{Window: 20, Refill: 20}, deaf{})
	for p := range uint32(4) {
		testgame.Must(t, l.Join(p+1, 0, 0, ""))
	}
	inputs := make([][]int32, 9)
	for i := range inputs {
		inputs[i] = testgame.Words(steer{DX: int8(i%3) - 1, DY: int8(i/3) - 1, Fire: i == 4})
	}
	var presences []timeline.Presence
	var missing []uint32
	tick := func() {
		now := l.Next()
		for p := range uint32(4) {
			for late := p * 4; late < p*4+3; late++ { // some of it thrice
				if late <= now {
					l.Put(p+1, now-late, inputs[(now-late+p)%9])
				}
			}
		}
		switch now % 60 {
		case 20:
			testgame.Must(t, l.Join(9, now, now, ""))
		case 30:
			testgame.Must(t, l.Leave(9, now))
		}
		presences = l.AppendPresences(presences[:0])
		missing = l.AppendMissing(missing[:0])
		l.Held(4, l.Horizon())
		l.Step()
	}
	for range 600 {
		tick()
	}
	before := l.Stats().Resimulated
	if n := testing.AllocsPerRun(300, tick); n != 0 {
		t.Errorf("a tick allocates %v times", n)
	}
	if again := l.Stats().Resimulated - before; again < 12*300 || l.Horizon()+20 < l.Next() {
		t.Errorf("%d ticks simulated again, horizon %d of %d", again, l.Horizon(), l.Next())
	}
}

func TestLockstepAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations differ under the race detector")
	}
	l := newTimeline(timeline.Config{Wait: true})
	for p := range uint32(4) {
		testgame.Must(t, l.Join(p+1, 0, 0, ""))
	}
	in := testgame.Words(steer{DX: 1})
	tick := func() {
		l.Step()
		for p := range uint32(4) {
			l.Put(p+1, l.Next(), in)
		}
	}
	for range 200 {
		tick()
	}
	if n := testing.AllocsPerRun(200, tick); n != 0 {
		t.Errorf("a tick allocates %v times", n)
	}
	testgame.Equal(t, "next tick", l.Next(), 400)
}
