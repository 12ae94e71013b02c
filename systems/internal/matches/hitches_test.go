package matches_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// hitch is a client, or the server, that stands still for seconds, in a match under a model at rate ticks per second.
type hitch struct {
	preset  policy.Model
	rate    int
	seconds int
	server  bool
}

func (h hitch) String() string {
	return fmt.Sprintf("%v/%d/%s/%ds", h.preset, h.rate, h.who(), h.seconds)
}

func (h hitch) who() string {
	if h.server {
		return "server"
	}
	return "player"
}

func (h hitch) length() time.Duration { return time.Duration(h.seconds) * time.Second }

func (h hitch) tick() time.Duration { return time.Second / time.Duration(h.rate) }

// limit returns the time in which all play again.
func (h hitch) limit() time.Duration { return h.length() + 2*time.Second }

// aftermath is what a hitch does to the match.
type aftermath struct {
	again   time.Duration // from the end of the hitch until the hitching client, or client 1, plays as before
	stopped time.Duration // the longest time for which anybody else did not move, beyond a tick
}

// never is how long it takes where it does not happen in twice the limit.
const never = time.Duration(math.MaxInt64)

// stall is how long lockstep waits for an input, by default.
const stall = time.Second

// body holds the components of a player that all peers have.
type body struct {
	Own components.Owner
	Pos components.Position
}

// walks is the movement of a player as another peer sees it.
type walks struct {
	x       float32
	since   time.Time     // it is there
	longest time.Duration // that it stayed anywhere
}

// see returns whether the player has moved, after which time, and how far.
func (s *walks) see(now time.Time, x float32) (moved bool, after time.Duration, by float32) {
	after, by = now.Sub(s.since), x-s.x
	s.longest = max(s.longest, after)
	if by == 0 {
		return false, after, 0
	}
	s.x, s.since = x, now
	return true, after, by
}

// play has three players walk up along X. The hitching player, or player 1, walks down from the end of the hitch on. The time
// until all play again starts at the end of the hitch. It ends as soon as the following holds permanently for that player:
//
//   - In every tick the server applies an input that the player gathered after the hitch and that it has not applied before. A
//     client may repeat a single input while the delay of lockstep grows.
//   - The time between gathering and applying an input is at most 125 ms or two ticks longer than before the hitch. Lockstep is
//     exempt because its common delay follows the slowest link of the last seconds.
//   - The player itself and both others see the player move as these inputs say, at least every 125 ms or two ticks. A view
//     that moves backwards restarts the time.
func (h hitch) play(t *testing.T) (a aftermath) {
	const hitcher = 1
	config := fieldtest.PresetConfig(h.preset, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
	patience := 2*h.length() + 20*time.Second // nobody is thought to be gone
	config.Server.TickRate, config.Server.Session.Timeout = h.rate, patience
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Session: systems.ClientSession{Timeout: patience}}
	}
	var end time.Time
	var first uint16                   // input after the hitch
	gathered := make([][]time.Time, 3) // when each client gathered its inputs
	config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
		*in = fieldtest.Walk{DX: 1, N: uint16(len(gathered[k.N]))}
		gathered[k.N] = append(gathered[k.N], k.Now())
		if k.N == hitcher && !end.IsZero() && !k.Now().Before(end) {
			if first == 0 {
				first = in.N
			}
			in.DX = -1
		}
	})
	c := systemstest.New(t, config)
	c.Connect()
	ran := map[uint32]time.Time{} // when the server ran a tick
	steps, tick := fieldtest.KeepJournal(c.Server.World()), c.Server.Tick()
	c.OnServerTick(func() {
		for ; tick < c.Server.Tick(); tick++ {
			ran[tick+1] = c.Now()
		}
	})
	c.Run(8 * time.Second)
	before := tick
	id := c.Clients[hitcher].ID()
	end = c.Now().Add(h.length())
	if h.server {
		c.StallServer(h.length())
	} else {
		c.Clients[hitcher].Stall(h.length())
	}

	// Everybody else moves for themselves and for the server.
	others := map[[2]uint32]*walks{}
	watch := func(peer uint32, w *ecs.World) {
		for _, r := range ecs.All[body](w) {
			if r.Own.Client == id || peer != 0 && peer != r.Own.Client {
				continue
			}
			key := [2]uint32{peer, r.Own.Client}
			if others[key] == nil {
				others[key] = &walks{x: r.Pos.X, since: c.Now()}
			}
			others[key].see(c.Now(), r.Pos.X)
		}
	}
	c.OnServerTick(func() { watch(0, c.Server.World()) })
	c.OnClientTick(func(k *systemstest.Client) {
		if k.N != hitcher {
			watch(k.ID(), k.World())
		}
	})

	// All see the one go down, in steps that may be as far apart as snapshots are.
	pause := max(2*h.tick(), time.Second/8)
	wrong := end
	seen := make([]walks, len(c.Clients))
	c.OnFrame(func(k *systemstest.Client) {
		for _, r := range ecs.All[body](k.View()) {
			if r.Own.Client != id || c.Now().Before(end) {
				continue
			}
			if s := &seen[k.N]; s.since.IsZero() {
				*s = walks{x: r.Pos.X, since: c.Now()}
			} else if moved, after, by := s.see(c.Now(), r.Pos.X); moved && (by > 0 || after > pause) {
				wrong = c.Now()
			}
		}
	})
	c.Run(h.length() + 2*h.limit())

	// The server applies inputs gathered since, as its ticks were simulated last: a new one in each, but that the client
	// itself repeats one when the delay of lockstep becomes longer.
	applied := map[uint32]uint16{}
	for _, s := range steps.ForOwner(id) {
		applied[s.Tick] = s.In.N
	}
	settled := c.Now().Add(-time.Second)
	wait := func(tick uint32) time.Duration { return ran[tick].Sub(gathered[hitcher][applied[tick]]) }
	most := max(wait(before), wait(before-1)) + pause
	if policy.Is[policy.Lockstep](h.preset) {
		most = never // the common delay follows the slowest link of the last seconds
	}
	for ; ran[tick].After(wrong); tick-- {
		if now := applied[tick]; ran[tick].Before(settled) && (int16(now-applied[tick-2]) <= 0 || int16(now-first) < 0 || wait(tick) > most) {
			wrong = ran[tick]
		}
	}
	a.again = wrong.Sub(end).Round(time.Nanosecond)
	for _, s := range seen {
		if wrong.After(settled) || c.Now().Sub(s.since) > pause {
			a.again = never
		}
	}
	for _, s := range others {
		a.stopped = max(a.stopped, s.longest, c.Now().Sub(s.since))
	}
	a.stopped -= h.tick()
	return a
}

