package travel

import (
	"fmt"
	"reflect"
	"time"
)

const (
	// followInterval is the average minimum time between two tickets that a client follows, and followBurst the
	// maximum at once. Rooms that send a client back and forth therefore cannot keep it busy with handshakes.
	followInterval = time.Second
	followBurst    = 8
)

// Journey assembles tickets and limits how often the client follows them. The zero value is ready to use.
type Journey struct {
	bytes []byte // bytes of the received parts
	parts int    // number of received parts
	total int    // number of parts of the ticket

	spent time.Duration // used part of followBurst times followInterval
	at    time.Time     // time of spent
}

// AddPart adds a part, numbered from 0. It returns the ticket after the last part, otherwise nil. Parts arrive in
// order; part 0 starts over.
func (j *Journey) AddPart(part, parts int, b string) (*Ticket, error) {
	if part == 0 {
		j.bytes, j.parts, j.total = j.bytes[:0], 0, parts
	}
	if part != j.parts || parts != j.total || parts > maxParts || len(b) == 0 || len(b) > MaxPart {
		j.parts, j.total = 0, 0
		return nil, fmt.Errorf("%w: part %d of %d, with %d bytes", ErrTicket, part, parts, len(b))
	}
	j.bytes = append(j.bytes, b...)
	if j.parts++; j.parts < j.total {
		return nil, nil
	}
	j.parts, j.total = 0, 0
	return ParseTicket(j.bytes)
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
