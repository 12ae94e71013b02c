package logging

import "reflect"

// Logger takes messages with pairs of keys and values. *slog.Logger is one.
type Logger interface {
	// Debug is for who looks for something.
	Debug(msg string, args ...any)
	// Info is for what happens.
	Info(msg string, args ...any)
	// Warn is for what should not happen.
	Warn(msg string, args ...any)
	// Error is for what must not.
	Error(msg string, args ...any)
}

// Discard is a Logger that keeps nothing.
type Discard struct{}

// Debug implements [Logger].
func (Discard) Debug(string, ...any) {}

// Info implements [Logger].
func (Discard) Info(string, ...any) {}

// Warn implements [Logger].
func (Discard) Warn(string, ...any) {}

// Error implements [Logger].
func (Discard) Error(string, ...any) {}

// Given reports whether there is a logger: nil is none, and so is a nil pointer, as of a *slog.Logger that nobody set.
func Given(l Logger) bool {
	v := reflect.ValueOf(l)
	return v.IsValid() && !(v.Kind() == reflect.Pointer && v.IsNil())
}

// Or is l, or where there is none one that keeps nothing.
func Or(l Logger) Logger {
	if Given(l) {
		return l
	}
	return Discard{}
}
