package systems_test

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems"
)

// Where not all fits, what is near a player's own entities is told more often than what is far, and what bounces about
// by itself half as often as the rest.
func ExampleByDistance() {
	config := systems.ServerConfig{
		Snapshots: systems.Snapshots{
			Budget: 1200,
			Priorities: []systems.Priority{
				systems.ByDistance[components.Position]{Full: 100, Half: 300, Quarter: 1000},
				systems.ByComponent[components.Velocity](0.5),
			},
		},
	}
	fmt.Println(config.Validate())
	// Output: <nil>
}
