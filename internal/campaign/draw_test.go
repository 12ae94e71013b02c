package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
)

// withoutVariable is the environment variable that lists the features to leave out.
const withoutVariable = "TACTUS_WITHOUT"

// draw contains everything that the seed decides before a match begins. Each feature has its own random numbers, so that
// leaving out one does not change the others.
type draw struct {
	seed     uint64
	preset   policy.Model
	server   systems.ServerConfig
	features []string // in words
	without  []string

	clients   int
	frames    int
	play      time.Duration // until it becomes quiet
	calm      uint32        // first tick in which the server does nothing
	most      int           // maximum flotsam
	churn     float64       // chance of a spawn and of a despawn in a tick
	storms    float64       // in percent
	reshape   float64
	changes   float64
	handover  float64
	whimsy    bool
	quantized bool
	local     bool
	carry     float64
	lull      [2]uint32 // range of ticks without any activity
	sight     *rule     // the interest; nil: none
	secrets   []secret
	radius    float32 // of the Grid
	hides     uint32  // the rule "blink" hides one in this number of entities from half of the clients; 0: none
	keep      bool    // the entities of a leaving player stay, without an owner
	flicker   float64 // changes of visibility per second
	budgets   []int

	late, leave, crash, back, over float64 // per second
	hitch, halt                    float64 // of clients and of the server, per second
	longest                        time.Duration
	drift                          float64
	storm                          float64     // links that get bad per second; below 0: perfect all the time
	dead                           bool        // links die for seconds
	loss                           float64     // maximum of a link, except dead ones
	flood                          bool        // the match sends more than fits, over links that lose more than half
	spectators                     bool        // one in three owns nothing
	login                          bool        // the server changes or refuses logins
	orders                         bool        // players give commands
	asks                           bool        // clients ask for fewer snapshots now and then
	vigil                          bool        // long rest at the end
	calmLink                       netsys.Link // during the rest
	judged                         func(lagcomp.View)
	scope                          bool
	assume                         bool
	partial                        bool
	thin                           bool
	own                            systems.ClientSystems // of clients that predict; set by tests, not by seeds
	sleep                          sleep
	steps                          float64       // of clocks, per second
	leap                           time.Duration // the longest
	mtu                            bool
	fleet                          uint32 // drones of each player
}

// sleep is the time for which processes are suspended.
type sleep struct {
	who  string // "all", "client" or "server"; "": nobody
	at   uint32 // tick of the server
	long time.Duration
}

// pick returns one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// everywhere reports whether every peer simulates everything.
func (d *draw) everywhere() bool { return policy.TraitsOf(d.server.Model).RelaysInputs }

