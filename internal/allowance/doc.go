// Package allowance limits the rate of actions by a key, such as an address or a player: [New], [Limiter.Take]. Use
// internal/hostname to obtain addresses as keys.
package allowance
