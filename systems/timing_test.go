package systems

import "github.com/tactusgo/tactus/systems/policy"

// inputTiming is how LocalSync uses inputs, as a row of a test.
type inputTiming bool

const (
	viaBuffer inputTiming = false
	onArrival inputTiming = true
)

var inputTimings = []inputTiming{viaBuffer, onArrival}

func (t inputTiming) model() policy.Model { return policy.LocalSync{Arrival: bool(t)} }

func (t inputTiming) String() string {
	if t == onArrival {
		return "arrival"
	}
	return "buffered"
}
