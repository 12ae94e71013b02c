package systems_test

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// One field of the server's configuration selects the netcode model.
func ExampleServerConfig_model() {
	config := systems.ServerConfig{Model: policy.Rollback{}}

	fmt.Println(config.Validate(), config.Model)
	// Output: <nil> Rollback
}

// Each model has its own options.
func ExampleServerConfig_options() {
	config := systems.ServerConfig{Model: policy.LocalSync{
		Arrival:         true, // inputs count in the tick in which they arrive
		PredictOutcomes: true,
	}}
	fmt.Println(config.Validate())

	config.Model = policy.Lockstep{Stall: 2 * time.Minute}
	fmt.Println(config.Validate())
	// Output:
	// <nil>
	// systems: configuration: Model Lockstep: policy: invalid model: Stall 2m0s is not between 0 and 1m0s (0: 1s)
}
