package fleet

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// known is what this process has heard of the directory.
type known struct {
	mu       sync.Mutex
	records  map[string]*heard
	gone     map[string]grave
	watchers ledger.Watchers
	// Revisions are sequence numbers of the stream plus base. A new stream counts from 1 again; restart raises base, so
	// that each of its revisions is higher than all of the former stream.
	base, newest uint64
}

// heard is a record with its lease.
type heard struct {
	rooms.Record
	lease time.Duration
	until time.Time // by this process's clock; zero: for ever
}

// grave is the revision with which a record went, so that none that is older comes back.
type grave struct {
	revision uint64
	at       time.Time
}

func newKnown() *known {
	return &known{records: make(map[string]*heard), gone: make(map[string]grave)}
}

// restart begins to follow another stream. The records of the former one stay until the new stream, or its lack of them,
// replaces them. The gap between the revisions of the two is larger than what anybody may still hear of the former one.
func (k *known) restart() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base = k.newest + 1<<32
	k.newest = k.base
	clear(k.gone)
}

// bounds returns the revision before the first of the stream that is followed, and the newest one that was heard.
func (k *known) bounds() (base, newest uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.base, k.newest
}

// hear takes what was heard of a record, unless something newer was, or it is of a former stream.
func (k *known) hear(r rooms.Record, lease time.Duration, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.Revision <= k.base && !r.Gone {
		return
	}
	k.newest = max(k.newest, r.Revision)
	old := k.records[r.Key]
	if old != nil && (r.Revision < old.Revision || r.Revision == old.Revision && !r.Gone) {
		return
	}
	if grave, is := k.gone[r.Key]; is && r.Revision <= grave.revision {
		return
	}
	if r.Gone {
		delete(k.records, r.Key)
		k.gone[r.Key] = grave{r.Revision, now}
		if old != nil {
			k.watchers.Publish(r)
		}
		return
	}
	delete(k.gone, r.Key)
	h := &heard{Record: r, lease: lease}
	if lease > 0 {
		h.until = now.Add(lease)
	}
	k.records[r.Key] = h
	k.watchers.Publish(r)
}

// load is a record, if there is one.
func (k *known) load(key string) (rooms.Record, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.records[key]; h != nil {
		return h.Record, true
	}
	return rooms.Record{}, false
}

// buried is the revision with which a record went, 0 where the stream that is followed has none.
func (k *known) buried(key string) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if g := k.gone[key]; g.revision > k.base {
		return g.revision
	}
	return 0
}

func (k *known) list(prefix string) []rooms.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sorted(func(h *heard) bool { return strings.HasPrefix(h.Key, prefix) })
}

func (k *known) watch(ctx context.Context, prefix string) <-chan rooms.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.watchers.Watch(ctx, prefix, k.sorted(func(h *heard) bool { return strings.HasPrefix(h.Key, prefix) }))
}

// over are the records whose leases have run out.
func (k *known) over(now time.Time) []rooms.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sorted(func(h *heard) bool { return !h.until.IsZero() && !now.Before(h.until) })
}

// again lets all leases begin again.
func (k *known) again(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.records {
		if h.lease > 0 {
			h.until = now.Add(h.lease)
		}
	}
}

// forget forgets how those went that are gone since long ago.
func (k *known) forget(before time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, g := range k.gone {
		if g.at.Before(before) {
			delete(k.gone, key)
		}
	}
}

// sorted are the records that are wanted, by key. With the lock.
func (k *known) sorted(want func(*heard) bool) (all []rooms.Record) {
	for _, h := range k.records {
		if want(h) {
			all = append(all, h.Record)
		}
	}
	slices.SortFunc(all, func(a, b rooms.Record) int { return strings.Compare(a.Key, b.Key) })
	return all
}
