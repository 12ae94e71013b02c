// Package allowance limits how often anybody does something, by a key such as an address or a player: [New], [Limiter.Take].
// Keys such as addresses are those of internal/hostname.
package allowance
