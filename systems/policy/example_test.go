package policy_test

import (
	"fmt"

	"github.com/tactusgo/tactus/systems/policy"
)

// Begin with a preset and change what this game wants otherwise. What does not go
// together is refused with the reason.
func Example() {
	p := policy.LocalSync.Policies()
	p.Remotes = policy.RemotesCoSimulated // players push each other
	fmt.Println(p)
	fmt.Println(p.Validate())

	p.State = policy.StateRewind
	fmt.Println(p.Validate())
	// Output:
	// input timing buffered, late input drop, missing input repeat, server state forward, correction state, remotes co-simulated, outcomes at once, tolerance fields, horizon players
	// <nil>
	// policy: invalid model: late input drop contradicts server state rewind: only a late input makes the server rewind, and late inputs are dropped; choose late input rewrite
}
