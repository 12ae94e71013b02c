package policy_test

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/policy"
)

// Choose a model and its options. Options of other models do not exist, and a value that is not allowed is refused.
func Example() {
	var m policy.Model = policy.Lockstep{Stall: 300 * time.Millisecond}
	fmt.Println(m, m.Validate())

	m = policy.ServerRewind{Window: time.Minute}
	fmt.Println(m, m.Validate())
	fmt.Println(policy.TraitsOf(m).Rewinds)
	// Output:
	// Lockstep <nil>
	// ServerRewind policy: invalid model: Window 1m0s is not whole milliseconds up to 10s (0: 1s)
	// true
}
