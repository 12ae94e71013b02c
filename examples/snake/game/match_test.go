package game

import (
	"context"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// headless plays a match of bots through a terrible link.
func headless(t *testing.T, args ...string) (*runner.Report, Proof) {
	r, err := runner.Headless(context.Background(), World(), append([]string{"-virtual",
		"-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Divergences > 0 {
		t.Errorf("differs %q, %d systems diverge: %s", r.Difference, r.Divergences, r.Divergence)
	}
	return r, r.World.(Proof)
}

// Snakes hunt and die. Some deaths are withdrawn, and every player receives each of the others once.
func TestMatch(t *testing.T) {
	_, p := headless(t, "-duration", "40s", "-seed", "3")
	if p.Withdrawn == 0 || p.Final == 0 || p.Foreseen == 0 || p.Provisional < p.Withdrawn+p.Final {
		t.Errorf("%+v: too little to prove anything", p)
	}
	if told := uint64(p.Told); told > 8*p.Final || told < 8*(p.Final-2) {
		t.Errorf("%d players were told %d times of %d deaths", 8, told, p.Final)
	}
}

// A snake alone is always where its client thinks, also when it dies.
func TestAlone(t *testing.T) {
	r, p := headless(t, "-clients", "1", "-duration", "20s", "-force-rollback")
	if r.Client.Corrections > 0 || r.Client.MaxError > 0 || p.Mistaken > 0 {
		t.Errorf("%d corrections of %v, %+v", r.Client.Corrections, r.Causes, p)
	}
}

// A snake swerves at the last moment, and its input arrives after it has died on the server. The death is withdrawn, and no
// player receives it.
func TestDeathIsWithdrawn(t *testing.T) {
	begun, withdrawn, final, told := 0, 0, 0, 0
	server := systems.ServerConfig{Model: policy.ServerRewind{}}
	join := func(w *ecs.World, client uint32, _ *struct{}) {
		s, b := newSnake(ecs.Rand{}, Snake{Length: hatch})
		s.X, s.Y, s.Turn = SizeX-40, 32, 0
		w.Spawn(components.Owner{Client: client}, s, b, components.Teleports{}, Input{})
	}
	serve(&server)
	server.Outcomes = func(l *outcome.Log) {
		outcome.Handle(l, outcome.Handlers[Death]{
			Begin:  func(*ecs.World, outcome.Outcome[Death]) { begun++ },
			Cancel: func(*ecs.World, outcome.Outcome[Death]) { withdrawn++ },
			Commit: func(*ecs.World, outcome.Outcome[Death]) { final++ },
		})
	}
	swerves := false
	c := systemstest.New(t, systemstest.Config{
		Protocol: func() *ecs.Protocol { return protocol(join) },
		Server:   server,
		Client: func(int) (c systems.ClientConfig) {
			Listen(&c, func(*Fallen) { told++ })
			return c
		},
		Play: systemstest.Play(func(k *systemstest.Client, in *Input) {
			for _, p := range ecs.Each[player](k.World()) {
				if p.Snake.X > SizeX-Width/2-2.2 && !swerves {
					swerves = true
					k.SetLinks(netsys.Link{Latency: 280 * time.Millisecond}, netsys.Link{Latency: 30 * time.Millisecond})
				}
				if swerves {
					in.Turn = 1
				}
			}
		}),
		Clients: 1,
		Link:    systemstest.RoundTrip(60*time.Millisecond, 0, 0),
	})
	c.Connect()
	c.Run(8 * time.Second)
	if begun != 1 || withdrawn != 1 || final != 0 || told != 0 {
		t.Errorf("%d deaths began, %d were withdrawn, %d final, %d told; want 1, 1, 0, 0", begun, withdrawn, final, told)
	}
	c.Settle()
	c.Converged()
}
