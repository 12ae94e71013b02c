package fieldtest

import "github.com/tactusgo/tactus/systems/policy"

// InputTiming is how LocalSync uses inputs, as a row of a test.
type InputTiming bool

// The two input timings.
const (
	ViaBuffer InputTiming = false
	OnArrival InputTiming = true
)

// InputTimings are both.
var InputTimings = []InputTiming{ViaBuffer, OnArrival}

// Model returns LocalSync with this timing.
func (t InputTiming) Model() policy.Model { return policy.LocalSync{Arrival: bool(t)} }

// String returns the name that -timing has for it.
func (t InputTiming) String() string {
	if t == OnArrival {
		return "arrival"
	}
	return "buffered"
}

// Predicting returns a model whose clients predict outcomes.
func Predicting(m policy.Model) policy.Model {
	switch m := m.(type) {
	case policy.LocalSync:
		m.PredictOutcomes = true
		return m
	case policy.Buffered:
		m.PredictOutcomes = true
		return m
	case policy.CorrectOnMismatch:
		m.PredictOutcomes = true
		return m
	}
	return m
}

// WithDesync returns a model that calls f for clients whose worlds differ.
func WithDesync(m policy.Model, f func(policy.Divergence)) policy.Model {
	switch m := m.(type) {
	case policy.Rollback:
		m.Desync = f
		return m
	case policy.Lockstep:
		m.Desync = f
		return m
	}
	return m
}
