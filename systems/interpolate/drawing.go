package interpolate

// Drawing says how the newest frame drew an entity.
type Drawing struct {
	// Simulated says that it was drawn as this client simulates it, and not by what is
	// confirmed of it.
	Simulated bool
	// From and To are the ticks of the confirmed states that it was drawn between; To is
	// 0 where nothing later was there. Both are 0 for what is simulated, and where others
	// are damped.
	From, To uint32
	// Error is what is left of the visual error, in units of the component in which it is
	// largest, of angles in radians.
	Error float64
}
