package systems_test

import (
	"fmt"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// A netcode model is one line of the server's configuration.
func ExampleServerConfig_model() {
	config := systems.ServerConfig{Policies: policy.Rollback.Policies()}

	fmt.Println(config.Validate(), config.Policies.State, config.Policies.Correction)
	// Output: <nil> rewind inputs
}

// Or choices axis by axis, beginning with those of a preset.
func ExampleServerConfig_policies() {
	p := policy.LocalSync.Policies()
	p.Timing = policy.TimingArrival // inputs count in the tick in which they arrive
	p.Outcomes = policy.OutcomesPastHorizon

	fmt.Println(systems.ServerConfig{Policies: p}.Validate())

	p.Late = policy.LateRewrite // which only a server that rewinds can do
	fmt.Println(systems.ServerConfig{Policies: p}.Validate() != nil)
	// Output:
	// <nil>
	// true
}
