package systemstest

import (
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems"
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
	screenKept  = 128 // measured inputs, 7 s at 128 ticks a second
)

// screen is what is known about the inputs of a player, and of others on the player's screen.
type screen struct {
	gathered uint32 // newest input
	used     uint32 // newest input that the server used
	tick     uint32 // newest tick of the server, when used was set
	inputs   [screenKept]measured
	shown    map[uint32]uint32 // by other player: the place of the newest input that the screen has shown
}

// measured is an input that is measured. Its place is its number divided by screenEvery.
type measured struct {
	number  uint32
	frame   time.Time // in which it was gathered
	tick    uint32    // in which it was used
	wasUsed bool
}

// at returns the input at a place, or nil if it is not known.
func (p *screen) at(place uint32) *measured {
	if m := &p.inputs[place%screenKept]; m.number == place*screenEvery {
		return m
	}
	return nil
}

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

// places yields the places of the measured inputs after one input and up to another. An input after none, or far after the one
// before, has come before anybody looked.
func places(after, to uint32, yield func(place uint32)) {
	if after == 0 || to-after > screenKept*screenEvery {
		return
	}
	for place := after/screenEvery + 1; place <= to/screenEvery; place++ {
		yield(place)
	}
}

// Gathered records what a client has gathered in a frame at a time. Call it in every frame, before [Screens.Used].
func (s *Screens) Gathered(c *systems.Client, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, newest := s.player(c.ID()), c.Gathered()
	places(p.gathered, newest, func(place uint32) {
		p.inputs[place%screenKept] = measured{number: place * screenEvery, frame: at}
	})
	p.gathered = newest
}

// Used records, after the server has simulated a tick, that newest is the player's newest input that the server used. stamped
// means that an input names its tick. Otherwise the inputs of several ticks are assigned to them from the newest back.
func (s *Screens) Used(player, newest, tick uint32, stamped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.player(player)
	places(p.used, newest, func(place uint32) {
		m := p.at(place)
		if m == nil {
			return
		}
		m.wasUsed, m.tick = true, m.number
		if !stamped {
			m.tick = max(tick-min(newest-m.number, tick), p.tick+1)
		}
	})
	p.used, p.tick = newest, tick
}

// Drew records a frame of a client at a time.
func (s *Screens) Drew(c *systems.Client, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.player(c.ID())
	first, _ := slices.BinarySearch(s.order, c.ID())
	for k := 1; k < len(s.order) && k <= screenOf; k++ {
		id := s.order[(first+k)%len(s.order)]
		p := s.players[id]
		newest := p.used / screenEvery
		shown, known := v.shown[id]
		if !known || newest-shown > screenKept {
			shown = newest
		}
		for ; shown < newest; shown++ {
			m := p.at(shown + 1)
			if m == nil || !m.wasUsed {
				continue // the server skipped it
			}
			if !c.Shows(id, m.tick) {
				break
			}
			s.delays = append(s.delays, at.Sub(m.frame))
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
	var sum time.Duration
	for _, d := range s.delays {
		sum += d
	}
	return sum / time.Duration(max(len(s.delays), 1))
}
