// Package printed lets tests read what a program prints, while it still runs, and look for what must not be in it.
//
//   - Give a [Text] to the program as its output.
//   - Wait for something in it: [Text.Find], [Text.Until].
//   - See that keys are in nothing that is printed, logged or encoded: [Secrets].
package printed
