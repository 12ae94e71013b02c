package interpolate

// Drawing describes how the newest frame drew an entity.
type Drawing struct {
	// Simulated reports that the entity was drawn as this client simulates it, not from confirmed states.
	Simulated bool
	// From and To are the ticks of the confirmed states between which the entity was drawn. To is 0 if there was no
	// later state. Both are 0 for simulated and damped entities.
	From, To uint32
	// Error is the remaining visual error, in units of the component in which it is largest, for angles in radians. Of a
	// damped entity it is the distance to its newest state.
	Error float64
}
