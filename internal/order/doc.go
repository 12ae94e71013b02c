// Package order sorts by numbers. It is one sort for all types, as each instance of a generic
// one is 20 KB of a program for browsers.
//
//   - Sort numbered places: [Sort].
//   - Sort a slice of anything by a number of its elements: [By].
package order
