package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/policy"
)

// execute runs a world's command without a process around it.
func execute(t *testing.T, game Game, args string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(t.Context(), game, strings.Fields(args), &out, &errs)
	return code, out.String(), errs.String()
}

// A match that is interrupted says by what, also in virtual time.
func TestInterrupted(t *testing.T) {
	why := errors.New("interrupt signal received")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := Headless(ctx, plaza(), "-virtual", "-duration", "1h"); !errors.Is(err, why) {
		t.Error(err)
	}
}

// pawns counts players of the plaza, and how many clients there are.
type pawns struct {
	Pawns   int `json:"pawns"`
	Clients int `json:"clients"`
}

func proven() Game {
	game := plaza()
	game.Proof = func(s *systems.Server, clients []*systems.Client) any {
		p := pawns{Clients: len(clients)}
		for range ecs.All[struct{ Shots testgame.Shots }](s.World()) {
			p.Pawns++
		}
		return p
	}
	return game
}

// The result of Game.Proof is part of the JSON object, of the summary, and of the report that tests get.
func TestProof(t *testing.T) {
	const match = "-virtual -duration 2s -warmup 1s -clients 3 -npcs 5"
	code, out, errs := execute(t, proven(), "-headless -json "+match)
	var r struct {
		Converged bool
		World     *pawns
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || !r.Converged || r.World == nil || *r.World != (pawns{3, 3}) {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if _, out, _ := execute(t, proven(), "-headless "+match); !strings.Contains(out, "\nworld   pawns 3, clients 3\n") {
		t.Errorf("the summary is %s", out)
	}
	report, err := Headless(t.Context(), proven(), strings.Fields(match)...)
	if err != nil || report.World != (pawns{3, 3}) {
		t.Errorf("%v, %+v", err, report)
	}
	if _, out, _ := execute(t, plaza(), "-headless -json "+match); strings.Contains(out, `"world":`) {
		t.Errorf("without a proof there is one: %s", out)
	}
}

// A world has defaults of its own for flags that are not given; others are the contract's.
func TestDefaults(t *testing.T) {
	game := plaza()
	got := options(t, game)
	if got.Clients != 8 || got.NPCs != 50 || got.Preset != "LocalSync" || got.Tick != 60 || got.Send != 0 || got.RTT != 100*time.Millisecond || got.Transport != "udp" {
		t.Errorf("the contract's defaults are %+v", got)
	}
	game.Defaults = Options{Clients: 2, NPCs: -1, Tick: 30, Send: 10, ServerEvery: 3}
	game.Presets = []policy.Model{policy.Rollback{}, policy.LocalSync{}}
	delete(game.Listen, "udp")
	got = options(t, game)
	if got.Clients != 2 || got.NPCs != 0 || got.Preset != "Rollback" || got.Tick != 30 || got.Send != 10 || got.ServerEvery != 3 || got.Transport != "ws" || got.Loss != 0.02 {
		t.Errorf("the world's defaults are %+v", got)
	}
	game.Defaults.Preset = "LocalSync"
	if got = options(t, game, "-clients", "5"); got.Preset != "LocalSync" || got.Clients != 5 {
		t.Errorf("the preset is %s, and there are %d clients", got.Preset, got.Clients)
	}
}

// latecomer is a guest who joins when the others have played for a second.
type latecomer struct{ Bot }

func (l latecomer) Configure(c *systems.ClientConfig) { c.Start = c.Start.Add(time.Second) }

// Guests are additional bots, and may join later.
func TestGuests(t *testing.T) {
	game := proven()
	game.Defaults.Guests = 1
	bot := game.Bot
	game.Bot = func(o *Options, n int) Bot {
		if n == o.Clients {
			return latecomer{bot(o, n)}
		}
		return bot(o, n)
	}
	var late []uint32
	proof := game.Proof
	game.Proof = func(s *systems.Server, clients []*systems.Client) any {
		for _, c := range clients {
			if tick, _ := c.Loaded(); tick > 60 {
				late = append(late, c.ID())
			}
		}
		return proof(s, clients)
	}
	r, err := Headless(t.Context(), game, "-virtual", "-duration", "4s", "-warmup", "1s", "-clients", "2")
	if err != nil || !r.Converged || r.Clients != 2 || r.World != (pawns{3, 3}) || len(late) != 1 || late[0] != 3 {
		t.Errorf("%v: late came %v; %+v", err, late, r)
	}
	if code, _, errs := execute(t, game, "-headless -virtual -guests -1"); code != ExitUsage || !strings.Contains(errs, "-guests -1: 0 to 1000 are allowed") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// A flag that the world does not support is refused in a line with the allowed values.
func TestWhatAWorldDoesNotHave(t *testing.T) {
	bare := plaza()
	bare.Listen, bare.Inspect, bare.Push, bare.Place = nil, nil, nil, nil
	bare.Presets = []policy.Model{policy.LocalSync{}, policy.Lockstep{}}
	for args, want := range map[string]string{
		"-headless -virtual -model Rollback":              "-model Rollback: allowed are LocalSync, Lockstep",
		"-headless":                                       "allowed is -headless -virtual",
		"-serve 127.0.0.1:0":                              "allowed is -headless -virtual",
		"-inspect 127.0.0.1:0":                            "-inspect",
		"-headless -virtual -push 1s":                     "-push",
		"-headless -virtual -transport x":                 "allowed are udp, ws",
		"-headless -virtual -model Rollback -clients two": "-clients",
	} {
		code, out, errs := execute(t, bare, args)
		if code != ExitUsage || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%s: exit code %d, %q; want a line with %q", args, code, errs, want)
		}
	}
	if r, err := Headless(t.Context(), bare, "-virtual", "-duration", "2s", "-warmup", "1s", "-clients", "1"); err != nil || !r.Converged || r.Client.MaxError != 0 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A missing field of Game is an error that names it.
func TestForgotten(t *testing.T) {
	for want, forget := range map[string]func(g *Game){
		"Game.Protocol is nil": func(g *Game) { g.Protocol = nil },
		"Game.Bot is nil":      func(g *Game) { g.Bot = nil },
		"tcp":                  func(g *Game) { g.Listen["tcp"] = g.Listen["udp"] },
		"Presets allows":       func(g *Game) { g.Presets, g.Defaults.Preset = []policy.Model{policy.Lockstep{}}, "LocalSync" },
	} {
		game := plaza()
		forget(&game)
		if _, err := Headless(t.Context(), game, "-virtual"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is not about %q", err, want)
		}
	}
}

// The same flags are the same match.
func TestVirtualMatchesRepeat(t *testing.T) {
	play := func(seed string) string {
		r, err := Headless(t.Context(), plaza(), "-virtual", "-duration", "3s", "-warmup", "1s", "-seed", seed)
		if err != nil || !r.Converged || r.Server.InputsConsumed == 0 {
			t.Fatalf("-seed %s: %v %+v", seed, err, r)
		}
		return r.WorldHash
	}
	if a, b, c := play("1"), play("1"), play("2"); a != b || a == c {
		t.Errorf("hashes %s and %s of one seed, %s of another", a, b, c)
	}
}

// A bot of a function holds nothing any more in the closing phase.
func TestBotsLetGo(t *testing.T) {
	held, free := 0, 0
	game := plaza()
	game.Bot = func(*Options, int) Bot {
		return NewBot(func(_ *systems.Client, in *testgame.Push) { in.DX = 1 })
	}
	game.Server = func(_ *Options, c *systems.ServerConfig) {
		c.Schedule = func(s *ecs.Schedule) error {
			s.Stage("After").Add(ecs.System{Name: "keys", Run: func(w *ecs.World) {
				for _, e := range ecs.Each[testgame.Pawn](w) {
					if e.In.DX == 1 {
						held, free = held+1, 0
					} else {
						free++
					}
				}
			}})
			return nil
		}
	}
	r, err := Headless(t.Context(), game, "-virtual", "-duration", "3s", "-clients", "1")
	if err != nil || !r.Converged || held < 100 || free < 40 {
		t.Errorf("%v: keys were held in %d ticks, and free in the last %d: %s", err, held, free, r.Difference)
	}
}
