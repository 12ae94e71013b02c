package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	// sweepInterval is the interval of sweeps for stale records.
	sweepInterval = 5 * time.Second
	// playerPrefix is the prefix of keys that only earlier versions write.
	playerPrefix = "player."
	// maxSwept is the largest number of records removed per sweep.
	maxSwept = 256
)

// sweeper removes the records of processes that have been dead for StayTime. Among the live processes, the one with the
// first name does this. Each process also removes unpublished records with its own claim, because a refused write may be
// done late.
type sweeper struct {
	directory Directory
	claim     *claim
	records   *ownRecords
	process   string

	swept time.Time
	dead  map[owner]time.Time // when each dead process was first missing
	stale map[string]uint64   // unpublished records at the previous sweep: key to revision
}

// sweep removes records if that is due.
func (s *sweeper) sweep(ctx context.Context, now time.Time) error {
	if now.Sub(s.swept) < sweepInterval {
		return nil
	}
	s.swept = now
	all, first, err := s.listOwners(ctx)
	if err != nil {
		return err
	}
	if err := s.removeStale(ctx, all); err != nil {
		return err
	}
	if !first {
		clear(s.dead)
		return nil
	}
	dead := make(map[owner]time.Time)
	for o, x := range all {
		if x.alive {
			continue
		}
		dead[o] = now
		if since, known := s.dead[o]; known {
			dead[o] = since
		}
	}
	s.dead = dead
	left := maxSwept
	for _, o := range slices.SortedFunc(maps.Keys(dead), owner.compare) {
		if now.Sub(dead[o]) < StayTime {
			continue
		}
		switch alive, err := o.exists(ctx, s.directory); {
		case err != nil:
			return err
		case alive:
			continue
		}
		records := all[o].records
		for _, r := range records[:min(left, len(records))] {
			if err := s.directory.Remove(ctx, r.Key, r.Revision); err != nil && !errors.Is(err, ErrConflict) {
				return err
			}
			left--
		}
	}
	return nil
}

// ownerRecords are the records of a process under one claim.
type ownerRecords struct {
	alive   bool
	records []Record
}

// listOwners returns the records of rooms, and those that earlier versions left, by owner. first reports whether this process has the
// first name among the live ones.
func (s *sweeper) listOwners(ctx context.Context) (all map[owner]*ownerRecords, first bool, err error) {
	list, err := s.directory.List(ctx, ProcessPrefix)
	if err != nil {
		return nil, false, err
	}
	first = len(list) > 0 && list[0].Key == ProcessKey(s.process)
	all = make(map[owner]*ownerRecords)
	for _, r := range list {
		var e claimRecord
		if json.Unmarshal(r.Value, &e) == nil {
			all[owner{e.Process, e.Epoch}] = &ownerRecords{alive: true}
		}
	}
	for _, prefix := range []string{playerPrefix, RoomPrefix} {
		list, err := s.directory.List(ctx, prefix)
		if err != nil {
			return nil, false, err
		}
		for _, r := range list {
			var o owner
			if json.Unmarshal(r.Value, &o) != nil {
				continue
			}
			if all[o] == nil {
				all[o] = &ownerRecords{}
			}
			all[o].records = append(all[o].records, r)
		}
	}
	return all, first, nil
}

// removeStale removes unpublished records with this process's claim, unless they changed since the previous sweep.
func (s *sweeper) removeStale(ctx context.Context, all map[owner]*ownerRecords) error {
	published, stale := s.records.sources(), make(map[string]uint64)
	for o, x := range all {
		if !s.claim.owned(o) {
			continue
		}
		for _, r := range x.records {
			if _, is := published[r.Key]; !is {
				stale[r.Key] = r.Revision
			}
		}
	}
	before := s.stale
	s.stale = stale
	for _, key := range slices.Sorted(maps.Keys(stale)) {
		if before[key] != stale[key] {
			continue
		}
		if err := s.directory.Remove(ctx, key, stale[key]); err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

func (o owner) compare(other owner) int {
	return cmp.Or(strings.Compare(o.Process, other.Process), cmp.Compare(o.Claim, other.Claim))
}
