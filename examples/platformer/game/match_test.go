package game

import (
	"context"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// Bots on their tours, through a terrible link, are never corrected, hear of each coin once, and
// agree with the server in the end. The rules do the same twice in any storage order.
func TestMatch(t *testing.T) {
	r, err := runner.Headless(context.Background(), World(), "-virtual", "-force-rollback", "-clients", "3",
		"-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05", "-duration", "45s")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Divergences > 0 || r.Client.Corrections > 0 {
		t.Errorf("differs %q, %d systems diverge, %d corrections of %v", r.Difference, r.Divergences, r.Client.Corrections, r.Causes)
	}
	p := r.World.(Proof)
	if p.Jumps == 0 || p.Rides == 0 || p.Coins == 0 {
		t.Errorf("%+v: too little to prove anything", p)
	}
	if p.Heard != 3*p.Coins {
		t.Errorf("3 players heard %d chimes of %d coins", p.Heard, p.Coins)
	}
}