var update = flag.Bool("update", false, "write the longest hitches into the page")

// hitchesPage has a row for each model, with the longest time over all tick rates for each length of a hitch.
const hitchesPage = "../../../docs/models.md"

var (
	hitchRates   = []int{10, 20, 30, 60, 128}
	hitchSeconds = []int{1, 2, 5, 10}
)

// hitches returns the matches by model, tick rate and hitching machine, each with the length that the test plays by default;
// 0 for none.
func hitches() (all []hitch) {
	for _, server := range []bool{false, true} {
		for place, p := range policy.Presets() {
			for n, rate := range hitchRates {
				h, k := hitch{preset: p, rate: rate, server: server}, n+place
				if server {
					k += 3
				}
				if k %= len(hitchRates); k < len(hitchSeconds) {
					h.seconds = hitchSeconds[k]
				}
				all = append(all, h)
			}
		}
	}
	return all
}

// tenths prints a time in seconds, rounded up.
func tenths(d time.Duration) string {
	if d == never {
		return "never"
	}
	return fmt.Sprintf("%.1f s", max(math.Ceil(d.Seconds()*10-0.01), 0)/10)
}

// After a player or the server has stalled for h seconds, the player plays again within h + 2 seconds under every model. While
// a player stalls, other players stop only under lockstep, and only for the configured time. docs/models.md has the longest
// times. This test plays some of the matches, or all with TACTUS_HITCHES=all. The flag -update writes the page.
func TestHitches(t *testing.T) {
	t.Parallel()
	all := *update || os.Getenv("TACTUS_HITCHES") == "all"
	file, err := os.ReadFile(hitchesPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(file)
	longest := map[string][]time.Duration{} // by the head of a row
	for i, match := range hitches() {
		head := fmt.Sprintf("| `%v` | %s |", match.preset, match.who())
		if longest[head] == nil {
			longest[head] = make([]time.Duration, len(hitchSeconds))
		}
		for k, seconds := range hitchSeconds {
			if !all && (match.seconds != seconds || i%7 != 0) { // a seventh meets every model and length
				continue
			}
			h := match
			h.seconds = seconds
			t.Run(h.String(), func(t *testing.T) {
				a := h.play(t)
				if a.again > h.limit() {
					t.Errorf("plays again after %v", tenths(a.again))
				}
				if !h.server && (!policy.Is[policy.Lockstep](h.preset) && a.stopped > h.tick() || a.stopped > h.tick()+stall) {
					t.Errorf("somebody else stopped for %v", a.stopped)
				}
				longest[head][k] = max(longest[head][k], a.again)
			})
		}
	}
	for head, times := range longest {
		line := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(head) + ".*$")
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line.FindString(page), head+" "), " |"), " | ")
		if len(cells) != len(hitchSeconds) {
			t.Fatalf("%s has no row %s…", hitchesPage, head)
		}
		is := make([]string, len(times))
		for k, longest := range times {
			is[k] = tenths(longest)
			says, err := time.ParseDuration(strings.ReplaceAll(cells[k], " ", ""))
			if !*update && (err != nil || longest > says+time.Millisecond || all && is[k] != cells[k]) {
				t.Errorf("%s says %s for a hitch of %d s in row %s, it is %s; -update writes it", hitchesPage, cells[k], hitchSeconds[k], head, is[k])
			}
		}
		if *update {
			page = line.ReplaceAllLiteralString(page, head+" "+strings.Join(is, " | ")+" |")
		}
	}
	if *update {
		if err := os.WriteFile(hitchesPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
