// Package order sorts by numeric keys. All types share one sort, because each instance of a generic
// sort adds 20 KB to a browser program.
//
//   - Sort numbered items: [Sort].
//   - Sort a slice by a number of its elements: [By].
package order
