package logging

import "reflect"

// Logger logs messages with pairs of keys and values. *slog.Logger implements it.
type Logger interface {
	// Debug logs details for debugging.
	Debug(msg string, args ...any)
	// Info logs normal events.
	Info(msg string, args ...any)
	// Warn logs unexpected events.
	Warn(msg string, args ...any)
	// Error logs failures.
	Error(msg string, args ...any)
}

// Discard is a Logger that discards everything.
type Discard struct{}

// Debug implements [Logger].
func (Discard) Debug(string, ...any) {}

// Info implements [Logger].
func (Discard) Info(string, ...any) {}

// Warn implements [Logger].
func (Discard) Warn(string, ...any) {}

// Error implements [Logger].
func (Discard) Error(string, ...any) {}

// Given reports whether l is a logger. It returns false for nil and for a nil pointer, such as an unset *slog.Logger.
func Given(l Logger) bool {
	v := reflect.ValueOf(l)
	return v.IsValid() && !(v.Kind() == reflect.Pointer && v.IsNil())
}

// Or returns l, or a Logger that discards everything if l is nil or a nil pointer.
func Or(l Logger) Logger {
	if Given(l) {
		return l
	}
	return Discard{}
}