// stream returns the random numbers of a feature.
func (d *draw) stream(feature string) *rand.Rand {
	var n uint64 = 14695981039346656037
	for _, c := range []byte(feature) {
		n = (n ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(d.seed, n))
}

// may decides with a chance of 1 in n whether a match has a feature. If it has, draw chooses the details.
func (d *draw) may(feature string, n int, draw func(r *rand.Rand) string) {
	r := d.stream(feature)
	if has := r.IntN(n) == 0; !has || slices.Contains(d.without, feature) {
		return
	}
	if text := draw(r); text != "" {
		d.features = append(d.features, feature+"="+text)
	} else {
		d.features = append(d.features, feature)
	}
}

// newDraw draws a match without some features.
func newDraw(t *testing.T, seed uint64, without ...string) *draw {
	t.Helper()
	presets := policy.Presets()
	d := &draw{seed: seed, preset: presets[seed%uint64(len(presets))], without: without, loss: 0.3}
	if text := os.Getenv(withoutVariable); text != "" {
		d.without = append(d.without, strings.Split(text, ",")...)
	}
	d.server.Model = d.preset
	d.server.Seed = seed
	d.draws()
	for _, name := range d.without {
		if !slices.Contains(names, name) {
			t.Fatalf("%s: there is no %q; there are %s", withoutVariable, name, strings.Join(names, ", "))
		}
	}
	if err := d.server.Validate(); err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	return d
}

// names lists all features.
var names = []string{
	"axes", "rate", "wake", "send", "busy", "asks", "frames", "churn", "storms", "reshape", "changes", "owners", "whims", "quantized", "local",
	"interest", "only", "hides", "flicker", "budget", "priority", "priorities", "coders", "links", "dead", "late", "leave", "crash", "hold",
	"return", "takeover", "hitch", "halt", "drift", "scope", "assume", "partial", "thin", "keep", "lagcomp", "crowded", "carry", "lull", "vigil",
	"spectators", "login", "orders", "sleep", "steps", "mtu", "fleet",
}

func (d *draw) draws() {
	// Properties of all matches.
	r := d.stream("size")
	d.clients = 1 + r.IntN(5)
	d.most = pick(r, 0, 8, 30, 30, 80, 140)
	d.play = time.Duration(4+r.IntN(6)) * time.Second
	d.server.TickRate, d.server.Session.Timeout = 60, time.Duration(2+r.IntN(9))*time.Second
	d.storm = -1
	if !d.everywhere() {
		d.may("crowded", 6, func(r *rand.Rand) string {
			d.flood, d.most = true, pick(r, 20, 70, 150, 400)
			d.play = min(d.play, 6*time.Second)
			return ""
		})
	}
	d.features = append(d.features, fmt.Sprintf("clients=%d", d.clients), fmt.Sprintf("flotsam=%d", d.most))

	d.may("axes", 2, d.axes)
	d.rates()
	d.world()
	d.people()
	d.told()
	if d.flood {
		d.floods(d.stream("floods"))
	}
	rate := uint32(d.server.TickRate)
	d.calm = d.server.FirstTick + uint32(d.play/time.Second)*rate
	d.may("lull", 3, func(r *rand.Rand) string {
		from, ticks := d.server.FirstTick+rate*uint32(2+r.IntN(2)), rate*uint32(1+r.IntN(2))
		d.lull = [2]uint32{from, from + ticks}
		return fmt.Sprintf("%v-%v", d.lull[0], d.lull[1])
	})
	d.may("sleep", 5, func(r *rand.Rand) string {
		x := &d.sleep
		x.who, x.at = pick(r, "all", "all", "client", "server"), d.server.FirstTick+rate*uint32(1+r.IntN(2))
		if x.long = pick(r, 10*time.Minute, time.Hour, 24*time.Hour); x.who != "all" {
			x.long = max(10*time.Minute, time.Duration(1<<15+r.IntN(1<<12))*time.Second/time.Duration(rate)) // about as far as 16 bits count
			d.server.Session.Timeout = pick(r, d.server.Session.Timeout, 48*time.Hour)
		}
		if x.who == "client" { // the server goes on, at rest
			d.calm += uint32(x.long.Seconds() * float64(rate))
		}
		return fmt.Sprintf("%s/%v/%v", x.who, x.long, d.server.Session.Timeout)
	})
	d.may("vigil", 4, func(r *rand.Rand) string {
		d.vigil, d.calmLink = true, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: pick(r, 0, 0.05, 0.1)}
		return fmt.Sprint(d.calmLink.Loss)
	})
}

// rests reports whether nothing happens in a tick.
func (d *draw) rests(tick uint32) bool {
	asleep := d.sleep.who == "client" && tick >= d.sleep.at && tick-d.sleep.at < uint32(d.sleep.long.Seconds()*float64(d.server.TickRate))
	return tick >= d.calm || tick >= d.lull[0] && tick < d.lull[1] || asleep
}

