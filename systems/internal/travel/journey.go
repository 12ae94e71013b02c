package travel

import (
	"reflect"
	"time"
)

const (
	// followInterval is the average minimum time between two tickets that a client follows, and followBurst the
	// maximum at once. Rooms that send a client back and forth therefore cannot keep it busy with handshakes.
	followInterval = time.Second
	followBurst    = 8
)

// Journey limits how often a client follows tickets. The zero value is ready to use.
type Journey struct {
	spent time.Duration // used part of followBurst times followInterval
	at    time.Time     // time of spent
}

// Allow reports whether the client may follow a ticket now, and counts it.
func (j *Journey) Allow(now time.Time) bool {
	if !j.at.IsZero() {
		j.spent = max(j.spent-max(now.Sub(j.at), 0), 0)
	}
	j.at = now
	if j.spent+followInterval > followBurst*followInterval {
		return false
	}
	j.spent += followInterval
	return true
}

// Sum adds the uint64 fields of more to those of to.
func Sum[T any](to *T, more T) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(&more).Elem()
	for i := range a.NumField() {
		if f := a.Field(i); f.Kind() == reflect.Uint64 {
			f.SetUint(f.Uint() + b.Field(i).Uint())
		}
	}
}
