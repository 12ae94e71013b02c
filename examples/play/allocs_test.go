//go:build !js

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/examples/play/internal/stage"
)

// counting names in the environment the world that this process plays, to count its
// allocations: a game takes the main thread, which tests do not have.
const counting = "PLAY_COUNT_ALLOCATIONS"

func TestMain(m *testing.M) {
	if os.Getenv(counting) == "" {
		os.Exit(testsWithPrograms(m))
	}
	runtime.MemProfileRate = 1
	if err := countAllocations(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// counted is a game that ends after some frames.
type counted struct {
	*stage.Stage
	played float64 // seconds
	frames int
	before map[[32]uintptr]int64
	ticks  bool // allocations of ticks count, too
	told   error
}

// Seconds of play, in which histories go round once, and frames before those in which allocations are counted, and those.
const (
	full  = 4
	warm  = 90
	frame = 100
)

// Update implements [ebiten.Game].
func (c *counted) Update() error {
	if err := c.Stage.Update(); err != nil {
		return err
	}
	if !c.Playing() {
		return nil
	}
	if c.played += c.Step(); c.played < full {
		return nil
	}
	switch c.frames++; c.frames {
	case warm:
		c.ShowOverlay(true)
	case 2 * warm:
		c.before = allocations()
	case 2*warm + frame:
		c.told = blame(c.before, allocations(), c.ticks)
		return ebiten.Termination
	}
	return nil
}

// allocations is how many objects each place of the program has allocated so far.
func allocations() map[[32]uintptr]int64 {
	runtime.GC() // a profile tells what was so at the collection before the last
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 20000)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		panic("there are too many places that allocate")
	}
	all := make(map[[32]uintptr]int64)
	for _, r := range records[:n] {
		all[r.Stack0] += r.AllocObjects
	}
	return all
}

// blame is an error with what the module's own code has allocated for frames in between.
// What is less than one in ten frames is no cost of a frame: a letter that is drawn
// for the first time, a line of chat. ticks says that what they allocate counts, too.
func blame(before, after map[[32]uintptr]int64, ticks bool) error {
	var wrong []error
	others := int64(0)
	for stack, n := range after {
		if n -= before[stack]; n == 0 {
			continue
		}
		depth := 0
		for depth < len(stack) && stack[depth] != 0 {
			depth++
		}
		frames, own, ours := runtime.CallersFrames(stack[:depth]), false, false
		var names []string
		for first := true; ; {
			f, more := frames.Next()
			names = append(names, fmt.Sprintf("%s:%d", f.Function, f.Line))
			mine := strings.Contains(f.Function, "tactusgo/tactus")
			if first && !strings.HasPrefix(f.Function, "runtime.") {
				first, own = false, mine
			}
			ours = ours || ticks && strings.Contains(f.Function, ".(*Stage).Update") || strings.Contains(f.Function, ".(*Stage).Draw")
			if !more {
				break
			}
		}
		if ours && !own {
			others += n
		}
		if ours && own && n*10 >= frame {
			wrong = append(wrong, fmt.Errorf("%.2f a frame at %s", float64(n)/frame, strings.Join(names, " < ")))
		}
	}
	fmt.Printf("libraries: %.1f a frame\n", float64(others)/frame)
	return errors.Join(wrong...)
}

// countAllocations plays.
func countAllocations() error {
	o := stage.Options{Bots: stage.Usual, NPCs: 300, Name: "Ada"}
	world, err := pick(os.Getenv(counting))
	if err != nil {
		return err
	}
	stop, err := start(world.Name, &o, true)
	if err != nil {
		return err
	}
	defer stop()
	// Where entities come and go all the time, so does the room for them, in histories and tables of names.
	c := &counted{Stage: stage.New(world, &o), ticks: world.Name != "snowball"}
	err = c.PlayAs(c)
	return errors.Join(err, c.told)
}

// Nothing of ours allocates for a frame of any world, in play and with the overlay open.
func TestFramesAllocateNothing(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel() // most of it is waiting for the next frame
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), counting+"="+w.Name)
			cmd.WaitDelay = 5 * time.Second
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
