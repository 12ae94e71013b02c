//go:build !js

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
)

// sight is how many entities there are on the screen whose frames are counted.
const sight = 100

// newThrong starts a match in which everybody stays on the screen of the player called
// Ada: who leaves it comes back in at the other side. It counts who is on the screen.
func newThrong(t *testing.T) (m *playtest.Match, visible *atomic.Int64) {
	t.Helper()
	const bots = 8
	visible = new(atomic.Int64)
	m = playtest.New(t, playtest.Config{Bots: bots, NPCs: sight - bots, Each: func(w *ecs.World) { visible.Store(throng(w)) }})
	return m, visible
}

// throng keeps everybody around Ada, and counts them.
func throng(w *ecs.World) (n int64) {
	const wide, high = 960, 530 // of the 1013 by 570 units that a screen of 16 to 9 shows
	var x, y float32
	found := false
	for _, p := range ecs.All[struct {
		Pos components.Position
		Who game.Player
	}](w) {
		if p.Who.Name.String() == "Ada" {
			x, y, found = p.Pos.X, p.Pos.Y, true
		}
	}
	if !found {
		return 0
	}
	wrap := func(v *float32, mid, span float32) {
		low, top := max(mid-span/2, 0), min(mid+span/2, game.Size)
		for *v < low {
			*v += top - low
		}
		for *v > top {
			*v -= top - low
		}
	}
	for _, p := range ecs.Each[struct {
		Pos *components.Position
		Is  *game.Fighter
	}](w) {
		wrap(&p.Pos.X, x, wide)
		wrap(&p.Pos.Y, y, high)
		if !p.Is.Down {
			n++
		}
	}
	return n
}

// TestFrames prints how many frames a second a browser draws with a hundred entities in
// sight, and what its processes spend on each. With PLAY_FRAMES=1 it does; PLAY_SWITCHES
// are further switches for the browser, as in "disable-gpu=true".
func TestFrames(t *testing.T) {
	if os.Getenv("PLAY_FRAMES") == "" {
		t.Skip("PLAY_FRAMES=1 counts frames, for half a minute")
	}
	var flags []chromedp.ExecAllocatorOption
	for s := range strings.FieldsSeq(os.Getenv("PLAY_SWITCHES")) {
		name, value, _ := strings.Cut(s, "=")
		if value == "true" || value == "false" {
			flags = append(flags, chromedp.Flag(name, value == "true"))
		} else {
			flags = append(flags, chromedp.Flag(name, value))
		}
	}
	m, visible := newThrong(t)
	m.Page(t)
	b := browse(t, 1280, 720, 1, false, flags...)
	b.join(m, "Ada")
	b.insist("everybody is there", func(int) {}, func() bool { return visible.Load() > sight*9/10 })
	time.Sleep(6 * time.Second) // until the compilers of the browser have done what they do
	before := b.spent()
	times, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](`new Promise((done) => {
		const times = [];
		const step = (t) => { times.push(t); if (t - times[0] < 10000) requestAnimationFrame(step); else done(times); };
		requestAnimationFrame(step);
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	after := b.spent()
	took := make([]float64, len(times)-1)
	for i := range took {
		took[i] = times[i+1] - times[i]
	}
	n := float64(len(took))
	whole := (times[len(times)-1] - times[0]) / 1000
	slices.Sort(took)
	t.Logf("%.1f frames a second with %d entities in sight; half of them take up to %.1f ms, 99 %% up to %.1f ms", n/whole, visible.Load(),
		took[len(took)/2], took[len(took)*99/100])
	for _, who := range slices.Sorted(maps.Keys(after)) {
		if ms := (after[who] - before[who]) * 1000 / n; ms >= 0.2 {
			t.Logf("processor time: %5.1f ms a frame, %s", ms, who)
		}
	}
	b.picture("7-throng")
}

// spent is the processor time of a browser's processes, in seconds, by what they are for,
// and on Linux that of the threads of the process which draws.
func (b *browser) spent() map[string]float64 {
	b.Helper()
	var all systeminfo.GetProcessInfoResult
	if err := chromedp.FromContext(b.ctx).Browser.Call(b.ctx, systeminfo.CommandGetProcessInfo, nil, &all); err != nil {
		b.Fatal(err)
	}
	spent := map[string]float64{}
	for _, p := range all.ProcessInfo {
		spent[p.Type] += p.CPUTime
		if p.Type != "GPU" {
			continue
		}
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.ID))
		for _, name := range threads {
			line, err := os.ReadFile(name)
			if err != nil {
				continue // it has ended
			}
			_, rest, _ := strings.Cut(string(line), "(")
			thread, rest, _ := strings.Cut(rest, ") ")
			figures := strings.Fields(rest)
			const user, system, second = 11, 12, 100
			for _, i := range []int{user, system} {
				ticks, _ := strconv.ParseFloat(figures[i], 64)
				spent["GPU, threads "+thread] += ticks / second
			}
		}
	}
	return spent
}
