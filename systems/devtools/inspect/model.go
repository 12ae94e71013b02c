package inspect

import (
	"reflect"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// modelAnswer is the part of /api/status about the netcode model: its choices and its figures. For figures that do
// not apply it contains a sentence instead of zeros.
type modelAnswer struct {
	Model     string    `json:"model"`  // empty: not a preset
	Preset    string    `json:"preset"` // equals Model
	Axes      []axis    `json:"axes"`
	Snapshots bool      `json:"snapshots"`
	Parts     []section `json:"parts"`
}

// axis is a choice on one axis.
type axis struct {
	Name   string `json:"name"`
	Choice string `json:"choice"`
}

// section is a list of figures with a title, or a note if there are none.
type section struct {
	Title   string    `json:"title"`
	Note    string    `json:"note,omitempty"`
	Figures []counter `json:"figures,omitempty"`
}

// modelReading is a copy of the server's figures for a modelAnswer.
type modelReading struct {
	model    systems.ModelStatus
	stats    systems.ServerStats
	tick     uint32
	lagComp  *lagcomp.Stats // nil: no lag compensation
	outcomes *outcome.Stats
	events   *event.Stats
}

func readModel(s *systems.Server) (r modelReading) {
	r.model, r.stats, r.tick = s.Model(), s.Stats(), s.Tick()
	if c := s.LagComp(); c != nil {
		st := c.Stats()
		r.lagComp = &st
	}
	if l := s.Outcomes(); l != nil {
		st := l.Stats()
		r.outcomes = &st
	}
	if e := s.Config().Events; e != nil {
		st := e.Stats()
		r.events = &st
	}
	return r
}

func (x *Inspector) model(r *modelReading) modelAnswer {
	c := &x.serverConfig
	a := modelAnswer{Model: presetOf(c.Model), Preset: presetOf(c.Model), Axes: axesOf(c.Model), Snapshots: r.model.Snapshots}
	a.Parts = []section{
		rewinding(c, r), waiting(c, r), correcting(c, r), lagCompensating(c, r), authority(c, r), outcomes(c, r), events(r),
	}
	return a
}

// presetOf returns the name of the preset with these options, or "".
func presetOf(m policy.Model) string {
	for _, preset := range policy.Presets() {
		if policy.TraitsOf(preset) == policy.TraitsOf(m) {
			return preset.String()
		}
	}
	return ""
}

// modelOf returns the name of the preset, or a list of all choices.
func modelOf(m policy.Model) string {
	if name := presetOf(m); name != "" {
		return name
	}
	return policy.TraitsOf(m).String()
}

func axesOf(m policy.Model) (all []axis) {
	for _, c := range policy.TraitsOf(m).Choices() {
		all = append(all, axis{c[0], c[1]})
	}
	return all
}

func figure(name string, n uint64) counter { return counter{Name: name, Value: n} }
func level(name string, n uint64) counter  { return counter{Name: name, Value: n, Level: true} }

// rewinding returns the figures of re-simulation.
func rewinding(c *systems.ServerConfig, r *modelReading) section {
	s := section{Title: "Re-simulation"}
	if !policy.TraitsOf(c.Model).Rewinds {
		s.Note = "Does not apply: this server simulates each tick once. A late input changes no earlier tick."
		return s
	}
	behind := uint64(r.tick - min(r.model.Horizon, r.tick))
	s.Figures = []counter{
		figure("ticks simulated again", r.stats.ResimulatedTicks), figure("passes", r.model.Passes),
		level("longest pass, ticks", uint64(r.model.Longest)), level("in the newest tick", uint64(r.model.Last)),
		level("ticks not final yet", behind), level("window, ticks", uint64(r.model.Window)),
	}
	if r.model.Snapshots {
		s.Figures = append(s.Figures, level("lead of all clients, ticks", uint64(max(r.model.Lead, 0))))
	}
	return s
}

// waiting returns the figures of ticks that waited for inputs.
func waiting(c *systems.ServerConfig, r *modelReading) section {
	s := section{Title: "Waiting for players"}
	if t := policy.TraitsOf(c.Model); !t.Waits {
		s.Note = "Does not apply: no tick waits for an input; " + describeMissing(t.Missing)
		return s
	}
	s.Figures = []counter{
		figure("ticks that waited", r.model.Waits), figure("inputs given up", r.model.Relay.Filled),
		level("players that are waited for", uint64(len(r.model.WaitsFor))),
	}
	for _, id := range r.model.WaitsFor[:min(len(r.model.WaitsFor), 8)] {
		s.Figures = append(s.Figures, level("client", uint64(id)))
	}
	return s
}

// describeMissing describes what replaces a missing input.
func describeMissing(m policy.Missing) string {
	if m == policy.Neutral {
		return "a missing one counts as neutral."
	}
	return "for a missing one, the held keys are repeated."
}

// correcting returns the figures of results that clients report.
func correcting(c *systems.ServerConfig, r *modelReading) section {
	s := section{Title: "Corrections on mismatch"}
	switch t := policy.TraitsOf(c.Model); {
	case t.Reports:
		a := &r.stats.Reports
		s.Figures = []counter{
			figure("results that agreed", a.Agreed), figure("results that differed", a.Differed), figure("requests for owner state", a.Asked),
			figure("corrections opened", a.Corrections), figure("client ticks with an open correction", a.OpenTicks),
		}
	case t.RelaysInputs:
		s.Note = "Does not apply: every peer simulates everything, and nothing is corrected. Differing worlds are counted:"
		s.Figures = []counter{
			figure("hashes compared", r.model.Relay.Checked), figure("hashes that differed", r.model.Relay.Mismatch), figure("reported divergences", r.stats.Divergences),
			figure("states of the world sent", r.model.Relay.States),
		}
	default:
		s.Note = "Does not apply: every snapshot has owner state, and clients compare it themselves."
	}
	return s
}

// lagCompensating returns the figures of lag compensation.
func lagCompensating(c *systems.ServerConfig, r *modelReading) section {
	s := section{Title: "Lag compensation"}
	switch {
	case r.lagComp != nil:
		l := r.lagComp
		s.Figures = []counter{
			figure("views", l.Views), figure("clamped: ahead of the newest sent state", l.Ahead), figure("clamped: too old", l.Old),
			figure("clamped: backwards", l.Backwards), figure("without a claim", l.Unclaimed), figure("between unsent states", l.Unsent),
			level("oldest claimed, ms", 1000*uint64(l.Oldest)/uint64(max(c.TickRate, 1))),
			level("oldest allowed, ms", uint64(rewindOf(c.LagComp)/time.Millisecond)),
		}
		if c.LagComp.Off {
			s.Note = "Switched off: every view shows the present."
		}
	case policy.TraitsOf(c.Model).RelaysInputs:
		s.Note = "Does not apply: all players are drawn in the present."
	default:
		s.Note = "Off: the game did not set ServerConfig.LagComp."
	}
	return s
}

func rewindOf(c *lagcomp.Config) time.Duration {
	if c.MaxRewind == 0 {
		return lagcomp.DefaultMaxRewind
	}
	return c.MaxRewind
}

// authority returns the counters of refused inputs.
func authority(c *systems.ServerConfig, r *modelReading) section {
	return section{Title: "Authority", Figures: []counter{
		figure("inputs refused by the game", r.stats.Inputs.Refused), figure("inputs faster than ticks", r.stats.Inputs.Fast),
		figure("refusals not reported to the client, queue full", r.stats.Untold),
	}}
}

// outcomes returns the figures of irreversible outcomes.
func outcomes(c *systems.ServerConfig, r *modelReading) section {
	s := section{Title: "Outcomes"}
	switch o := r.outcomes; {
	case o == nil:
		s.Note = "None: the game did not set ServerConfig.Outcomes."
	default:
		s.Figures = []counter{
			figure("begun", o.Begun), figure("committed", o.Committed), figure("withdrawn", o.Cancelled),
			level("open", uint64(max(o.Open, 0))), figure("refused: too many open", o.Refused), figure("too late", o.Late),
		}
		if !policy.TraitsOf(c.Model).Provisional {
			s.Note = "Final at once: no tick is simulated again, so no outcome is withdrawn."
		}
	}
	return s
}

// events returns the figures of events.
func events(r *modelReading) section {
	if r.events == nil {
		return section{Title: "Events", Note: "None: the game did not set ServerConfig.Events."}
	}
	return section{Title: "Events", Figures: counters(nil, "", reflect.ValueOf(*r.events))}
}
