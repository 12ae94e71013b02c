package policy

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Model is a netcode model with its options: a [LocalSync], [Buffered], [CorrectOnMismatch], [ServerRewind], [Rollback]
// or [Lockstep]. The zero value of each has the default options.
type Model interface {
	// String returns the name of the model, as flags spell it.
	String() string
	// Validate returns an error that wraps [ErrModel] if an option has a value that is not allowed.
	Validate() error

	traits() Traits
}

// LocalSync is server-authoritative with local synchronization. A client predicts its own entities and reconciles
// them with the server. It shows others as the server confirms them, and never re-simulates them.
type LocalSync struct {
	// Arrival uses an input in the tick in which it arrives, the oldest first. Default (false): a short queue for each
	// client, as deep as its link requires, of which each tick uses one input.
	Arrival bool
	// Missing is what a tick uses for an input that has not arrived. Default: Repeat.
	Missing Missing
	// CoSimulate makes clients simulate the entities of others in the present, like their own. Default (false): they
	// draw them slightly in the past, between two confirmed states.
	CoSimulate bool
	// PredictOutcomes makes clients predict outcomes, such as a kill. A predicted outcome is withdrawn if the server does
	// not confirm it: see package outcome. Default (false): clients learn outcomes from the server.
	PredictOutcomes bool
}

// Buffered is LocalSync with damped remotes, for a server that wakes every few steps and then consumes several inputs.
type Buffered struct {
	Arrival         bool    // As in LocalSync.
	Missing         Missing // As in LocalSync.
	PredictOutcomes bool    // As in LocalSync.
	// Damping says how clients draw the entities of others. Only a client reads it, from its own configuration.
	Damping Damping
}

// CorrectOnMismatch is LocalSync in which a client reports its result. The server sends owner state only while the two
// results differ too much, and never adopts the reported result.
type CorrectOnMismatch struct {
	Arrival         bool    // As in LocalSync.
	Missing         Missing // As in LocalSync.
	PredictOutcomes bool    // As in LocalSync.
	// Damped makes clients draw others as in Buffered, with the default Damping.
	Damped bool
}

// ServerRewind applies each input in the tick that it names. A late input makes the server simulate part of the window
// again, at most once per tick. Outcomes are final past the horizon: see package outcome.
type ServerRewind struct {
	// Window, or P, is how far back a late input may rewrite history, in whole milliseconds up to [MaxWindow]. A larger
	// window tolerates worse links. A smaller window limits the jumps that others see, the memory and the
	// re-simulation. All clients lead the server by up to half a window so that inputs arrive in time; a client whose round
	// trip is longer than about 2.5 windows leads further, alone, and sees the others later. If no input arrives in time, the
	// server logs it. With [NoWindow] late inputs are dropped, each tick is simulated once, and outcomes are final at once.
	// Default (0): 1 s.
	Window time.Duration
	// Suggest, or X, is the delay between gathering an input and applying it, on the client's own screen too, in whole
	// milliseconds up to [MaxSuggest]. It hides this much latency from the other players; the player feels it. Use
	// [NoSuggest] for no delay. Default (0): 30 ms.
	Suggest time.Duration
	// Neutral uses the zero input for one that is missing. Default (false): the last one again, without presses.
	Neutral bool
	// Remotes is how clients show the entities of others. Default: Interpolated.
	Remotes Remotes
	// FinalAfterWindow makes a tick final when it has left the window, which all peers agree on. Default (false): when
	// the inputs of all players up to this tick are known, or when it has left the window, whichever comes first.
	FinalAfterWindow bool
}

// Rollback relays the inputs of all players. Each peer simulates everything, predicts inputs that have not arrived,
// and goes back when a prediction was wrong.
type Rollback struct {
	// Window is as in ServerRewind, without NoWindow. A client whose inputs take longer than a window to arrive delays them by
	// as many ticks as they would be late, up to 255. Default (0): 1 s.
	Window time.Duration
	// Suggest is as in ServerRewind. Default (0): no delay.
	Suggest          time.Duration
	Neutral          bool // As in ServerRewind.
	FinalAfterWindow bool // As in ServerRewind.
	// Desync is called on the server for a client whose world differs from the server's. The server logs this once for
	// each client and once more when the system is found, sends the client the state of the world, and the client goes
	// on from there. If the client diverges again and again, the server sends that state after 2 s, 4 s, 8 s, up to 64 s.
	// Default (nil): log only.
	Desync func(Divergence)
}

