package systems

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// campaign turns a world upside down, tick after tick.
type campaign struct {
	*game
	r    *rand.Rand
	live []ecs.Entity
	most int // entities at one time

	flickers bool
	hidden   map[[2]uint32]bool // by client and entity
}

// owner is a client, one that never was, or the server.
func (c *campaign) owner() components.Owner {
	return components.Owner{Client: uint32(c.r.IntN(len(c.clients) + 2))}
}

func (c *campaign) place() place {
	return place{X: float32(c.r.IntN(1000)) - 500, Y: float32(c.r.IntN(1000)) - 500}
}

func (c *campaign) spawn() {
	var values []any
	for i, v := range []any{c.owner(), c.place(), shots{uint16(c.r.IntN(100))}, tint{uint8(c.r.IntN(200))}, push{}} {
		if c.r.IntN(4) > 0 || i == c.r.IntN(4) {
			values = append(values, v)
		}
	}
	if len(values) > 0 {
		c.live = append(c.live, c.server.World().Spawn(values...))
	}
}

func (c *campaign) pick() ecs.Entity { return c.live[c.r.IntN(len(c.live))] }

func (c *campaign) despawn() {
	i := c.r.IntN(len(c.live))
	c.server.World().Despawn(c.live[i])
	c.live[i] = c.live[len(c.live)-1]
	c.live = c.live[:len(c.live)-1]
}

// toggle takes a component from an entity, or gives it.
func toggle[T any](w *ecs.World, e ecs.Entity, v T) {
	if ecs.Has[T](w, e) {
		ecs.Remove[T](w, e)
	} else {
		ecs.Add(w, e, v)
	}
}

// disturb does a few things at random to the server's world.
func (c *campaign) disturb() {
	w := c.server.World()
	for range c.r.IntN(4) {
		if len(c.live) < c.most && c.r.IntN(3) > 0 {
			c.spawn()
		}
		if len(c.live) == 0 {
			continue
		}
		if c.flickers {
			for range c.r.IntN(5) {
				key := [2]uint32{uint32(1 + c.r.IntN(4)), uint32(w.NetID(c.pick()))}
				c.hidden[key] = !c.hidden[key]
			}
		}
		switch c.r.IntN(12) {
		case 0, 1:
			c.despawn()
		case 2:
			toggle(w, c.pick(), c.place())
		case 3:
			toggle(w, c.pick(), shots{uint16(c.r.IntN(100))})
		case 4:
			toggle(w, c.pick(), tint{uint8(c.r.IntN(200))})
		case 5:
			toggle(w, c.pick(), push{})
		case 6, 7:
			ecs.Add(w, c.pick(), c.owner()) // handed on, or given up
		case 8:
			toggle(w, c.pick(), c.owner())
		default:
			if p := ecs.Get[place](w, c.pick()); p != nil {
				*p = c.place()
			}
		}
	}
	if c.r.IntN(400) == 0 { // nobody is left
		for len(c.live) > 0 {
			c.despawn()
		}
	}
}

// weather changes a client's link: bad, worse, or cut off for seconds.
func (c *campaign) weather(l *netsys.Conditioner) {
	link := func() netsys.Link {
		latency := time.Duration(1+c.r.IntN(250)) * time.Millisecond
		k := netsys.Link{Latency: latency, Jitter: latency * time.Duration(c.r.IntN(101)) / 100, Loss: c.r.Float64() * 0.6, Duplicate: c.r.Float64() * 0.3}
		switch c.r.IntN(6) {
		case 0:
			k.Loss = 1
		case 1:
			k.Burst = time.Second
		}
		return k
	}
	if err := l.SetLinks(link(), link()); err != nil {
		c.t.Fatal(err)
	}
}

