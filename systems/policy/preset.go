package policy

import (
	"fmt"
	"strings"
)

// Preset is a netcode model with a name.
type Preset uint8

const (
	// LocalSync is server-authoritative with local synchronization. A client predicts its own entities and reconciles
	// them with the server. It shows others as the server confirms them, and never re-simulates them.
	LocalSync Preset = iota
	// Buffered is LocalSync with damped remotes, for a server that wakes every few steps and then consumes several
	// inputs.
	Buffered
	// CorrectOnMismatch is LocalSync in which a client reports its result. The server sends owner state only while
	// the two results differ too much.
	CorrectOnMismatch
	// ServerRewind applies each input in the tick that it names. A late input makes the server simulate part of the
	// window again. Outcomes are final past the horizon.
	ServerRewind
	// Rollback relays the inputs of all players. Each peer simulates everything, predicts inputs that have not
	// arrived, and goes back when a prediction was wrong.
	Rollback
	// Lockstep simulates a tick when the inputs of all players for it have arrived. Peers send only inputs and
	// checksums.
	Lockstep
	presets
)

var presetNames = [presets]string{"LocalSync", "Buffered", "CorrectOnMismatch", "ServerRewind", "Rollback", "Lockstep"}

// String returns the preset's name, as flags spell it.
func (p Preset) String() string {
	if p < presets {
		return presetNames[p]
	}
	return fmt.Sprintf("Preset(%d)", uint8(p))
}

// ParsePreset returns the preset with this name, in upper or lower case. The error wraps [ErrPolicies] and lists the
// names.
func ParsePreset(name string) (Preset, error) {
	for i, n := range presetNames {
		if strings.EqualFold(n, name) {
			return Preset(i), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown preset %q: use one of %s", ErrPolicies, name, strings.Join(presetNames[:], ", "))
}

// Presets returns all presets, LocalSync first.
func Presets() []Preset {
	list := make([]Preset, presets)
	for i := range list {
		list[i] = Preset(i)
	}
	return list
}

// Model returns the name of the preset with the same choices, whatever Window and Suggest are. If there is none, it
// returns the choice on the correction axis, such as "correction inputs".
func (p Policies) Model() string {
	for _, preset := range Presets() {
		if preset.Policies().choices() == p.choices() {
			return preset.String()
		}
	}
	return choice{axisCorrection, uint8(p.Correction)}.String()
}

// Policies returns the policies of the preset. Those of LocalSync are the zero value. It panics for an unknown
// preset.
func (p Preset) Policies() Policies {
	switch p {
	case LocalSync:
		return Policies{}
	case Buffered:
		return Policies{Remotes: RemotesDamped}
	case CorrectOnMismatch:
		return Policies{Correction: CorrectionMismatch}
	case ServerRewind:
		return Policies{
			Timing:   TimingStamped,
			Late:     LateRewrite,
			State:    StateRewind,
			Outcomes: OutcomesPastHorizon,
		}
	case Rollback:
		return Policies{
			Timing:     TimingStamped,
			Late:       LateRewrite,
			State:      StateRewind,
			Correction: CorrectionInputs,
			Remotes:    RemotesCoSimulated,
			Outcomes:   OutcomesPastHorizon,
			Tolerance:  ToleranceExact,
			Suggest:    NoSuggest,
		}
	case Lockstep:
		return Policies{
			Timing:     TimingStamped,
			Missing:    MissingWait,
			Correction: CorrectionInputs,
			Remotes:    RemotesCoSimulated,
			Tolerance:  ToleranceExact,
		}
	}
	panic(fmt.Sprintf("policy: unknown preset %v: use one of Presets()", p))
}
