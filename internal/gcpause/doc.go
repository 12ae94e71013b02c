// Package gcpause tells how long garbage collection stopped the process at once: [Watch].
package gcpause
