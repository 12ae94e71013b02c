package systems_test

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems"
)

// If snapshots do not hold all changes, entities near a player's own entities are sent more often than far ones, and bouncing
// balls half as often as other entities.
func ExampleByDistance() {
	config := systems.ServerConfig{
		Snapshots: systems.Snapshots{
			Budget: 1200,
			Priority: systems.Priorities(
				systems.ByDistance[components.Position](100),
				systems.ByComponent[components.Velocity](0.5),
			),
		},
	}
	fmt.Println(config.Validate())
	// Output: <nil>
}
