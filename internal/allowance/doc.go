// Package allowance limits rates: [Rate] of one source of events, [Limiter] by a key, such as an address or a player. Use
// internal/hostname to obtain addresses as keys.
package allowance
