// Package keyfile reads and makes the secret that game servers and login
// services share, so that it need not stand on a command line.
//
//   - Read what a -key flag says: [Read].
//   - Make a new key in a file: [Generate].
package keyfile
