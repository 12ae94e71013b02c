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

// beliefTime is between two beliefs of a process.
const beliefTime = 20 * time.Millisecond

// belief is a line of a process's own log: what it believed at a time.
type belief struct {
	At      time.Time `json:"at"`
	Process string    `json:"process"`
	Run     int       `json:"run"` // number of the operating system's process
	// Rooms are those that it took for its own, Seats the players that had a seat there.
	Rooms []rooms.ID `json:"rooms"`
	Seats []uint64   `json:"seats"`
}

// believe writes what a server believes to a file, until ctx ends.
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
			_, err = f.Write(append(line, '\n')) // one write: what is killed meanwhile leaves a whole line or none
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

// read reads the beliefs of files, in the order of time.
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

// span is from the first to the last time that somebody believed something.
type span struct{ from, to time.Time }

// ownedTwice are the rooms that two processes took for their own at the same time: one went on to after the other had
// begun.
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

// seatsLost are for how long players had no seat, in the belief of all processes, between one that they had and the next,
// or the end; of those who had one at the beginning, for each the longest.
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
