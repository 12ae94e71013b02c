//go:build !unix

// Package sendto is empty on this system: see its unix form.
package sendto
