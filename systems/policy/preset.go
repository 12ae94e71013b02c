package policy

import (
	"fmt"
	"strings"
)

// Preset is a netcode model by name: policies that go together.
type Preset uint8

const (
	// LocalSync is server-authoritative with local synchronization: a client
	// predicts its own entities and reconciles them with the server, others are
	// shown as the server confirms them, and nobody re-simulates anybody else.
	LocalSync Preset = iota
	// Buffered is LocalSync with damped presentation, for a server that wakes
	// every few steps and consumes several inputs then.
	Buffered
	// CorrectOnMismatch is LocalSync in which a client reports its result, and the
	// server sends it its own state only while the two differ too much.
	CorrectOnMismatch
	// ServerRewind lets an input say in which tick it applies; one that comes late
	// makes the server simulate a window of the past again. Outcomes are final past
	// the horizon.
	ServerRewind
	// Rollback relays everybody's inputs: each peer simulates everything, guesses
	// what has not arrived, and goes back when it guessed wrong.
	Rollback
	// Lockstep simulates no tick before everybody's input for it is in. Nothing but
	// inputs and checksums is sent.
	Lockstep
	presets
)

var presetNames = [presets]string{"LocalSync", "Buffered", "CorrectOnMismatch", "ServerRewind", "Rollback", "Lockstep"}

// String is the preset's name as flags spell it.
func (p Preset) String() string {
	if p < presets {
		return presetNames[p]
	}
	return fmt.Sprintf("Preset(%d)", uint8(p))
}

// ParsePreset finds a preset by its name, in upper or lower case. The error wraps
// [ErrPolicies] and lists the names.
func ParsePreset(name string) (Preset, error) {
	for i, n := range presetNames {
		if strings.EqualFold(n, name) {
			return Preset(i), nil
		}
	}
	return 0, fmt.Errorf("%w is called %q; there are %s", ErrPolicies, name, strings.Join(presetNames[:], ", "))
}

// Presets lists all presets, LocalSync first.
func Presets() []Preset {
	list := make([]Preset, presets)
	for i := range list {
		list[i] = Preset(i)
	}
	return list
}

// Model is the name of the preset that makes these choices, whatever Window and Suggest are, or,
// where none does, what tells most of them: "correction inputs".
func (p Policies) Model() string {
	for _, preset := range Presets() {
		if preset.Policies().choices() == p.choices() {
			return preset.String()
		}
	}
	return choice{axisCorrection, uint8(p.Correction)}.String()
}

// Policies is what the preset stands for. Those of LocalSync are the zero value.
// It panics for a number that is no preset.
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
	panic(fmt.Sprintf("policy: Policies of %v: take one of the presets", p))
}
