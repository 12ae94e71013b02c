package reconcile

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// told makes the owner state after an input the newest one.
func told(own *mirror.Own, send, input uint32) {
	own.Newest = mirror.OwnState{Sent: mirror.Sent{Send: send, Tick: 3 * send}, Input: input, Fresh: true, Predicted: true}
}

// Owner state is compared once, whatever its input is.
func TestOwnStateIsLookedAtOnce(t *testing.T) {
	m := mirror.New(nil, 0, 0)
	x := &compared{mirror: &m.Own}
	told(&m.Own, 5, 40)
	if v := x.next(30); !v.fresh || v.input != 40 || v.exact {
		t.Errorf("news are %+v", v)
	}
	if v := x.next(31); v.fresh || v.input != 40 {
		t.Errorf("the same again is %+v", v)
	}
}

// Where inputs number ticks own state waits until its input is applied.
func TestOwnStateWaitsForItsInput(t *testing.T) {
	m := mirror.New(nil, 0, 0)
	x := &compared{mirror: &m.Own, waits: true}
	told(&m.Own, 5, 40)
	if v := x.next(39); v.fresh {
		t.Errorf("before its input is applied it is looked at: %+v", v)
	}
	if v := x.next(40); !v.fresh || v.own.Send != 5 {
		t.Errorf("once its input is applied it is %+v", v)
	}
	if v := x.next(41); v.fresh {
		t.Errorf("the same again is %+v", v)
	}
}
