package runner

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// Values of -timing.
const (
	timingBuffered = "buffered"
	timingArrival  = "arrival"
)

// model returns the model of -model, as the world has it, with the timing of -timing.
func (o *Options) model(game *Game) policy.Model {
	all := game.Presets
	if len(all) == 0 {
		all = policy.Presets()
	}
	for _, m := range all {
		if m.String() != o.Preset {
			continue
		}
		if o.Timing == timingArrival {
			m = onArrival(m)
		}
		return m
	}
	return nil // validate has checked the name
}

// onArrival returns a model that uses inputs on arrival; models whose inputs are stamped stay as they are.
func onArrival(m policy.Model) policy.Model {
	switch m := m.(type) {
	case policy.LocalSync:
		m.Arrival = true
		return m
	case policy.Buffered:
		m.Arrival = true
		return m
	case policy.CorrectOnMismatch:
		m.Arrival = true
		return m
	}
	return m
}

// traits returns the traits of the model of -model.
func (o *Options) traits() policy.Traits {
	m, _ := policy.ParsePreset(o.Preset) // validate has checked the name
	return policy.TraitsOf(m)
}

// timing returns the input timing, as reports have it.
func (o *Options) timing() string {
	t := o.traits()
	t.Arrival = o.Timing == timingArrival
	return timingOf(t)
}

func timingOf(t policy.Traits) string { return t.Choices()[0][1] }

// stamped reports whether inputs name their tick.
func (o *Options) stamped() bool { return o.traits().Stamped }

// simulatesEverywhere reports whether every peer simulates everything.
func (o *Options) simulatesEverywhere() bool {
	return o.traits().RelaysInputs
}

// bufferedEvery is the number of steps per wake-up under policy.Buffered.
const bufferedEvery = 3

// applyPresetDefaults sets defaults that depend on the preset, if no flag sets the wake-ups of the server.
func (o *Options) applyPresetDefaults() {
	if o.Preset == (policy.Buffered{}).String() && o.Tick%bufferedEvery == 0 && (o.Send == 0 || o.Tick/bufferedEvery%o.Send == 0) {
		o.ServerEvery = bufferedEvery
	}
}

// removeSystems removes systems that bots do not need.
func (o *Options) removeSystems(s *ecs.Schedule) error {
	if o.thin {
		return systems.Thin(s)
	}
	for _, name := range o.without() {
		if err := s.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// canBeThin reports whether bots need not predict and draw: the model allows such clients, and no flag asks for
// figures that only full clients have.
func (o *Options) canBeThin() bool { return !o.simulatesEverywhere() && o.Without == "" && o.Push == 0 }