// floods makes the match send more than fits, over links that lose more than half. The numbers of sends may wrap.
func (d *draw) floods(r *rand.Rand) {
	s := &d.server
	d.frames, s.Session.Timeout = 10, time.Minute
	d.loss, d.late, d.storm, d.dead = 0.6, 0.2, 0.4, true
	if len(d.budgets) == 0 || d.budgets[0] == 0 {
		d.budgets = pick(r, []int{200}, []int{600, 200, 1000}, []int{200, 230, 300, 400})
		s.Snapshots.Budget = d.budgets[0]
	}
	if r.IntN(3) == 0 {
		s.FirstTick = (1<<16 - uint32(20+r.IntN(100))) * uint32(s.TickRate/d.sends())
	}
	d.features = append(d.features, fmt.Sprintf("crowd=%v,%d", d.budgets, s.FirstTick))
}

// sends returns the maximum number of snapshots per second.
func (d *draw) sends() int {
	s := d.server
	return cmp.Or(s.Snapshots.SendRate, s.TickRate/max(s.WakeEvery, 1))
}

// Axes are the options that a match draws.
const (
	axisTiming = iota
	axisLate
	axisMissing
	axisRemotes
	axisOutcomes
	axisOutcomesToo
	axisNone // was the axis "tolerance"
	axisHorizon
	axisWindow
	axisSuggest
	axes
)

// axes changes options of the preset's model.
func (d *draw) axes(r *rand.Rand) string {
	for range 4 {
		axis, n, t := r.IntN(axes), 0, time.Duration(0)
		switch axis {
		case axisLate, axisRemotes:
			n = r.IntN(3)
		case axisWindow:
			t = pick(r, 0, 300*time.Millisecond, 600*time.Millisecond, 2*time.Second)
		case axisSuggest:
			t = pick(r, policy.NoSuggest, 0, 60*time.Millisecond, 120*time.Millisecond)
		default:
			n = r.IntN(2)
		}
		d.server.Model = changed(d.server.Model, axis, n, t)
	}
	known := strings.Split(policy.TraitsOf(d.preset).String(), ", ")
	var changed []string
	for choice := range strings.SplitSeq(policy.TraitsOf(d.server.Model).String(), ", ") {
		if !slices.Contains(known, choice) {
			changed = append(changed, strings.ReplaceAll(choice, " ", "-"))
		}
	}
	return strings.Join(changed, ",")
}

// changed returns a model with choice n, or time t, on an axis. A choice that the model does not have changes nothing.
func changed(m policy.Model, axis, n int, t time.Duration) policy.Model {
	switch m := m.(type) {
	case policy.LocalSync:
		forward(axis, n, &m.Arrival, &m.PredictOutcomes, &m.Missing)
		switch {
		case axis == axisRemotes && n == 1:
			return policy.Buffered{Arrival: m.Arrival, Missing: m.Missing, PredictOutcomes: m.PredictOutcomes}
		case axis == axisRemotes:
			m.CoSimulate = n == 2
		}
		return m
	case policy.Buffered:
		forward(axis, n, &m.Arrival, &m.PredictOutcomes, &m.Missing)
		if axis == axisRemotes && n != 1 {
			return policy.LocalSync{Arrival: m.Arrival, Missing: m.Missing, PredictOutcomes: m.PredictOutcomes, CoSimulate: n == 2}
		}
		return m
	case policy.CorrectOnMismatch:
		forward(axis, n, &m.Arrival, &m.PredictOutcomes, &m.Missing)
		if axis == axisRemotes && n < 2 {
			m.Damped = n == 1
		}
		return m
	case policy.ServerRewind:
		rewinding(axis, n, t, &m.Neutral, &m.FinalAfterWindow, &m.Window)
		switch axis {
		case axisRemotes:
			m.Remotes = policy.Remotes(n)
		case axisSuggest:
			m.Suggest = t
		}
		return m
	case policy.Rollback:
		rewinding(axis, n, t, &m.Neutral, &m.FinalAfterWindow, &m.Window)
		if axis == axisSuggest {
			m.Suggest = max(cmp.Or(t, policy.DefaultSuggest), 0)
		}
		return m
	case policy.Lockstep:
		if axis == axisSuggest {
			m.Suggest = t
		}
		return m
	}
	return m
}

