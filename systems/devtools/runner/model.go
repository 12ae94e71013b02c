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

// preset returns the preset of -preset.
func (o *Options) preset() policy.Preset {
	p, _ := policy.ParsePreset(o.Preset) // validate has checked the name
	return p
}

// policies returns the policies of the preset, with the timing of -timing.
func (o *Options) policies() policy.Policies {
	p := o.preset().Policies()
	if o.Timing == timingArrival {
		p.Timing = policy.TimingArrival
	}
	return p
}

// stamped reports whether inputs name their tick.
func (o *Options) stamped() bool { return o.policies().Timing == policy.TimingStamped }

// simulatesEverywhere reports whether every peer simulates everything.
func (o *Options) simulatesEverywhere() bool {
	return o.policies().Correction == policy.CorrectionInputs
}

// bufferedEvery is the number of steps per wake-up under policy.Buffered.
const bufferedEvery = 3

// applyPresetDefaults sets defaults that depend on the preset, if no flag sets the wake-ups of the server.
func (o *Options) applyPresetDefaults() {
	if o.Preset == policy.Buffered.String() && o.Send > 0 && o.Tick%bufferedEvery == 0 && o.Tick/bufferedEvery%o.Send == 0 {
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
