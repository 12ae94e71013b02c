package systemstest

import (
	"math"
	"slices"
	"sync"
	"time"
)

// Screens measures the delay between two screens: from the frame in which a player's input was gathered to the first frame of
// another client that shows the tick in which the server used the input. It measures every seventh input of a player, on the
// screens of up to eight others. Several goroutines may use it.
type Screens struct {
	mu      sync.Mutex
	players map[uint32]*screen // by client number
	order   []uint32           // client numbers, ascending
	delays  []time.Duration
}

const (
	screenEvery = 7 // coprime to usual numbers of ticks between snapshots
	screenOf    = 8
	screenKept  = 1024 // inputs, 8 s at 128 ticks a second
)

// screen is what is known about the inputs of a player, and of others on the player's screen.
type screen struct {
	gathered uint32                // newest input
	frames   [screenKept]time.Time // by input: the frame in which it was gathered
	used     uint32                // newest input that the server used
	ticks    [screenKept]usedInput // by input
	tick     uint32                // of the server, when used was set
	shown    map[uint32]uint32     // by other player: the newest input that the screen has shown
}

type usedInput struct{ input, tick uint32 }

// player returns the screen of a player.
func (s *Screens) player(id uint32) *screen {
	p := s.players[id]
	if p == nil {
		if s.players == nil {
			s.players = map[uint32]*screen{}
		}
		p = &screen{shown: map[uint32]uint32{}}
		s.players[id] = p
		i, _ := slices.BinarySearch(s.order, id)
		s.order = slices.Insert(s.order, i, id)
	}
	return p
}

// Gathered records in a frame at a time that newest is the player's newest input. Call it in every frame.
func (s *Screens) Gathered(player, newest uint32, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.player(player)
	if p.gathered == 0 || newest < p.gathered || newest-p.gathered > screenKept {
		p.gathered = newest // what came before was gathered in an earlier frame
	}
	for p.gathered < newest {
		p.gathered++
		p.frames[p.gathered%screenKept] = at
	}
}

// Used records, after the server has simulated a tick, that newest is the player's newest input that the server used. stamped
// means that an input names its tick. Otherwise the inputs of several ticks are assigned to them from the newest back.
func (s *Screens) Used(player, newest, tick uint32, stamped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.player(player)
	if p.used == 0 || newest < p.used || newest-p.used > screenKept {
		p.used = newest
	}
	for p.used < newest {
		p.used++
		at := p.used
		if !stamped {
			at = max(tick-min(newest-p.used, tick), p.tick+1)
		}
		p.ticks[p.used%screenKept] = usedInput{p.used, at}
	}
	p.tick = tick
}

// Drew records a frame of a client at a time. c is the client: see [systems.Client.Shows].
func (s *Screens) Drew(viewer uint32, at time.Time, c interface{ Shows(player, tick uint32) bool }) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.player(viewer)
	first, _ := slices.BinarySearch(s.order, viewer)
	for k := 1; k < len(s.order) && k <= screenOf; k++ {
		id := s.order[(first+k)%len(s.order)]
		p := s.players[id]
		shown, known := v.shown[id]
		if !known || p.used-shown >= screenKept {
			shown = p.used
		}
		for ; shown < p.used; shown++ {
			u := p.ticks[(shown+1)%screenKept]
			if u.input != shown+1 || p.gathered-u.input >= screenKept {
				continue // the server skipped it
			}
			if !c.Shows(id, u.tick) {
				break
			}
			if from := p.frames[u.input%screenKept]; u.input%screenEvery == 0 && !from.IsZero() {
				s.delays = append(s.delays, at.Sub(from))
			}
		}
		v.shown[id] = shown
	}
}

// Quantile returns the delay that a share of all delays does not exceed, 0 if there are none.
func (s *Screens) Quantile(share float64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.delays) == 0 {
		return 0
	}
	slices.Sort(s.delays)
	return s.delays[min(int(share*float64(len(s.delays))), len(s.delays)-1)]
}

// Mean returns the mean delay, 0 if there are none.
func (s *Screens) Mean() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0.0
	for _, d := range s.delays {
		sum += d.Seconds()
	}
	return time.Duration(math.Round(sum / max(float64(len(s.delays)), 1) * float64(time.Second)))
}