// forward changes options of models whose server never rewinds.
func forward(axis, n int, arrival, provisional *bool, missing *policy.Missing) {
	switch supersedes := *missing == policy.Supersede; axis {
	case axisTiming:
		*arrival = n == 1 && !supersedes
	case axisLate:
		if n == 0 && supersedes {
			*missing = policy.Repeat
		} else if n == 1 && !*arrival && *missing == policy.Repeat {
			*missing = policy.Supersede
		}
	case axisMissing:
		if !supersedes {
			*missing = []policy.Missing{policy.Repeat, policy.Neutral}[n]
		}
	case axisOutcomes, axisOutcomesToo:
		*provisional = n == 1
	}
}

// rewinding changes options of models that rewind for late inputs.
func rewinding(axis, n int, t time.Duration, neutral, after *bool, window *time.Duration) {
	switch axis {
	case axisMissing:
		*neutral = n == 1
	case axisHorizon:
		*after = n == 1
	case axisWindow:
		*window = t
	}
}

// busyClock returns a clock of a server by which its wake-ups take a share of their time that changes now and then: it is read when
// a wake-up begins and when it ends.
func busyClock(r *rand.Rand, every int, wakeUp time.Duration) func() time.Duration {
	passed, reads, load := time.Duration(0), 0, 0.0
	return func() time.Duration {
		if reads++; reads%2 == 0 {
			passed += time.Duration(load * float64(wakeUp))
			return passed
		}
		if r.IntN(every) == 0 {
			load = r.Float64() * 0.75 // nobody is refused
		}
		return passed
	}
}

func (d *draw) rates() {
	s := &d.server
	d.may("rate", 1, func(r *rand.Rand) string {
		if s.TickRate = pick(r, 10, 20, 25, 30, 60, 60, 100, 128); d.flood {
			s.TickRate = min(s.TickRate, 60)
		}
		return fmt.Sprint(s.TickRate)
	})
	d.may("wake", 3, func(r *rand.Rand) string {
		s.WakeEvery = pick(r, 2, 3, 4)
		for s.TickRate%s.WakeEvery != 0 {
			s.WakeEvery--
		}
		return fmt.Sprint(s.WakeEvery)
	})
	wakes := s.TickRate / max(s.WakeEvery, 1)
	d.may("send", 2, func(r *rand.Rand) string {
		s.Snapshots.SendRate = pick(r, wakes, wakes/2, wakes/3)
		for s.Snapshots.SendRate = max(s.Snapshots.SendRate, 1); wakes%s.Snapshots.SendRate != 0; {
			s.Snapshots.SendRate--
		}
		return fmt.Sprint(s.Snapshots.SendRate)
	})
	if s.Snapshots.SendRate == 0 {
		d.may("busy", 2, func(r *rand.Rand) string {
			every := pick(r, 100, 300, 1000)
			s.Overload.Clock = busyClock(r, every, time.Second/time.Duration(wakes))
			return fmt.Sprint(every)
		})
	}
	d.may("frames", 2, func(r *rand.Rand) string {
		d.frames = pick(r, 24, 60, 90)
		return fmt.Sprint(d.frames)
	})
}

func (d *draw) world() {
	d.may("churn", 2, func(r *rand.Rand) string { return set(&d.churn, pick(r, 0.05, 0.3, 1)) })
	d.may("storms", 3, func(r *rand.Rand) string { return set(&d.storms, pick(r, 0.3, 1)) })
	d.may("reshape", 2, func(r *rand.Rand) string { return set(&d.reshape, pick(r, 0.05, 0.5)) })
	d.may("changes", 2, func(r *rand.Rand) string { return set(&d.changes, pick(r, 0.002, 0.02, 0.1)) })
	d.may("owners", 2, func(r *rand.Rand) string { return set(&d.handover, pick(r, 0.01, 0.05, 0.3)) })
	d.may("carry", 3, func(r *rand.Rand) string { return set(&d.carry, pick(r, 0.01, 0.1, 0.3)) })
	d.may("whims", 2, func(*rand.Rand) string { d.whimsy = true; return "" })
	d.may("quantized", 2, func(*rand.Rand) string { d.quantized = true; return "" })
	d.may("local", 2, func(*rand.Rand) string { d.local = true; return "" })
}

