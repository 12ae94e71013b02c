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

// sweeper removes what processes have left that are gone for long. Of the processes that are there, the one with the first
// name does so.
type sweeper struct {
	directory Directory
	process   string
	prefixes  []string
	stay      time.Duration

	looked time.Time
	gone   map[Holder]time.Time // since when each was missed
}

// sweep does so, every few seconds.
func (s *sweeper) sweep(ctx context.Context, now time.Time) error {
	if now.Sub(s.looked) < sweepTime {
		return nil
	}
	s.looked = now
	left, first, err := s.left(ctx)
	if err != nil {
		return err
	}
	if !first {
		clear(s.gone)
		return nil
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

// left are the records of processes that are not there. First reports whether this process is the first that is.
func (s *sweeper) left(ctx context.Context) (left map[Holder][]Record, first bool, err error) {
	list, err := s.directory.List(ctx, Prefix)
	if err != nil || len(list) == 0 || list[0].Key != Prefix+s.process {
		return nil, false, err
	}
	live := make(map[Holder]bool)
	for _, r := range list {
		var e process
		if json.Unmarshal(r.Value, &e) == nil {
			live[Holder{e.Process, e.Epoch}] = true
		}
	}
	left = make(map[Holder][]Record)
	for _, prefix := range s.prefixes {
		list, err := s.directory.List(ctx, prefix)
		if err != nil {
			return nil, false, err
		}
		for _, r := range list {
			var h Holder
			if json.Unmarshal(r.Value, &h) == nil && !live[h] {
				left[h] = append(left[h], r)
			}
		}
	}
	return left, true, nil
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
