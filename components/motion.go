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

// Heading is a direction as a binary angle: 65536 to the full turn, 0 along +X,
// 16384 along +Y. Arithmetic on it wraps the way angles do.
type Heading struct {
	Angle uint16 `net:"0..65535 step 1 angle"`
}

// Health is what an entity has left to lose, in points.
type Health struct {
	Points uint8 `net:"0..255"`
}

// Teleports counts how often an entity jumped: a respawn, a portal. Where it differs
// between two states nothing that is drawn slides from the one to the other, and no
// visual error of a correction is left. Simulate raises it in the tick of the jump; it
// wraps. Register it like the place it speaks of, ecs.Predicted where that is.
type Teleports struct {
	Count uint8 `net:"0..255"`
}
