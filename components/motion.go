package components

// Position is a place in the plane, in world units.
type Position struct {
	X float32 `net:"-8192..8192 step 0.01"`
	Y float32 `net:"-8192..8192 step 0.01"`
}

// Velocity is a speed in the plane, in world units per second.
type Velocity struct {
	X float32 `net:"-1024..1024 step 0.01"`
	Y float32 `net:"-1024..1024 step 0.01"`
}

// Heading is a direction as a binary angle: a full turn is 65536, 0 points along +X and 16384 along +Y. Integer overflow
// wraps it correctly.
type Heading struct {
	Angle uint16 `net:"0..65535 step 1 angle"`
}

// Health is the number of hit points of an entity.
type Health struct {
	Points uint8 `net:"0..255"`
}

// Teleports counts the jumps of an entity, such as a respawn or a portal. If the count differs between two states, the
// client does not interpolate between them and discards the visual error of corrections. Simulate increments the count in
// the tick of the jump; it wraps. Register it with the same mode as the position of the entity, for example ecs.Predicted.
type Teleports struct {
	Count uint8 `net:"0..255"`
}
