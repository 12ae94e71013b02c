// Package fleettest tests your own fleet.Directory: [Directory].
package fleettest
