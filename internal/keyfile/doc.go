// Package keyfile reads and creates the secret that game servers and login services share, so that it need not appear on a
// command line.
//
//   - Read the value of a -key flag: [Read].
//   - Create a key in a file: [Generate].
package keyfile
