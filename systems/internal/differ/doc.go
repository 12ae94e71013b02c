// Package differ compares the world of a client with what the server had, as far as the client was
// told of it. It stands above the rooms of both ends, reads them and writes nothing. Tests and tools
// ask it through systems.Difference.
//
//   - What of a slot is compared, by what the client was told and what it may see: ends.go.
//   - How what is predicted is compared: package reconcile, OwnDiffers and OtherDiffers.
package differ
