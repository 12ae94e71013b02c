// Package printed lets tests read what a program prints while it still runs.
//
//   - Give a [Text] to the program as its output.
//   - Wait for something in it: [Text.Find], [Text.Until].
package printed
