package swarm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A swarm that could not keep up says so and what to do, because its results are not valid.
func TestTheLoadMachineMayBeTheLimit(t *testing.T) {
	c := Config{}.filled()
	for want, r := range map[string]Report{
		"":                                {Machine: Machine{Busy: 0.79, LateSteps: 0.019}},
		"busy for 81 % of its time":       {Machine: Machine{Busy: 0.81}},
		"2.5 % of the steps came late":    {Machine: Machine{LateSteps: 0.025}},
		"lost 7 datagrams on arrival":     {Machine: Machine{Dropped: 7}},
		"busy for 90 % of its time; give": {Machine: Machine{Busy: 0.9, LateSteps: 1, Dropped: 1}},
	} {
		if r.judge(&c); !strings.Contains(r.Limit, want) || want == "" && r.Limit != "" {
			t.Errorf("%q, want %q", r.Limit, want)
		}
		var out bytes.Buffer
		if err := r.Print(&out); err != nil || strings.Contains(out.String(), "LIMIT") != (want != "") {
			t.Errorf("%v: %s", err, &out)
		}
	}
}

// The load is the share of time between steps' begins and ends; late steps are those that began 4 ms late.
func TestLoad(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	var l load
	l.reset(start)
	l.step(at(0), at(0), at(10))
	l.step(at(20), at(24), at(30))
	l.step(at(30), at(35), at(40))
	if l.share(at(42)) != 0.5 || l.steps != 3 || l.late != 1 || l.worst != 5*time.Millisecond {
		t.Errorf("%v busy, %+v", l.share(at(42)), l)
	}
	if l.share(start) != 0 {
		t.Error("busy before it began")
	}
}

// The number of different reasons is bounded, whatever the errors are.
func TestReasonsAreFew(t *testing.T) {
	a := attendance{Reasons: make(map[string]int)}
	for i := range 1000 {
		a.refuse(fmt.Errorf("from port %d", i))
	}
	if len(a.Reasons) != mostReasons+1 || a.Reasons["other reasons"] != 1000-mostReasons || a.Refused != 1000 || a.cause.Error() != "from port 0" {
		t.Errorf("%d reasons, %v", len(a.Reasons), a)
	}
	if first := sorted(a.Reasons)[0]; first != "other reasons" {
		t.Errorf("%q is the most frequent", first)
	}
}