// set sets a chance, and says it.
func set(to *float64, v float64) string {
	*to = v
	return fmt.Sprint(v)
}

// told is what becomes of snapshots, which some models do not have.
func (d *draw) told() {
	s := &d.server
	d.may("keep", 2, func(*rand.Rand) string { d.keep = true; return "" })
	d.may("lagcomp", 3, func(*rand.Rand) string { s.LagComp = &lagcomp.Config{}; return "" })
	if d.everywhere() {
		return
	}
	d.may("interest", 2, func(r *rand.Rand) string {
		d.sight = &rule{name: "blink"}
		if r.IntN(3) > 0 {
			*d.sight = drawRule(r, leaves...)
		}
		return d.sight.String()
	})
	d.may("only", 3, func(r *rand.Rand) string {
		names := slices.Sorted(maps.Keys(only))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:1+r.IntN(3)] {
			d.secrets = append(d.secrets, secret{name, drawRule(r, leaves...)})
		}
		return strings.ReplaceAll(fmt.Sprint(d.secrets), " ", ",")
	})
	if d.sight != nil || d.secrets != nil {
		d.radius = pick(d.stream("radius"), float32(20), 60, 150)
		d.features = append(d.features, fmt.Sprintf("radius=%v", d.radius))
	}
	if d.blinks() {
		d.may("hides", 2, func(r *rand.Rand) string {
			d.hides = pick[uint32](r, 2, 5, 30)
			return fmt.Sprint(d.hides)
		})
		d.may("flicker", 2, func(r *rand.Rand) string { return set(&d.flicker, pick(r, 1, 10, 60.0)) })
	}
	d.may("asks", 3, func(*rand.Rand) string { d.asks = true; return "" })
	d.may("budget", 2, func(r *rand.Rand) string {
		d.budgets = pick(r, []int{0}, []int{2400, 200, 1200}, []int{600, 1000, 300}, []int{200, 230, 300, 400})
		s.Snapshots.Budget = d.budgets[0]
		return strings.ReplaceAll(fmt.Sprint(d.budgets), " ", ",")
	})
	d.may("fleet", 6, func(r *rand.Rand) string {
		d.fleet, d.budgets = pick[uint32](r, 60, 120, 200), []int{pick(r, 2400, 8000)}
		s.Snapshots.Budget = d.budgets[0]
		return fmt.Sprintf("%d/%d", d.fleet, d.budgets[0])
	})
	d.may("priority", 3, func(*rand.Rand) string {
		s.Snapshots.Priority = func(w *ecs.World, e ecs.Entity, client uint32) float32 {
			return float32(1+(uint32(w.NetID(e))+client)%4) * 0.6
		}
		return ""
	})
	if s.Snapshots.Priority == nil {
		d.may("priorities", 3, func(r *rand.Rand) string {
			n := r.IntN(3)
			by := []systems.Priority{systems.ByDistance[spot](pick(r, 10.0, 60)), systems.ByComponent[hull](0.25)}
			s.Snapshots.Priority = systems.Priorities(by[n%2 : 1+(n+1)/2]...)
			return fmt.Sprint([]string{"distance", "component", "both"}[n])
		})
	}
	d.may("coders", 4, func(*rand.Rand) string { s.Snapshots.Coders = delta.ZstdOnly; return "" })
	d.may("scope", 3, func(*rand.Rand) string { d.scope = true; return "" })
	if d.scope || policy.TraitsOf(s.Model).Remotes == policy.CoSimulated {
		d.may("assume", 2, func(*rand.Rand) string { d.assume = true; return "" })
	}
	d.may("thin", 6, func(*rand.Rand) string { d.thin = true; return "" })
}

