package ledger

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
	// sweepTime is between two looks at what the dead have left.
	sweepTime = 5 * time.Second
	// sweepMost is how many records one look removes.
	sweepMost = 256
)

// sweeper removes what processes have left that are gone for long: of those that are there, the one with the first name
// does so. And it removes what this process seems to say, and does not: a write that was refused may be done late.
type sweeper struct {
	directory Directory
	claim     *Claim
	ledger    *Ledger
	process   string
	prefixes  []string
	stay      time.Duration

	looked time.Time
	gone   map[Holder]time.Time // since when each was missed
	ghosts map[string]uint64    // what nobody says here, as it was at the last look: revisions by key
}

// sweep does so, every few seconds.
func (s *sweeper) sweep(ctx context.Context, now time.Time) error {
	if now.Sub(s.looked) < sweepTime {
		return nil
	}
	s.looked = now
	all, first, err := s.look(ctx)
	if err != nil {
		return err
	}
	if err := s.exorcise(ctx, all); err != nil {
		return err
	}
	if !first {
		clear(s.gone)
		return nil
	}
	left := make(map[Holder][]Record)
	for h, of := range all {
		if !of.live {
			left[h] = of.records
		}
	}
	gone := make(map[Holder]time.Time, len(left))
	for h := range left {
		gone[h] = now
		if since, known := s.gone[h]; known {
			gone[h] = since
		}
	}
	s.gone = gone
	most := sweepMost
	for _, h := range slices.SortedFunc(maps.Keys(left), Holder.compare) {
		if now.Sub(gone[h]) < s.stay {
			continue
		}
		switch there, err := h.There(ctx, s.directory); {
		case err != nil:
			return err
		case there:
			continue
		}
		records := left[h]
		for _, r := range records[:min(most, len(records))] {
			if err := s.directory.Remove(ctx, r.Key, r.Revision); err != nil && !errors.Is(err, ErrConflict) {
				return err
			}
			most--
		}
	}
	return nil
}

// belongings are what a process says.
type belongings struct {
	live    bool
	records []Record
}

// look lists what processes say. First reports whether this process is the first that is there.
func (s *sweeper) look(ctx context.Context) (all map[Holder]*belongings, first bool, err error) {
	list, err := s.directory.List(ctx, Prefix)
	if err != nil {
		return nil, false, err
	}
	first = len(list) > 0 && list[0].Key == Prefix+s.process
	all = make(map[Holder]*belongings)
	for _, r := range list {
		var e process
		if json.Unmarshal(r.Value, &e) == nil {
			all[Holder{e.Process, e.Epoch}] = &belongings{live: true}
		}
	}
	for _, prefix := range s.prefixes {
		list, err := s.directory.List(ctx, prefix)
		if err != nil {
			return nil, false, err
		}
		for _, r := range list {
			var h Holder
			if json.Unmarshal(r.Value, &h) != nil {
				continue
			}
			if all[h] == nil {
				all[h] = &belongings{}
			}
			all[h].records = append(all[h].records, r)
		}
	}
	return all, first, nil
}

// exorcise removes what was there at the last look, too, and what nobody here says.
func (s *sweeper) exorcise(ctx context.Context, all map[Holder]*belongings) error {
	said, ghosts := s.ledger.Said(), make(map[string]uint64)
	for h, of := range all {
		if !s.claim.Mine(h) {
			continue
		}
		for _, r := range of.records {
			if _, is := said[r.Key]; !is {
				ghosts[r.Key] = r.Revision
			}
		}
	}
	before := s.ghosts
	s.ghosts = ghosts
	for _, key := range slices.Sorted(maps.Keys(ghosts)) {
		if before[key] != ghosts[key] {
			continue
		}
		if err := s.directory.Remove(ctx, key, ghosts[key]); err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

// There asks whether a process is there, and has that claim.
func (h Holder) There(ctx context.Context, d Directory) (bool, error) {
	var e process
	revision, err := Find(ctx, d, Prefix+h.Process, &e)
	return revision != 0 && e.Process == h.Process && e.Epoch == h.Claim, err
}

func (h Holder) compare(other Holder) int {
	return cmp.Or(strings.Compare(h.Process, other.Process), cmp.Compare(h.Claim, other.Claim))
}
