package relay_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Random matches: players join, leave, return immediately and send commands; clients freeze, links fail in one or both
// directions, the size of messages changes, and inputs are refused. No final tick differs between two peers, or in a replay of
// a client's recording. When everything is quiet, all players play.
func TestCampaign(t *testing.T) {
	testgame.Seeds(t, 8, func(t *testing.T, seed uint64) {
		c := newCampaign(t, seed)
		for c.now < 700 {
			c.upset()
			c.step()
		}
		for _, e := range c.ends {
			e.frozen, e.up.dead, e.down.dead, e.up.loss, e.down.loss = false, false, false, 0, 0
		}
		c.run(300)
		for _, e := range c.ends {
			if lag := int(c.server.Timeline().Next()) - int(e.Timeline().Next()); lag > 20 || !e.Playing() {
				t.Errorf("player %d plays: %v, %d ticks behind; %+v", e.player, e.Playing(), lag, e.Stats())
			}
			if e.Stats().Mismatch > 0 || e.Outgoing() != nil {
				t.Errorf("player %d: %d hashes differ, and it reports %d bytes", e.player, e.Stats().Mismatch, len(e.Outgoing()))
			}
		}
		for _, e := range c.ends {
			again := c.viewer()
			for _, take := range e.viewer.segment {
				testgame.Must(t, take(again))
				again.play()
			}
			for _, v := range []*viewer{e.viewer, again} {
				if v.Timeline().Horizon()+60 < c.server.Timeline().Next() || v.Stats().Mismatch > 0 {
					t.Errorf("the recording of player %d ends with tick %d; %+v", e.player, v.Timeline().Horizon(), v.Stats())
				}
				if tick, where, found := v.Diverged(); found {
					t.Errorf("a replay of player %d has another %s after tick %d", e.player, where, tick)
				}
				c.note(e.player, v.Timeline())
			}
		}
		stats := c.server.Stats()
		if stats.Checked == 0 {
			t.Error("no hash of a client was compared")
		}
		if stats.Mismatch > 0 || stats.Malformed > 0 || stats.States > uint64(2*c.joins) {
			t.Errorf("%d came; %+v", c.joins, stats)
		}
	})
}

type campaign struct {
	*match
	came  uint32
	joins int
	loss  float64
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	r := rand.New(rand.NewPCG(seed, 9))
	config := relay.Config{
		Peers: 8, Part: 1 << 10,
		Timeline: timeline.Config{Wait: seed%2 == 0, Window: 15 + r.IntN(50), Fills: 1 + r.IntN(20)},
	}
	if r.IntN(2) == 0 {
		config.Refuse = func(player, tick uint32, _ []int32) bool { return (player+tick)%41 == 0 }
	}
	client := relay.ClientConfig{Delay: r.IntN(4), Timeline: timeline.Config{Fills: config.Timeline.Fills}}
	play := human
	if r.IntN(2) == 0 {
		play = always
	}
	m := newMatch(t, config, client, play, post)
	m.rng, m.clocks = r, seed%2 == 1
	return &campaign{match: m, loss: r.Float64() * 0.4}
}

func (c *campaign) come(player uint32) {
	c.joins++
	e := c.join(player, 1+c.rng.IntN(8), c.rng.IntN(8), c.loss, 0.1)
	e.viewer = c.viewer()
	e.recorder = e.Record(1 << 10)
}

func (c *campaign) viewer() *viewer {
	config := c.client
	config.Replay = true
	return &viewer{Client: relay.NewClient(testgame.Barracks(post), 0, config)}
}

// viewer plays the recording of a client while it is recorded. segment holds what another viewer needs to start with the
// newest segment.
type viewer struct {
	*relay.Client
	seq     uint16
	segment []func(v *viewer) error
}

func (v *viewer) Begin() { v.segment = nil }

func (v *viewer) Reliable(message []byte, begins bool) {
	message = slices.Clone(message)
	v.take(begins, func(v *viewer) error { return v.Deliver(message) })
}

func (v *viewer) Datagram(message []byte, begins bool) {
	message = slices.Clone(message)
	v.take(begins, func(v *viewer) error {
		v.seq++
		return v.Receive(v.seq, message)
	})
}

func (v *viewer) take(begins bool, f func(v *viewer) error) {
	if v.segment = append(v.segment, f); begins {
		return
	}
	if err := f(v); err != nil {
		panic(err)
	}
	v.play()
}

// play simulates the known ticks.
func (v *viewer) play() {
	for v.Timeline().Next() < v.ServerTick() && v.Step(testgame.Words(steer{})) {
		v.Append(nil, 1180) // as it would
	}
}

// upset causes the faults of a tick.
func (c *campaign) upset() {
	r := c.rng
	if c.now%17 == 0 && len(c.ends) < 6 {
		c.came++
		c.come(c.came)
	}
	if r.IntN(40) == 0 && len(c.ends) > 2 {
		player := c.ends[r.IntN(len(c.ends))].player
		c.leave(player)
		if r.IntN(2) == 0 {
			c.come(player)
		}
	}
	if r.IntN(8) == 0 && len(c.ends) > 0 {
		c.command(c.ends[r.IntN(len(c.ends))].player, c.now%1000)
	}
	for _, e := range c.ends {
		// Each is rare to begin with, and over soon.
		for _, bad := range []*bool{&e.frozen, &e.up.dead, &e.down.dead} {
			if *bad && r.IntN(50) == 0 || !*bad && r.IntN(350) == 0 {
				*bad = !*bad
			}
		}
	}
	if r.IntN(100) == 0 {
		c.limit = 512 + r.IntN(700)
	}
}