func (d *draw) people() {
	d.may("links", 1, func(r *rand.Rand) string { return set(&d.storm, pick(r, 0, 0.2, 0.6)) })
	if d.storm >= 0 {
		d.may("dead", 3, func(*rand.Rand) string { d.dead = true; return "" })
	}
	d.may("late", 2, func(r *rand.Rand) string { return set(&d.late, pick(r, 0.1, 0.4)) })
	d.may("leave", 3, func(r *rand.Rand) string { return set(&d.leave, pick(r, 0.02, 0.1)) })
	d.may("crash", 3, func(r *rand.Rand) string { return set(&d.crash, pick(r, 0.02, 0.1)) })
	d.may("hold", 2, func(r *rand.Rand) string {
		d.server.Players.ReconnectWindow = time.Duration(1+r.IntN(6)) * time.Second
		return d.server.Players.ReconnectWindow.String()
	})
	d.may("return", 2, func(r *rand.Rand) string { return set(&d.back, pick(r, 0.2, 0.6)) })
	d.may("takeover", 4, func(r *rand.Rand) string { return set(&d.over, pick(r, 0.03, 0.1)) })
	d.longest = time.Second
	d.may("hitch", 2, func(r *rand.Rand) string {
		d.longest = time.Duration(1+r.IntN(5)) * time.Second
		return set(&d.hitch, pick(r, 0.05, 0.2)) + "/" + d.longest.String()
	})
	d.may("halt", 4, func(r *rand.Rand) string { return set(&d.halt, pick(r, 0.05, 0.2)) })
	d.may("steps", 4, func(r *rand.Rand) string {
		d.leap = pick(r, time.Second, 20*time.Second, time.Hour)
		return set(&d.steps, pick(r, 0.1, 0.5)) + "/" + d.leap.String()
	})
	d.may("mtu", 4, func(*rand.Rand) string { d.mtu = true; return "" })
	d.may("drift", 2, func(r *rand.Rand) string { return set(&d.drift, pick(r, 0.0001, 0.002)) })
	d.may("spectators", 4, func(*rand.Rand) string { d.spectators = true; return "" })
	d.may("login", 4, func(*rand.Rand) string { d.login = true; return "" })
	d.may("orders", 3, func(*rand.Rand) string { d.orders = true; return "" })
	d.may("partial", 4, func(*rand.Rand) string { d.partial = true; return "" })
}

// blinks reports whether anything is hidden by the rule "blink".
func (d *draw) blinks() bool {
	var uses func(r rule) bool
	uses = func(r rule) bool { return r.name == "blink" || slices.ContainsFunc(r.of, uses) }
	return d.sight != nil && uses(*d.sight) || slices.ContainsFunc(d.secrets, func(s secret) bool { return uses(s.of) })
}

// never reports whether the rule "blink" hides an entity from a client all the time.
func (d *draw) never(client uint32, id components.NetID) bool {
	return d.hides > 0 && uint32(id)%d.hides == 0 && (uint32(id)+client)%2 == 0
}

// String returns the match in one line.
func (d *draw) String() string {
	return fmt.Sprintf("seed %d: %v %s", d.seed, d.preset, strings.Join(d.features, " "))
}

// link returns a link of the match: good, bad, worse, or dead.
func (d *draw) link(r *rand.Rand) netsys.Link {
	if d.storm < 0 {
		return netsys.Link{}
	}
	latency := time.Duration(1+r.IntN(150)) * time.Millisecond
	k := netsys.Link{Latency: latency, Jitter: latency * time.Duration(r.IntN(101)) / 100, Loss: r.Float64() * d.loss, Duplicate: r.Float64() * 0.3}
	switch r.IntN(8) {
	case 0:
		if d.dead {
			k.Loss = 1
		}
	case 1, 2:
		k.Burst = time.Duration(50+r.IntN(500)) * time.Millisecond
	case 3, 4, 5:
		k.Loss, k.Jitter = 0, 0
	}
	if d.mtu {
		k.MTU = 300 + r.IntN(900) // from four fragments for the largest datagram to one
	}
	return k
}
