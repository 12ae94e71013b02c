package ledger

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory is a directory in memory: of one process, or of several servers in one test.
type Memory struct {
	now func() time.Time

	mu       sync.Mutex
	records  map[string]*kept
	soonest  time.Time // no lease ends before; zero: none at all
	revision uint64
	watchers Watchers
}

// kept is a record with its lease.
type kept struct {
	Record
	until time.Time // zero: for ever
}

// NewMemory returns an empty directory, whose leases go by now; nil means time.Now. Leases run out when somebody calls.
func NewMemory(now func() time.Time) *Memory {
	if now == nil {
		now = time.Now
	}
	return &Memory{now: now, records: make(map[string]*kept)}
}

// Load implements rooms.Directory.
func (m *Memory) Load(_ context.Context, key string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	if k := m.records[key]; k != nil {
		return k.Record, nil
	}
	return Record{}, ErrAbsent
}

// Save implements rooms.Directory.
func (m *Memory) Save(_ context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	if err := CheckRecord(key, value); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	if m.at(key) != revision {
		return 0, ErrConflict
	}
	m.revision++
	k := &kept{Record: Record{Key: key, Value: bytes.Clone(value), Revision: m.revision}}
	if lease > 0 {
		k.until = m.now().Add(lease)
		m.ends(k.until)
	}
	m.records[key] = k
	m.watchers.Publish(k.Record)
	return m.revision, nil
}

// Remove implements rooms.Directory.
func (m *Memory) Remove(_ context.Context, key string, revision uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	switch m.at(key) {
	case 0:
		return nil
	case revision:
		m.remove(key)
		return nil
	}
	return ErrConflict
}

// List implements rooms.Directory.
func (m *Memory) List(_ context.Context, prefix string) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return m.list(prefix), nil
}

func (m *Memory) list(prefix string) (all []Record) {
	for key, k := range m.records {
		if strings.HasPrefix(key, prefix) {
			all = append(all, k.Record)
		}
	}
	slices.SortFunc(all, func(a, b Record) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// at is the revision of a key, 0 for none.
func (m *Memory) at(key string) uint64 {
	if k := m.records[key]; k != nil {
		return k.Revision
	}
	return 0
}

func (m *Memory) remove(key string) {
	delete(m.records, key)
	m.revision++
	m.watchers.Publish(Record{Key: key, Revision: m.revision, Gone: true})
}

// ends notes when a lease does.
func (m *Memory) ends(at time.Time) {
	if m.soonest.IsZero() || at.Before(m.soonest) {
		m.soonest = at
	}
}

// expire removes what has run out, in the order of keys. It looks at the records when one may have.
func (m *Memory) expire() {
	now := m.now()
	if m.soonest.IsZero() || now.Before(m.soonest) {
		return
	}
	m.soonest = time.Time{}
	var over []string
	for key, k := range m.records {
		switch {
		case k.until.IsZero():
		case now.Before(k.until):
			m.ends(k.until)
		default:
			over = append(over, key)
		}
	}
	slices.Sort(over)
	for _, key := range over {
		m.remove(key)
	}
}

// Watch implements rooms.Directory.
func (m *Memory) Watch(ctx context.Context, prefix string) (<-chan Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return m.watchers.Watch(ctx, prefix, m.list(prefix)), nil
}
