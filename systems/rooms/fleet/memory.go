package fleet

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/fleet/internal/watch"
)

// Memory is a [Directory] in memory, for several servers in one process or one test.
type Memory struct {
	now func() time.Time

	mu       sync.Mutex
	records  map[string]*memoryRecord
	soonest  time.Time // no lease ends earlier; zero: no leases
	revision uint64
	watchers watch.Hub[Record]
	handlers map[string]*func(ctx context.Context, request []byte) []byte // by address
}

// memoryRecord is a record with its lease.
type memoryRecord struct {
	Record
	until time.Time // zero: forever
}

var _ Directory = (*Memory)(nil)

// NewMemory returns an empty directory. now is the clock of leases; nil means time.Now. Every call removes expired leases
// first.
func NewMemory(now func() time.Time) *Memory {
	if now == nil {
		now = time.Now
	}
	return &Memory{now: now, records: make(map[string]*memoryRecord), handlers: make(map[string]*func(context.Context, []byte) []byte)}
}

// Load implements [Directory].
func (m *Memory) Load(_ context.Context, key string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	if r := m.records[key]; r != nil {
		return r.Record, nil
	}
	return Record{}, ErrAbsent
}

// Save implements [Directory].
func (m *Memory) Save(_ context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	if err := CheckRecord(key, value); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	if m.revisionAt(key) != revision {
		return 0, ErrConflict
	}
	m.revision++
	r := &memoryRecord{Record: Record{Key: key, Value: bytes.Clone(value), Revision: m.revision}}
	if lease > 0 {
		r.until = m.now().Add(lease)
		m.noteExpiry(r.until)
	}
	m.records[key] = r
	m.watchers.Publish(key, r.Record)
	return m.revision, nil
}

// Remove implements [Directory].
func (m *Memory) Remove(_ context.Context, key string, revision uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	switch m.revisionAt(key) {
	case 0:
		return nil
	case revision:
		m.remove(key)
		return nil
	}
	return ErrConflict
}

// List implements [Directory].
func (m *Memory) List(_ context.Context, prefix string) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return m.list(prefix), nil
}

func (m *Memory) list(prefix string) (all []Record) {
	for key, r := range m.records {
		if strings.HasPrefix(key, prefix) {
			all = append(all, r.Record)
		}
	}
	slices.SortFunc(all, func(a, b Record) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// revisionAt returns the revision of a key, or 0 without a record.
func (m *Memory) revisionAt(key string) uint64 {
	if r := m.records[key]; r != nil {
		return r.Revision
	}
	return 0
}

func (m *Memory) remove(key string) {
	delete(m.records, key)
	m.revision++
	m.watchers.Publish(key, Record{Key: key, Revision: m.revision, Gone: true})
}

// noteExpiry records the end of a lease.
func (m *Memory) noteExpiry(at time.Time) {
	if m.soonest.IsZero() || at.Before(m.soonest) {
		m.soonest = at
	}
}

// expire removes the expired records, in the order of keys.
func (m *Memory) expire() {
	now := m.now()
	if m.soonest.IsZero() || now.Before(m.soonest) {
		return
	}
	m.soonest = time.Time{}
	var expired []string
	for key, r := range m.records {
		switch {
		case r.until.IsZero():
		case now.Before(r.until):
			m.noteExpiry(r.until)
		default:
			expired = append(expired, key)
		}
	}
	slices.Sort(expired)
	for _, key := range expired {
		m.remove(key)
	}
}

// Watch implements [Directory].
func (m *Memory) Watch(ctx context.Context, prefix string) (<-chan Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	first := m.list(prefix)
	keys := make([]string, len(first))
	for i, r := range first {
		keys[i] = r.Key
	}
	return m.watchers.Watch(ctx, prefix, keys, first), nil
}

// Request implements [Directory]. It calls the handler on the caller's goroutine.
func (m *Memory) Request(ctx context.Context, address string, request []byte) ([]byte, error) {
	m.mu.Lock()
	answer := m.handlers[address]
	m.mu.Unlock()
	if answer == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoHandler, address)
	}
	return (*answer)(ctx, bytes.Clone(request)), ctx.Err()
}

// Handle implements [Directory].
func (m *Memory) Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := &answer
	m.handlers[address] = own
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.handlers[address] == own {
			delete(m.handlers, address)
		}
	}, nil
}
