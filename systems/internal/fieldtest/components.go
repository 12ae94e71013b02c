package fieldtest

// Hand is an owner-only component: what a player holds.
type Hand struct {
	Cards uint32 `net:"raw"`
}

// Patient has a predicted position and fields that only the server decides.
type Patient struct {
	X      float32 `net:"-4096..4096 step 0.01"`
	Health int16   `net:"0..1000 server"`
	Ammo   int16   `net:"0..1000 server"`
	Heat   float32 `net:"0..1000 step 0.5 server"`
	Marked bool    `net:"server"`
}