// Lockstep simulates a tick when the inputs of all players for it have arrived. Peers send only inputs and checksums.
type Lockstep struct {
	// Suggest is the least delay between gathering an input and applying it, as in ServerRewind. Default (0): 30 ms.
	Suggest time.Duration
	// Stall is for how long a player whose input is missing may keep everybody waiting, up to [MaxStall]. Then the world
	// continues with the zero input for that player, until an input comes in time. Stall counts steps that are due,
	// whatever the rates of the server are, rounded down. Default (0): 1 s.
	Stall time.Duration
	// Desync is as in Rollback.
	Desync func(Divergence)
}

// Missing is what a tick uses for a player whose input has not arrived.
type Missing uint8

const (
	// Repeat uses the player's last input again, without edges such as a key press.
	Repeat Missing = iota
	// Neutral uses the zero input.
	Neutral
	// Supersede is Repeat, and an input that arrives late replaces the repeated one from the next tick on, unless a
	// newer one has arrived. Otherwise late inputs are dropped. With LocalSync.Arrival no input is late, and it is the
	// same as Repeat.
	Supersede
)

// Remotes is how a client shows the entities of others.
type Remotes uint8

const (
	// Interpolated draws them slightly in the past, between two confirmed states.
	Interpolated Remotes = iota
	// Damped follows the newest confirmed state. The speed grows with the distance to it: see Damping.
	Damped
	// CoSimulated simulates them in the present on the client, like the client's own entities.
	CoSimulated
)

// Damping says how the view follows the entities of others that are [Damped]. Each interpolated component moves toward
// its newest confirmed value, at Rate times its distance a second, but no slower than Rate units a second.
type Damping struct {
	// Rate is d, 1/s. The larger it is, the closer the view is to the confirmed state, and the more of each snapshot is
	// visible as a step. Default (0): 10.
	Rate float64
	// Snap is the distance beyond which the view jumps, in units of the component; for angles, directions and rotations
	// in radians. Choose somewhat more than the fastest entity covers between snapshots. Default (0): 3, which an entity
	// that only turns hardly ever exceeds.
	Snap float64
}

// Validate returns an error that wraps [ErrModel] if a field has a value that is not allowed.
func (d Damping) Validate() error {
	if !(d.Rate >= 0 && d.Rate <= 1000) || !(d.Snap >= 0) {
		return fmt.Errorf("%w: Damping %+v: use a Rate of 0 to 1000 (0: %d) and a Snap of 0 or more (0: %d)", ErrModel, d, DefaultDampingRate, DefaultDampingSnap)
	}
	return nil
}

// Divergence is a difference between the world of a client and that of the server, which were simulated from the same
// inputs.
type Divergence struct {
	// Player is the client.
	Player uint32
	// Tick is the first tick after which the worlds differ, of those that could be compared.
	Tick uint32
	// First reports that the worlds were equal after the tick before, so Tick produced the difference.
	First bool
	// Where is "Component.Field" or another part of the world. It is empty if the server no longer has the state to
	// compare with.
	Where string
	// System is the system that produced two different results on the client, with the field. It is empty while none is
	// found.
	System string
}

// String returns the divergence as one line.
func (d Divergence) String() string {
	s := fmt.Sprintf("player %d: tick %d: %s differs", d.Player, d.Tick, cmp.Or(d.Where, "the world"))
	if d.System != "" {
		s += "; not deterministic: " + d.System
	}
	return s
}

// Limits and defaults of the options.
const (
	// DefaultDampingRate and DefaultDampingSnap are the fields of Damping if they are 0.
	DefaultDampingRate = 10
	DefaultDampingSnap = 3

	// DefaultWindow is the window if the option is 0.
	DefaultWindow = time.Second
	// MaxWindow is the largest window. It bounds the history that a server stores.
	MaxWindow = 10 * time.Second
	// NoWindow is the value of ServerRewind.Window for a server that drops late inputs.
	NoWindow time.Duration = -1
	// DefaultSuggest is the delay of ServerRewind and Lockstep if the option is 0.
	DefaultSuggest = 30 * time.Millisecond
	// MaxSuggest is the largest delay.
	MaxSuggest = time.Second
	// NoSuggest is the value of Suggest for inputs that apply in the tick that gathered them.
	NoSuggest time.Duration = -1
	// DefaultStall is Lockstep.Stall if the option is 0.
	DefaultStall = time.Second
	// MaxStall is the largest Lockstep.Stall.
	MaxStall = time.Minute
)

