package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// rough is the link of most duels.
func rough() netsys.Link {
	return systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)
}

func TestNetcodeE5_TheDuel(t *testing.T) {
	for _, c := range []struct {
		name   string
		link   netsys.Link
		server systems.ServerConfig
	}{
		{"200ms", systemstest.RoundTrip(200*time.Millisecond, 0, 0), systems.ServerConfig{}},
		{"200ms,30ms,5%", rough(), systems.ServerConfig{}},
		{"arrival", rough(), systems.ServerConfig{Policies: policy.Policies{Timing: policy.TimingArrival}}},
		{"20Hz", rough(), systems.ServerConfig{WakeEvery: 3}},
		{"60 sends", rough(), systems.ServerConfig{SendRate: 60}},
	} {
		t.Run(c.name, func(t *testing.T) {
			systemstest.Seeds(t, 6, func(t *testing.T, seed uint64) {
				play := func(l lagcomp.Config) (*duel, outcome) {
					config := yardConfig(seed, c.link, l)
					c.server.Join, c.server.LagComp = config.Server.Join, config.Server.LagComp
					config.Server = c.server
					d := newDuel(t, config, nil)
					return d, d.fight(20 * time.Second)
				}
				d, n := play(lagcomp.Config{})
				_, off := play(lagcomp.Config{Off: true})
				t.Logf("%+v, %+v; without %+v", n, d.Server.LagComp().Stats(), off)
			})
		})
	}
}
