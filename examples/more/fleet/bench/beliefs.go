package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// beliefTime is the interval at which a process logs its belief.
const beliefTime = 20 * time.Millisecond

// belief is one line of a process's log: the rooms and seats that it believed to own.
type belief struct {
	At      time.Time `json:"at"`
	Process string    `json:"process"`
	Run     int       `json:"run"` // process id of the operating system
	// Rooms are the rooms that the process believed to own. Seats are the players with a seat there.
	Rooms []rooms.ID `json:"rooms"`
	Seats []uint64   `json:"seats"`
}

// believe logs the beliefs of a server to a file until ctx ends.
func believe(ctx context.Context, s *rooms.Server, to string) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	t := time.NewTicker(beliefTime)
	defer t.Stop()
	for {
		b := belief{At: time.Now(), Process: s.Process(), Run: os.Getpid()}
		for _, r := range s.Rooms() {
			i := r.Info()
			if i.Orphaned || i.State == rooms.Ended {
				continue
			}
			b.Rooms = append(b.Rooms, i.ID)
			for _, seat := range r.Seats() {
				b.Seats = append(b.Seats, seat.Player)
			}
		}
		line, err := json.Marshal(b)
		if err == nil {
			_, err = f.Write(append(line, '\n')) // one write: if the process is killed meanwhile, the line is complete or absent
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// read reads the beliefs in the files, sorted by time.
func read(files []string) (all []belief, err error) {
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var b belief
			if err := json.Unmarshal(lines.Bytes(), &b); err != nil {
				_ = f.Close()
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, b)
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
		_ = f.Close()
	}
	slices.SortStableFunc(all, func(a, b belief) int { return a.At.Compare(b.At) })
	return all, nil
}

// span is the time from the first to the last such belief.
type span struct{ from, to time.Time }

// ownedTwice returns the rooms that two processes believed to own at the same time.
func ownedTwice(all []belief) (twice []rooms.ID) {
	owners := make(map[rooms.ID]map[int]span)
	for _, b := range all {
		for _, id := range b.Rooms {
			if owners[id] == nil {
				owners[id] = make(map[int]span)
			}
			s, was := owners[id][b.Run]
			if !was {
				s.from = b.At
			}
			s.to = b.At
			owners[id][b.Run] = s
		}
	}
	for id, of := range owners {
		spans := slices.SortedFunc(maps.Values(of), func(a, b span) int { return a.from.Compare(b.from) })
		for i := 1; i < len(spans); i++ {
			if !spans[i].from.After(spans[i-1].to) {
				twice = append(twice, id)
				break
			}
			spans[i].to = later(spans[i].to, spans[i-1].to)
		}
	}
	slices.Sort(twice)
	return twice
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// seatsLost returns, for each player who had a seat at the beginning, the longest time without a seat in any process's
// belief.
func seatsLost(all []belief, players uint64, end time.Time) map[uint64]time.Duration {
	last, lost := make(map[uint64]time.Time), make(map[uint64]time.Duration)
	note := func(p uint64, at time.Time) {
		if had, ever := last[p]; ever {
			lost[p] = max(lost[p], at.Sub(had))
		}
		last[p] = at
	}
	for _, b := range all {
		for _, p := range b.Seats {
			if p <= players {
				note(p, b.At)
			}
		}
	}
	for p := range last {
		note(p, end)
	}
	return lost
}
