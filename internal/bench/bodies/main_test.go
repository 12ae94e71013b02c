package main

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/bodies/scene"
)

// On a link with losses the client's state is within the precision, every byte belongs to a part, and the same seed gives the
// same bytes.
func TestReceivedWithinPrecision(t *testing.T) {
	o := options{bodies: 60, seconds: 5, seed: 1}
	x, err := measure(o, 50*time.Millisecond, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if x.Position.Max == 0 || x.Position.Max > precision/2+1e-4 || x.Rotation.Max == 0 {
		t.Errorf("errors of positions %+v, of rotations %+v", x.Position, x.Rotation)
	}
	sum := 0.0
	for _, p := range x.Parts {
		sum += p.Rate
	}
	if x.Datagrams < scene.SendRate-1 || math.Abs(sum-x.Down) > 1e-6 {
		t.Errorf("the parts are %v of %v kB/s, in %v datagrams", sum, x.Down, x.Datagrams)
	}
	again, err := measure(o, 50*time.Millisecond, 0.05)
	if err != nil || !reflect.DeepEqual(x, again) {
		t.Errorf("%v: %+v, and %+v again", err, x, again)
	}
	o.seed = 2
	if other, err := measure(o, 50*time.Millisecond, 0.05); err != nil || other.Down == x.Down {
		t.Errorf("%v: another seed gives the same %v kB/s", err, other.Down)
	}
}

func TestPrints(t *testing.T) {
	for _, args := range [][]string{{"-bodies", "20", "-seconds", "1"}, {"-bodies", "20", "-seconds", "1", "-json"}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &errs)
		}
		var r report
		switch err := json.Unmarshal(out.Bytes(), &r); {
		case len(args) == 4 && !bytes.Contains(out.Bytes(), []byte("kB/s Turn.Q")):
			t.Errorf("table:\n%s", &out)
		case len(args) == 5 && (err != nil || len(r.Rows) != 6 || r.Rows[5].RTT != 50 || r.Rows[5].Loss != 0.05):
			t.Errorf("%v: %s", err, &out)
		}
	}
}

func TestFlags(t *testing.T) {
	for arg, want := range map[string]int{"-h": 0, "-bodies=0": 2, "-seconds=0": 2, "-speed": 2, "more": 2} {
		var out, errs bytes.Buffer
		if code := run([]string{arg}, &out, &errs); code != want || errs.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d: %s", arg, code, want, &errs)
		}
	}
}
