// Package logging defines the [Logger] interface of the framework, which *slog.Logger implements. The framework does
// not import log/slog itself, because this links encoding/json and log: an eighth of a megabyte for each player in a
// browser.
package logging
