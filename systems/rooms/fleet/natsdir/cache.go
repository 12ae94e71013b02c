package natsdir

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/internal/watch"
)

// cache holds the records that this process has received.
type cache struct {
	mu       sync.Mutex
	records  map[string]*cachedRecord
	deleted  map[string]tombstone
	watchers watch.Hub[fleet.Record]
	// Revisions are sequence numbers of the stream plus base. A new stream counts from 1 again; restart raises base, so
	// that each of its revisions is higher than all of the former stream.
	base, newest uint64
}

// cachedRecord is a record with its lease.
type cachedRecord struct {
	fleet.Record
	lease time.Duration
	until time.Time // by this process's clock; zero: for ever
}

// tombstone is the deletion of a record, so that no older message brings it back.
type tombstone struct {
	revision uint64
	at       time.Time
}

func newCache() *cache {
	return &cache{records: make(map[string]*cachedRecord), deleted: make(map[string]tombstone)}
}

// restart starts to follow another stream. The records of the former stream stay until the new stream has replaced or deleted them.
// Revisions of the new stream start so far above those of the former one that late records of the former one stay below them.
func (k *cache) restart() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base = k.newest + 1<<32
	k.newest = k.base
	clear(k.deleted)
}

// bounds returns the revision before the first revision of the stream, and the newest received one.
func (k *cache) bounds() (base, newest uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.base, k.newest
}

// update updates a record, unless a newer message has arrived or the message is of a former stream.
func (k *cache) update(r fleet.Record, lease time.Duration, now time.Time) {
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
	if t, is := k.deleted[r.Key]; is && r.Revision <= t.revision {
		return
	}
	if r.Gone {
		delete(k.records, r.Key)
		k.deleted[r.Key] = tombstone{r.Revision, now}
		if old != nil {
			k.watchers.Publish(r.Key, r)
		}
		return
	}
	delete(k.deleted, r.Key)
	h := &cachedRecord{Record: r, lease: lease}
	if lease > 0 {
		h.until = now.Add(lease)
	}
	k.records[r.Key] = h
	k.watchers.Publish(r.Key, r)
}

// load returns a record. ok is false if there is none.
func (k *cache) load(key string) (fleet.Record, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.records[key]; h != nil {
		return h.Record, true
	}
	return fleet.Record{}, false
}

// tombstone returns the revision of the deletion of a record, 0 if the stream has none.
func (k *cache) tombstone(key string) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.deleted[key]; t.revision > k.base {
		return t.revision
	}
	return 0
}

func (k *cache) list(prefix string) []fleet.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sorted(func(h *cachedRecord) bool { return strings.HasPrefix(h.Key, prefix) })
}

func (k *cache) watch(ctx context.Context, prefix string) <-chan fleet.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := k.sorted(func(h *cachedRecord) bool { return strings.HasPrefix(h.Key, prefix) })
	keys := make([]string, len(first))
	for i, r := range first {
		keys[i] = r.Key
	}
	return k.watchers.Watch(ctx, prefix, keys, first)
}

// expired returns the records whose leases have expired.
func (k *cache) expired(now time.Time) []fleet.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sorted(func(h *cachedRecord) bool { return !h.until.IsZero() && !now.Before(h.until) })
}

// restartLeases restarts all leases.
func (k *cache) restartLeases(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.records {
		if h.lease > 0 {
			h.until = now.Add(h.lease)
		}
	}
}

// forget forgets old deletions.
func (k *cache) forget(before time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, t := range k.deleted {
		if t.at.Before(before) {
			delete(k.deleted, key)
		}
	}
}

// sorted returns the wanted records by key. The caller holds the lock.
func (k *cache) sorted(want func(*cachedRecord) bool) (all []fleet.Record) {
	for _, h := range k.records {
		if want(h) {
			all = append(all, h.Record)
		}
	}
	slices.SortFunc(all, func(a, b fleet.Record) int { return strings.Compare(a.Key, b.Key) })
	return all
}
