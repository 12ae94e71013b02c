package report

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A correction is open from the start until a result agrees, and opens again when a result differs. A new client with a reused
// number starts from the beginning.
func TestCorrectionsOpenAndClose(t *testing.T) {
	p := testgame.Plaza()
	w := ecs.NewWorld(p, ecs.Config{})
	e := w.Spawn(components.Owner{Client: 1}, place{X: 3}, shots{}, push{})
	j, coder := NewJudge(w), NewCoder(p)
	c := j.Join(1)
	header := func() (h wire.SnapshotHeader) {
		c.Header(&h)
		return h
	}
	input := uint32(0)
	report := func(agrees bool, echo uint8) {
		t.Helper()
		input++
		was := *ecs.Get[place](w, e)
		if !agrees {
			ecs.Get[place](w, e).X += 5
		}
		m := wire.Report{Echo: echo}
		coder.List(w, 1)
		if !coder.Write(w, &m) {
			t.Fatal("too long")
		}
		*ecs.Get[place](w, e) = was
		c.Receive(uint16(input), input, &m)
		j.List()
		j.Compare(c, input, true)
	}
	if h := header(); !h.Open || h.Agreed || !c.Correcting() || c.Emptied() || c.Parts(7) != 7 {
		t.Fatalf("who joins begins with %+v", h)
	}
	report(true, 0)
	if h := header(); h.Open || !h.Agreed || c.Correcting() || c.Parts(7) != j.secrets {
		t.Fatalf("after a result that agrees %+v, parts %#x of %#x", h, c.Parts(7), j.secrets)
	}
	report(false, 0)
	if h := header(); !h.Open || h.Agreed || h.Number != 1 || !c.Emptied() {
		t.Fatalf("after one that does not %+v", h)
	}
	report(true, 0) // from before the correction was carried out
	if h := header(); !h.Open || h.Number != 1 {
		t.Fatalf("after one that does not know of the correction %+v", h)
	}
	report(true, 1)
	if h := header(); h.Open || !h.Agreed {
		t.Fatalf("after one that does %+v", h)
	}
	input++
	if j.Compare(c, input, true); header().Agreed {
		t.Error("it agrees without a result")
	}
	if st := j.Stats(); st != (Stats{Agreed: 3, Differed: 1, Corrections: 1, OpenTicks: 3}) {
		t.Errorf("%+v", st)
	}
	j.Leave(1)
	if j.List(); len(j.clients) != 0 {
		t.Error("who left is still judged")
	}
	if c = j.Join(1); !header().Open || header().Number != 0 || c.Emptied() {
		t.Errorf("who comes back begins with %+v", header())
	}
	var nobody *Client
	nobody.Receive(1, 1, &wire.Report{})
	nobody.Header(&wire.SnapshotHeader{})
	if nobody.Correcting() || nobody.Emptied() || nobody.Parts(7) != 7 {
		t.Error("who reports nothing is told of less than all")
	}
	if tells, _ := j.Tells(nil, 1, nil); !tells {
		t.Error("who reports nothing is not told")
	}
}
