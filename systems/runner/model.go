package runner

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// The timings that -timing knows.
const (
	timingBuffered = "buffered"
	timingArrival  = "arrival"
)

// preset is the model that -preset names.
func (o *Options) preset() policy.Preset {
	p, _ := policy.ParsePreset(o.Preset) // validate has looked
	return p
}

// policies are those of the preset, with the timing that was asked for.
func (o *Options) policies() policy.Policies {
	p := o.preset().Policies()
	if o.Timing == timingArrival {
		p.Timing = policy.TimingArrival
	}
	return p
}

// stamped reports whether inputs say in which tick they apply, so that servers go back or
// wait for them.
func (o *Options) stamped() bool { return o.policies().Timing == policy.TimingStamped }

// everywhere reports whether every peer simulates everything.
func (o *Options) everywhere() bool { return o.policies().Correction == policy.CorrectionInputs }

// bufferedEvery is after how many steps a server wakes under policy.Buffered.
const bufferedEvery = 3

// suit chooses what a preset is for, where nobody has said how often the server wakes.
func (o *Options) suit() {
	if o.Preset == policy.Buffered.String() && o.Send > 0 && o.Tick%bufferedEvery == 0 && o.Tick/bufferedEvery%o.Send == 0 {
		o.ServerEvery = bufferedEvery
	}
}

// leaveOut removes what bots do without.
func (o *Options) leaveOut(s *ecs.Schedule) error {
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

// canBeThin reports whether bots may predict and draw nothing: the model has such clients, and no
// flag asks for what only others show.
func (o *Options) canBeThin() bool { return !o.everywhere() && o.Without == "" && o.Push == 0 }
