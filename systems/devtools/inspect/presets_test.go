package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// presetMatch returns a match under a preset, with lag compensation and outcomes.
func presetMatch(t *testing.T, p policy.Model) *match {
	t.Helper()
	c := yardConfig(1, 3)
	c.Server.Model = p
	c.Server.LagComp = &lagcomp.Config{}
	c.Server.Outcomes = func(l *outcome.Log) { outcome.Handle(l, outcome.Handlers[uint8]{}) }
	if policy.Is[policy.Buffered](p) {
		c.Server.WakeEvery = 3
	}
	c.Server.Schedule = func(s *ecs.Schedule) error {
		s.Stage("Authority").Add(ecs.System{Name: "look", Run: func(w *ecs.World) { lagcomp.As(w, 1, lagcomp.Claim{}) }})
		return nil
	}
	return newMatch(t, c, Config{})
}

// applies reports, for each part of the model, whether it has figures under a preset. The other parts say in a sentence why
// they have none.
var applies = map[string]func(p policy.Model) bool{
	"Re-simulation":           func(p policy.Model) bool { return policy.TraitsOf(p).Rewinds },
	"Waiting for players":     func(p policy.Model) bool { return policy.TraitsOf(p).Waits },
	"Corrections on mismatch": func(p policy.Model) bool { t := policy.TraitsOf(p); return t.Reports || t.RelaysInputs },
	"Lag compensation":        func(p policy.Model) bool { return !policy.TraitsOf(p).RelaysInputs },
	"Authority":               func(policy.Model) bool { return true },
	"Outcomes":                func(policy.Model) bool { return true },
	"Events":                  func(policy.Model) bool { return false },
}

// Under every preset, each answer is correct or says that it does not apply.
func TestPresets(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			m := presetMatch(t, preset)
			p := policy.TraitsOf(preset)
			everywhere := p.RelaysInputs

			var s statusAnswer
			m.get("/api/status", &s)
			if s.Policies != preset.String() || s.Model.Preset != preset.String() || s.SendRate != s.TickRate/s.WakeEvery || len(s.Model.Axes) < 8 || s.Model.Snapshots == everywhere {
				t.Errorf("%s, %+v, %d sends a second", s.Policies, s.Model, s.SendRate)
			}
			every := 1 // ticks a wake-up, which has the time of as many
			if policy.Is[policy.Buffered](preset) {
				every = 3
			}
			if room := s.Wakeups.Room / float64(every); room < 16_666 || room > 16_667 {
				t.Errorf("%v µs for a wake-up of %d ticks", s.Wakeups.Room, every)
			}
			if len(s.Model.Parts) != len(applies) {
				t.Errorf("%d parts", len(s.Model.Parts))
			}
			there := make(map[string]bool)
			for _, x := range s.Model.Axes {
				there[x.Name] = true
			}
			if there["window"] != p.Rewinds || there["suggest"] != p.Stamped {
				t.Errorf("axes %v", s.Model.Axes)
			}
			for _, part := range s.Model.Parts {
				if part.Title == "Outcomes" && (part.Note != "") != !p.Provisional {
					t.Errorf("%+v", part)
				}
				of, known := applies[part.Title]
				if !known || of(preset) != (len(part.Figures) > 0) || len(part.Figures) == 0 && len(part.Note) < 10 {
					t.Errorf("%+v", part)
				}
			}
			if v := figureOf(s.Model, "Lag compensation", "views"); (v > 0) == everywhere {
				t.Errorf("%d views", v)
			}
			if v := figureOf(s.Model, "Re-simulation", "ticks simulated again"); (v > 50) != (policy.Is[policy.Rollback](preset)) {
				t.Errorf("%d ticks simulated again", v)
			}
			runs := map[string]uint64{}
			for _, x := range s.Systems {
				runs[x.Path[len(x.Path)-1]] = x.Runs
			}
			again := figureOf(s.Model, "Re-simulation", "ticks simulated again")
			if ticks := runs["walk"] - again; ticks > uint64(s.Tick) || ticks+uint64(s.Tick)/100+2 < uint64(s.Tick) || runs["count"] != runs["walk"] {
				t.Errorf("%d runs of Simulate, %d of Authority, with %d again, in %d ticks", runs["walk"], runs["count"], again, s.Tick)
			}

			var c clientsAnswer
			m.get("/api/clients", &c)
			if len(c.Clients) != 3 || c.Snapshots == everywhere || c.LagComp == everywhere || c.Rewinds != p.Rewinds {
				t.Errorf("%+v", c)
			}
			for _, k := range c.Clients {
				if k.Consumed == 0 || k.RTT < 40 || k.Joining || (k.Budget == 0) != everywhere || k.Rejected > 5 || k.Lead < -60 || k.Lead > 60 {
					t.Errorf("%+v", k)
				}
				if (k.Views > 0) != (!everywhere && k.ID == 1) {
					t.Errorf("client %d: %d views", k.ID, k.Views)
				}
			}

			var a trafficAnswer
			m.get("/api/traffic?archetypes=1", &a)
			sum := 0.0
			for _, part := range a.Snapshots.Parts {
				sum += part.Sent
			}
			if a.Applies == everywhere || a.Snapshots.Sent < 1000 || sum < 0.99*a.Snapshots.Sent || sum > 1.01*a.Snapshots.Sent || (len(a.Archetypes) == 0) != everywhere || a.Inputs == 0 {
				t.Errorf("%+v", a)
			}

			var e entitiesAnswer
			if m.get("/api/entities?limit=200", &e); e.Total != posts+3 || len(e.Entities) != posts+3 {
				t.Errorf("%d entities", e.Total)
			}
			own := slices.IndexFunc(e.Entities, func(l entityLine) bool { return l.Owner == 1 })
			for _, path := range []string{"entity=1", "entity=9999", fmt.Sprintf("entity=%d", e.Entities[own].ID)} {
				var k knowsAnswer
				m.get("/api/knows?client=1&"+path, &k)
				there := path != "entity=9999"
				if k.Everywhere != everywhere || k.Exists != there || k.Joining || len(k.Why) == 0 || (k.Held > 0) != (there && !everywhere) {
					t.Errorf("%s: %+v", path, k)
				}
				if k.Own != (path != "entity=1" && there) {
					t.Errorf("%s: its own: %v", path, k.Own)
				}
			}
			m.get("/api/blame", nil)
			problems, err := promlint.New(m.do(request("/metrics", nil)).Body).Lint()
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range problems { // names, units, types and help texts are as Prometheus wants them
				if strings.HasPrefix(p.Metric, "tactus_") {
					t.Errorf("%s: %s", p.Metric, p.Text)
				}
			}
			all := m.scrape()
			if name := fmt.Sprintf(`tactus_info{policies=%q,protocol="plaza/1"}`, preset.String()); all[name] != 1 || all["tactus_ticks_total"] == 0 {
				t.Errorf("%v", all[name])
			}
			if v := all["tactus_lagcomp_views_total"]; (v > 0) == everywhere {
				t.Errorf("%v views", v)
			}
			if v := all[`tactus_relay_sent_bytes_total{part="inputs"}`]; (v > 0) != everywhere {
				t.Errorf("%v bytes relayed", v)
			}
		})
	}
}