// Whatever happens to the world and to the packets, every client ends up with the
// server's world once its link is clean, as far as it may see it: no entity is forgotten, none outlives its
// end, none keeps components or values that it lost.
func TestCampaign(t *testing.T) {
	seeds(t, 20, 20, func(t *testing.T, seed uint64) {
		c := newCampaign(t, seed)
		stalled := make([]time.Time, len(c.clients))
		for tick := range 60 * 10 {
			if seed%3 != 0 || tick%90 < 45 { // now and then in leaps
				c.disturb()
			}
			if tick%120 == 0 {
				for _, l := range c.links {
					c.weather(l)
				}
			}
			if n := c.r.IntN(len(c.clients)); c.r.IntN(600) == 0 && c.clients[n].Connected() {
				stalled[n] = c.now.Add(time.Duration(c.r.IntN(6000)) * time.Millisecond)
			}
			if tick == 200 && seed%2 == 0 {
				c.join(ClientConfig{Gather: gatherPush(), Timeout: time.Minute}, netsys.Link{Latency: 30 * time.Millisecond, Loss: 0.2})
				stalled = append(stalled, time.Time{})
			}
			c.now = c.now.Add(testTick)
			c.server.Advance(c.now)
			for n, k := range c.clients {
				if c.now.After(stalled[n]) {
					k.Advance(c.now)
					k.Frame(c.now)
				}
			}
		}
		c.settle()
		for n := 0; n < 60*60 && c.converged() != nil; n++ {
			c.step() // a small budget takes a while
		}
		c.mustConverge()
		for n, k := range c.clients {
			// What is drawn is as old as the worst of the last ten seconds.
			for range 15 * 60 {
				if viewAgrees(k) == nil {
					break
				}
				c.step()
			}
			if err := viewAgrees(k); err != nil {
				t.Errorf("client %d: %v", n, err)
			}
			if st := k.Stats(); st.MalformedMessages > 0 {
				t.Errorf("client %d was sent %d messages that it had to refuse", n, st.MalformedMessages)
			}
		}
		if st := c.server.Stats(); st.MalformedMessages+st.SendErrors+st.FloodedMessages > 0 {
			t.Errorf("%+v", st)
		}
	})
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	r := rand.New(rand.NewPCG(seed, 7))
	config := ServerConfig{Seed: seed, Policies: policy.Policies{Timing: policy.InputTiming(r.IntN(2))}, LeavePolicy: LeavePolicy(r.IntN(2))}
	config.SendRate = []int{60, 20, 20, 6}[r.IntN(4)]
	config.Budget = []int{0, 0, 1000, 400, 200}[r.IntN(5)]
	c := &campaign{r: r, most: []int{5, 30, 300, 500}[r.IntN(4)], flickers: r.IntN(3) == 0, hidden: map[[2]uint32]bool{}}
	if c.flickers {
		config.Visible = func(w *ecs.World, e ecs.Entity, client uint32) bool {
			return !c.hidden[[2]uint32{client, uint32(w.NetID(e))}]
		}
	}
	c.game = newGame(t, plaza, config)
	for range 3 {
		c.join(ClientConfig{Gather: gatherPush(), Timeout: time.Minute}, netsys.Link{})
	}
	for range c.most / 2 {
		c.spawn()
	}
	c.connect()
	return c
}

// viewAgrees reports an entity that is drawn and does not live, or the reverse.
func viewAgrees(c *Client) error {
	drawn := map[components.NetID]uint64{}
	for t := range c.View().Tables {
		for _, id := range t.NetIDs {
			drawn[id] = t.Mask
		}
	}
	for t := range c.World().Tables {
		for _, id := range t.NetIDs {
			mask, ok := drawn[id]
			if !ok || mask != t.Mask {
				return fmt.Errorf("entity %d has components %#x, drawn are %#x (drawn at all: %v)", id, t.Mask, mask, ok)
			}
			delete(drawn, id)
		}
	}
	for id := range drawn {
		return fmt.Errorf("entity %d is drawn and does not live", id)
	}
	return nil
}
