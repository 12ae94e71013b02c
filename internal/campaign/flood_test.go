package campaign

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Where more is to be told than fits, over links that lose more than half, nobody has at any time
// a state that never was, or that he may not have, and in the end everybody has the server's world.
// A thousand matches:
//
//	TACTUS_SEEDS=1000 go test ./internal/campaign -run 'TestSnapshotCampaign$' -timeout 2h
func TestSnapshotCampaign(t *testing.T) {
	t.Parallel()
	matches, compared := 0, 0
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		compared += fight(t, newFlood(t, seed)).past.compared
		matches++
	})
	if matches > 1 && compared < 10_000 { // in one alone there may be nobody
		t.Errorf("%d states were compared in %d matches", compared, matches)
	}
}

// A client has joined when all of what it joins with has arrived, and not before.
func TestJoiningWhileMuchIsLost(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{7, 8} {
		fight(t, newFlood(t, seed))
	}
}

// newFlood draws a match of snapshots: of a larger world, told in fewer bytes, over worse links. The
// numbers of its sends may begin anew.
func newFlood(t *testing.T, seed uint64) *draw {
	d := newDraw(t, (1+seed)*uint64(len(policy.Presets())), "axes", "scope", "assume", "thin", "rate", "frames")
	r := d.stream("flood")
	s := &d.server
	d.frames = 10
	d.play, s.Timeout = time.Duration(5+r.IntN(5))*time.Second, time.Minute
	s.Policies.Timing = policy.InputTiming(r.IntN(2))
	d.loss, d.late, d.storm, d.dead, d.flood = 0.6, 0.2, 0.4, true, true
	d.most = pick(r, 20, 70, 150, 400)
	d.budgets = pick(r, []int{0}, []int{200}, []int{600, 200, 1000}, []int{200, 230, 300, 400})
	switch {
	case seed%2 == 0 && r.IntN(3) > 0:
		d.secret, d.flicker = pick[uint32](r, 2, 5, 30), pick(r, 0, 12, 240.0)
	case seed%2 == 1: // joining takes long, while much is hidden and shown
		d.most, d.budgets, d.secret, d.flicker = 400, []int{pick(r, 200, 300)}, 30, 240
	}
	d.sight()
	s.Budget = d.budgets[0]
	if r.IntN(3) == 0 {
		sends := uint32(s.TickRate / 20)
		if s.SendRate > 0 {
			sends = uint32(s.TickRate / s.SendRate)
		}
		s.FirstTick = (1<<16 - uint32(20+r.IntN(100))) * sends
	}
	d.calm = s.FirstTick + uint32(d.play/time.Second)*uint32(s.TickRate)
	d.features = append(d.features, fmt.Sprintf("flood=%d,%v,%v,%d", d.most, d.play, d.budgets, s.FirstTick))
	if err := s.Validate(); err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	return d
}

// crate tumbles in space.
type crate struct {
	X, Y, Z float32
	Turn    [4]float32
	Rise    float32
	On      components.NetID
}

// crateFields are the tags of a crate.
var crateFields = map[string]string{
	"X": "-256..256 step 0.01 axis x", "Y": "-256..256 step 0.01 axis y", "Z": "-256..256 step 0.01 axis z",
	"Turn": "quat 9", "Rise": "-60..60 step 0.01 rate z", "On": "ref parent",
}

// tumble moves crates.
func (d *draw) tumble(w *ecs.World) {
	if w.Tick() >= d.calm {
		return
	}
	sin, cos := math.Sincos(float64(w.Tick()) / 16)
	for _, r := range ecs.Each[struct{ Crate *crate }](w) {
		c := r.Crate
		c.Rise = float32(sin) * 60
		c.X, c.Z = float32(cos)*250, min(max(c.Z+float32(sin), -250), 250)
		c.Turn = [4]float32{float32(cos), float32(sin)}
	}
}
