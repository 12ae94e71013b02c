package travel

import (
	"fmt"
	"reflect"
	"time"
)

const (
	// followEvery is how often a client follows its servers in the long run, and followBurst how often at once: rooms that
	// send it to and fro do not keep it busy with handshakes.
	followEvery = time.Second
	followBurst = 8
)

// Journey is what a client has heard of where to go on, and how often it went. The zero value has heard of nothing.
type Journey struct {
	bytes []byte // of the parts that have come
	parts int    // that have come
	whole int    // that there are

	spent time.Duration // of followBurst times followEvery
	at    time.Time     // when that was counted
}

// Take takes in a part, by its number from 0. It returns the ticket that the last part completes, else nil. Parts come in
// their order; the first one begins anew.
func (j *Journey) Take(part, parts int, b string) (*Ticket, error) {
	if part == 0 {
		j.bytes, j.parts, j.whole = j.bytes[:0], 0, parts
	}
	if part != j.parts || parts != j.whole || parts > maxParts || len(b) == 0 || len(b) > MaxPart {
		j.parts, j.whole = 0, 0
		return nil, fmt.Errorf("%w: part %d of %d, with %d bytes", ErrTicket, part, parts, len(b))
	}
	j.bytes = append(j.bytes, b...)
	if j.parts++; j.parts < j.whole {
		return nil, nil
	}
	j.parts, j.whole = 0, 0
	return ParseTicket(j.bytes)
}

// Follow reports whether the client may follow at a time, and counts that it does.
func (j *Journey) Follow(now time.Time) bool {
	if !j.at.IsZero() {
		j.spent = max(j.spent-max(now.Sub(j.at), 0), 0)
	}
	j.at = now
	if j.spent+followEvery > followBurst*followEvery {
		return false
	}
	j.spent += followEvery
	return true
}

// Sum adds to each uint64 field of a struct that of another one.
func Sum[T any](to *T, more T) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(&more).Elem()
	for i := range a.NumField() {
		if f := a.Field(i); f.Kind() == reflect.Uint64 {
			f.SetUint(f.Uint() + b.Field(i).Uint())
		}
	}
}
