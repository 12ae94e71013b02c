// Package logging is what the packages of the framework log to: a [Logger], which a *slog.Logger is. They do not import
// log/slog themselves, because whoever does links encoding/json and log with it, which is an eighth of a megabyte that
// each player in a browser would fetch.
package logging
