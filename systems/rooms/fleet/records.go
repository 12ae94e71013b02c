package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/tactusgo/tactus/systems/rooms"
)

// errNoClaim is the error of a write without a claim to the name.
var errNoClaim = fmt.Errorf("fleet: this process does not hold the claim to its name: %w", rooms.ErrUnavailable)

// publication is the record of a room of this process.
type publication interface {
	// value returns the record under a claim. Other processes may read it from then on.
	value(claim uint64) any
	// written is called after the record was written under that claim.
	written(claim uint64)
	// removed is called after another process removed the record.
	removed()
	// yields reports whether the record found in the directory replaces this one.
	yields(found []byte) bool
	// owns reports whether this process wrote the record found in the directory.
	owns(found []byte) bool
}

// ownRecords are the records written by this process, without its process entry. Any goroutine may call the methods, but
// only one at a time may call write and withdraw.
type ownRecords struct {
	directory Directory
	claim     *claim

	mu   sync.Mutex
	list map[string]ownRecord // by key
}

// ownRecord is a record that was, or may have been, written.
type ownRecord struct {
	source   any    // the room
	revision uint64 // 0: unknown
}

func newOwnRecords(d Directory, c *claim) *ownRecords {
	return &ownRecords{directory: d, claim: c, list: make(map[string]ownRecord)}
}

// sources returns the source of each record, by key.
func (o *ownRecords) sources() map[string]any {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make(map[string]any, len(o.list))
	for key, r := range maps.All(o.list) {
		all[key] = r.source
	}
	return all
}

// source returns the source of a record, or nil.
func (o *ownRecords) source(key string) any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.list[key].source
}

// write writes a record while the claim holds. If another process has written the record, the publication yields or
// overwrites it. The error is errNoClaim or an error of the directory.
func (o *ownRecords) write(ctx context.Context, key string, source any, p publication) error {
	for range maxTries {
		claim := o.claim.current()
		if claim == 0 {
			return errNoClaim
		}
		over := o.prepare(key, source)
		err := o.save(ctx, key, source, p.value(claim), over)
		if err == nil {
			p.written(claim)
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		var found json.RawMessage
		newest, err := find(ctx, o.directory, key, &found)
		switch {
		case err != nil:
			return err
		case newest == 0 && over != 0:
			p.removed()
		case newest != 0 && p.yields(found):
			o.delete(key)
			return nil
		}
		o.set(key, source, newest)
	}
	return fmt.Errorf("fleet: %s: %w", key, ErrConflict)
}

// takeOver overwrites the given revision, written by another process, and no later one. If it fails, withdraw removes the
// record in case it was written. The error is ErrConflict if this process already has a record under the key.
func (o *ownRecords) takeOver(ctx context.Context, key string, source any, p publication, over uint64) error {
	claim := o.claim.current()
	if claim == 0 {
		return errNoClaim
	}
	o.mu.Lock()
	_, has := o.list[key]
	if !has {
		o.list[key] = ownRecord{source: source} // the overwritten revision belongs to another process
	}
	o.mu.Unlock()
	if has {
		return fmt.Errorf("%w: this process has not withdrawn its own record yet", ErrConflict)
	}
	err := o.save(ctx, key, source, p.value(claim), over)
	if errors.Is(err, rooms.ErrUnavailable) { // it may have been written
		var found json.RawMessage
		if newest, failed := find(ctx, o.directory, key, &found); failed == nil && newest != 0 && p.owns(found) {
			o.set(key, source, newest)
			err = nil
		}
	}
	if err == nil {
		p.written(claim)
	}
	return err
}

// withdraw removes the record of a source, unless another process has written it meanwhile.
func (o *ownRecords) withdraw(ctx context.Context, key string, source any, p publication) error {
	o.mu.Lock()
	r, has := o.list[key]
	o.mu.Unlock()
	if !has || r.source != source {
		return nil
	}
	for range maxTries {
		err := o.directory.Remove(ctx, key, r.revision)
		if err == nil {
			o.delete(key)
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		var found json.RawMessage
		newest, err := find(ctx, o.directory, key, &found)
		if err != nil {
			return err
		}
		if newest == 0 || !p.owns(found) {
			o.delete(key)
			return nil
		}
		r.revision = newest
	}
	return fmt.Errorf("fleet: %s: %w", key, ErrConflict)
}

// save overwrites a revision.
func (o *ownRecords) save(ctx context.Context, key string, source, entry any, over uint64) error {
	value, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	revision, err := o.directory.Save(ctx, key, value, over, 0)
	if err == nil {
		o.set(key, source, revision)
	}
	return err
}

// prepare records that a write may happen and returns the revision to overwrite.
func (o *ownRecords) prepare(key string, source any) uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.list[key]
	if r.source != source {
		r = ownRecord{source: source}
	}
	o.list[key] = r
	return r.revision
}

func (o *ownRecords) set(key string, source any, revision uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list[key] = ownRecord{source, revision}
}

func (o *ownRecords) delete(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.list, key)
}
