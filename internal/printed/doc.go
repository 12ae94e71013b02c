// Package printed lets tests read the output of a running program and check that it contains no secrets.
//
//   - Pass a [Text] to the program as its output.
//   - Wait for a text: [Text.Find], [Text.Until].
//   - Check that keys do not appear in printed, logged or encoded values: [Secrets].
package printed
