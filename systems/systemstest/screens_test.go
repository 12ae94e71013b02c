package systemstest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// count is an input that says its own number.
type count struct {
	N uint16 `net:"0..30000"`
}

// echo is the newest count of a player.
type echo struct {
	N uint16 `net:"0..30000"`
}

func echoes() *ecs.Protocol {
	p := ecs.NewProtocol("echoes")
	ecs.Replicate[echo](p, ecs.Predicted)
	ecs.Input[count](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, echo{}, count{})
	})
	p.Simulate("echo", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			Echo *echo
			In   *count
		}](w) {
			r.Echo.N = max(r.Echo.N, r.In.N)
		}
	})
	return p
}

// The delay between two screens is that from the frame in which an input is gathered to the first frame of the other client in
// which its effect is in the view. Its parts, as a client knows them, add up to about the same.
func TestScreens(t *testing.T) {
	links := map[string]netsys.Link{"perfect": {}, "bad": systemstest.RoundTrip(200*time.Millisecond, 40*time.Millisecond, 0.05)}
	for _, m := range policy.Presets() {
		for name, link := range links {
			t.Run(fmt.Sprintf("%v/%s", m, name), func(t *testing.T) {
				n := [2]uint16{}
				gathered, want := [2]map[uint16]time.Time{{}, {}}, []time.Duration{}
				shown := [2]uint16{}
				var screens systemstest.Screens
				var parts time.Duration // sum over frames
				frames := 0
				c := systemstest.New(t, systemstest.Config{
					Protocol: echoes, Clients: 2, Link: link, Seed: 1,
					Server: systems.ServerConfig{Model: m, Snapshots: systems.Snapshots{SendRate: 60}},
					Play: systemstest.Play(func(k *systemstest.Client, in *count) {
						n[k.N]++
						in.N = n[k.N]
					}),
				})
				c.Connect()
				c.Run(3 * time.Second)
				before := n
				c.OnServerTick(func() {
					for _, k := range c.Clients {
						screens.Used(k.ID(), k.Status().LastInput, c.Server.World().Tick(), policy.TraitsOf(m).Stamped)
					}
				})
				c.OnFrame(func(k *systemstest.Client) {
					for ; before[k.N] < n[k.N]; before[k.N]++ {
						gathered[k.N][before[k.N]+1] = c.Now()
					}
					screens.Gathered(k.Client, c.Now())
					screens.Drew(k.Client, c.Now())
					parts += k.Stats().Delay.Sum()
					frames++
					for _, r := range ecs.All[struct {
						Echo  echo
						Owner components.Owner
					}](k.View()) {
						from := c.Clients[1-k.N]
						if r.Owner.Client != from.ID() || r.Echo.N <= shown[k.N] {
							continue
						}
						for shown[k.N] < r.Echo.N {
							shown[k.N]++
							if at, known := gathered[from.N][shown[k.N]]; known {
								want = append(want, c.Now().Sub(at))
							}
						}
					}
				})
				c.Run(20 * time.Second)
				parts /= time.Duration(frames)
				if median := screens.Quantile(0.5); parts < median-median/5-time.Second/60 || parts > median+median/5+time.Second/60 {
					t.Errorf("the parts of the delay add up to %v, half of the inputs are seen after %v", parts, median)
				}
				slices.Sort(want)
				for _, share := range []float64{0.1, 0.5, 0.9} {
					got, want := screens.Quantile(share), want[int(share*float64(len(want)))]
					if frame := time.Second / 60; want < frame/2 || got < want-frame || got > want+frame {
						t.Errorf("%v of inputs are seen after %v, want %v", share, got, want)
					}
				}
			})
		}
	}
}