// figureOf returns a figure of a part of the model, 0 where there is none.
func figureOf(m modelAnswer, title, name string) uint64 {
	for _, part := range m.Parts {
		for _, f := range part.Figures {
			if part.Title == title && f.Name == name {
				return f.Value
			}
		}
	}
	return 0
}

// A model that is no preset is described by its choices. The page says if lag compensation is off or does not apply.
func TestPoliciesOfNoPreset(t *testing.T) {
	c := yardConfig(1, 1)
	c.Server.Model = policy.LocalSync{Arrival: true, Missing: policy.Neutral}
	m := newMatch(t, c, Config{})
	var s statusAnswer
	m.get("/api/status", &s)
	if s.Model.Preset != "" || !strings.Contains(s.Policies, "arrival") || s.Model.Axes[0] != (axis{"input timing", "arrival"}) {
		t.Errorf("%+v", s.Model)
	}
	notes := map[string]string{}
	for _, part := range s.Model.Parts {
		notes[part.Title] = part.Note
	}
	if !strings.HasPrefix(notes["Lag compensation"], "Off") || !strings.Contains(notes["Waiting for players"], "counts as neutral") || !strings.HasPrefix(notes["Outcomes"], "None") {
		t.Errorf("%v", notes)
	}
	var all clientsAnswer
	if m.get("/api/clients", &all); all.LagComp || !all.Snapshots {
		t.Errorf("%+v", all)
	}
	c.Server.LagComp = &lagcomp.Config{Off: true}
	m = newMatch(t, c, Config{})
	m.get("/api/status", &s)
	if part := s.Model.Parts[3]; part.Title != "Lag compensation" || !strings.Contains(part.Note, "Switched off") {
		t.Errorf("%+v", part)
	}
}