// ErrModel is wrapped by every error of this package.
var ErrModel = errors.New("policy: invalid model")

// Presets returns all models with their default options, LocalSync first.
func Presets() []Model {
	return []Model{LocalSync{}, Buffered{}, CorrectOnMismatch{}, ServerRewind{}, Rollback{}, Lockstep{}}
}

// ParsePreset returns the model with this name, in upper or lower case, with its default options. The error wraps
// [ErrModel] and lists the names.
func ParsePreset(name string) (Model, error) {
	var names []string
	for _, m := range Presets() {
		if strings.EqualFold(m.String(), name) {
			return m, nil
		}
		names = append(names, m.String())
	}
	return nil, fmt.Errorf("%w: unknown model %q: use one of %s", ErrModel, name, strings.Join(names, ", "))
}

// Is reports whether m is an M, whatever its options are.
func Is[M Model](m Model) bool {
	_, is := m.(M)
	return is
}

// String returns "LocalSync".
func (LocalSync) String() string { return "LocalSync" }

// String returns "Buffered".
func (Buffered) String() string { return "Buffered" }

// String returns "CorrectOnMismatch".
func (CorrectOnMismatch) String() string { return "CorrectOnMismatch" }

// String returns "ServerRewind".
func (ServerRewind) String() string { return "ServerRewind" }

// String returns "Rollback".
func (Rollback) String() string { return "Rollback" }

// String returns "Lockstep".
func (Lockstep) String() string { return "Lockstep" }

// Validate implements [Model].
func (m LocalSync) Validate() error { return validMissing(m.Missing) }

// Validate implements [Model].
func (m Buffered) Validate() error {
	if err := validMissing(m.Missing); err != nil {
		return err
	}
	return m.Damping.Validate()
}

// Validate implements [Model].
func (m CorrectOnMismatch) Validate() error { return validMissing(m.Missing) }

// Validate implements [Model].
func (m ServerRewind) Validate() error {
	if m.Remotes > CoSimulated {
		return fmt.Errorf("%w: Remotes %d is unknown: use Interpolated, Damped or CoSimulated", ErrModel, m.Remotes)
	}
	if m.Window == NoWindow {
		if m.FinalAfterWindow {
			return fmt.Errorf("%w: FinalAfterWindow with NoWindow: every outcome is final at once; set it to false", ErrModel)
		}
		m.Window = 0
	}
	return validTimes(m.Window, m.Suggest)
}

// Validate implements [Model].
func (m Rollback) Validate() error { return validTimes(m.Window, m.Suggest) }

// Validate implements [Model].
func (m Lockstep) Validate() error {
	if m.Stall < 0 || m.Stall > MaxStall {
		return fmt.Errorf("%w: Stall %v is not between 0 and %v (0: %v)", ErrModel, m.Stall, MaxStall, DefaultStall)
	}
	return validTimes(0, m.Suggest)
}

func validMissing(m Missing) error {
	if m > Supersede {
		return fmt.Errorf("%w: Missing %d is unknown: use Repeat, Neutral or Supersede", ErrModel, m)
	}
	return nil
}

// validTimes checks a Window and a Suggest.
func validTimes(window, suggest time.Duration) error {
	switch {
	case window < 0 || window > MaxWindow || window%time.Millisecond != 0:
		return fmt.Errorf("%w: Window %v is not whole milliseconds up to %v (0: %v)", ErrModel, window, MaxWindow, DefaultWindow)
	case suggest != NoSuggest && (suggest < 0 || suggest > MaxSuggest || suggest%time.Millisecond != 0):
		return fmt.Errorf("%w: Suggest %v is not whole milliseconds up to %v (0: the default; none: NoSuggest)", ErrModel, suggest, MaxSuggest)
	}
	return nil
}
