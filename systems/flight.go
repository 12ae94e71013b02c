package systems

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/flight"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/save"
)

// Flight makes a server keep what happened in the last ticks, so that [Rerun] can simulate them again: the inputs that were
// applied, joins, leaves, commands, messages and claims, and a checkpoint of the world from time to time. It contains no keys
// and no tokens, but what players wrote. The server writes the flight to a file when the game panics, and when the world of a
// client differs under Rollback and Lockstep. [Server.SaveFlight] writes it at any time. The zero value has good defaults.
type Flight struct {
	// File is the name of the file. It is replaced as a whole: see save.Replace. A server that cannot write it logs one error,
	// and the match continues. Default (""): only SaveFlight writes the flight.
	File string
	// Written, if not nil, is called instead of the log after the file was written, or could not be because of err. Any goroutine
	// calls it.
	Written func(reason string, err error)
	// Length is how much time is kept at least, from 1 s to 1 h. A checkpoint is made four times in that time, at least every
	// 15 s. Default (0): one minute.
	Length time.Duration
	// MaxBytes is the largest memory of the flight in bytes, beside what happened since the last checkpoint, from 64 KiB to
	// 256 MiB. If Length takes more, less is kept. Default (0): 16 MiB.
	MaxBytes int
}

const (
	defaultFlight      = time.Minute
	defaultFlightBytes = 16 << 20
	maxCheckpoint      = 15 * time.Second
	// hashEvery is the number of ticks from one hash of the world to the next, where nothing else needs the hash of each tick.
	hashEvery = 8
)

// ErrFlight is wrapped by the errors of [Rerun] and [Server.SaveFlight].
var ErrFlight = errors.New("systems: flight")

// validate returns an error for fields that are out of range.
func (f *Flight) validate() error {
	switch {
	case f == nil:
	case f.Length != 0 && (f.Length < time.Second || f.Length > time.Hour):
		return fmt.Errorf("%w: Flight.Length is %v: set it between 1 s and 1 h (0: %v)", ErrConfig, f.Length, defaultFlight)
	case f.MaxBytes != 0 && (f.MaxBytes < 64<<10 || f.MaxBytes > flight.MaxFile):
		return fmt.Errorf("%w: Flight.MaxBytes is %d: set it between 65,536 and %d (0: %d)", ErrConfig, f.MaxBytes, flight.MaxFile, defaultFlightBytes)
	}
	return nil
}

// flightRecorder keeps the flight of a server.
type flightRecorder struct {
	*flight.Log
	s       *Server
	file    string
	told    func(reason string, err error)
	length  uint32 // in ticks
	next    uint32 // the next tick to add, where only final ticks are added
	fresh   bool   // a checkpoint was made before the coming tick
	claims  flightClaims
	quiet   uint32 // divergences before this tick are not written
	writing sync.WaitGroup
}

// newFlight returns the recorder of a server, nil without ServerConfig.Flight.
func newFlight(s *Server) (*flightRecorder, error) {
	c := s.config.Flight
	if c == nil {
		return nil, nil
	}
	if s.config.LagComp != nil && rewrites(s.traits()) && !s.traits().RelaysInputs {
		return nil, fmt.Errorf("%w: Flight: a rerun cannot repeat LagComp under %s, because late inputs change ticks that players have seen", ErrConfig, s.config.Model)
	}
	length := cmp.Or(c.Length, defaultFlight)
	ticks := func(d time.Duration) uint32 { return uint32(max(d*time.Duration(s.config.TickRate)/time.Second, 1)) }
	f := &flightRecorder{s: s, file: c.File, told: c.Written, length: ticks(length), next: s.config.FirstTick}
	var neutral []int32
	if in := s.protocol.Input(); in != nil {
		neutral = in.Schema.NeutralWords()
	}
	f.Log = flight.New(flight.Config{Length: f.length, Every: ticks(min(length/4, maxCheckpoint)), MaxBytes: cmp.Or(c.MaxBytes, defaultFlightBytes), Neutral: neutral})
	return f, nil
}

// listOutside lists the systems of the game outside of ticks, and makes the flight note when they run. own has the names of the
// other systems. Under models that simulate ticks again, such systems cannot change the world, and are left out.
func (s *Server) listOutside(own []string) {
	s.stages.schedule.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
		if path[0] == s.stages.onTick.Name || slices.Contains(own, path[len(path)-1]) {
			return nil
		}
		f, i := s.flight, len(s.stages.outside)
		s.stages.outside = append(s.stages.outside, run)
		if f == nil || s.model.line != nil {
			return nil
		}
		return func(w *ecs.World) {
			f.Outside(i)
			run(w)
		}
	})
}

// beginWakeUp makes a checkpoint if one is due. Models that simulate ticks again make checkpoints of final ticks: see settle.
func (f *flightRecorder) beginWakeUp() {
	if f == nil || f.s.model.line != nil || !f.Due(f.s.link.tick) || !f.claims.complete(f) {
		return
	}
	f.checkpoint(f.s.link.tick, f.s.world.Netcode().Save)
}

// flightClaims keeps the states of lag compensation for the next checkpoint. Each tick before the checkpoint copies one state, so that
// the tick of the checkpoint does not copy all of them.
type flightClaims struct {
	states *ecs.WorldHistory // nil: none are kept now
	first  uint32            // tick of the first of them
	spare  *ecs.WorldHistory // of the last checkpoint
}

// complete reports whether the states are complete.
func (x *flightClaims) complete(f *flightRecorder) bool {
	return f.s.lagComp == nil || !f.Started() || x.states != nil && f.s.link.tick-x.first > uint32(x.states.Len())
}

// capture captures lag compensation for a checkpoint. It returns nil if there is none, or nothing to capture.
func (x *flightClaims) capture(f *flightRecorder) (encode func(dst []byte) []byte) {
	if f.s.lagComp == nil {
		return nil
	}
	if x.states == nil { // the first checkpoint, before anything was recorded
		x.states = f.s.lagComp.NewHistory()
	}
	x.spare, x.states = x.states, nil
	return f.s.lagComp.Save(x.spare)
}

// recorded adds that lag compensation has recorded the world under a tick.
func (f *flightRecorder) recorded(tick uint32) {
	if f == nil {
		return
	}
	f.Claim(flight.Recorded, 0, tick)
	x := &f.claims
	if x.states == nil && f.Started() && f.DueBy(tick, f.s.lagComp.Len()+1) {
		f.Finish() // which uses spare
		x.states, x.first = x.spare, tick
	}
	if x.states != nil {
		x.states.Capture(tick)
	}
}

// claim adds what lag compensation was told about a client, if it is more than before.
func (f *flightRecorder) claim(kind flight.ClaimKind, client, number uint32, before *uint32) {
	if f != nil && number > *before {
		*before = number
		f.Claim(kind, client, number)
	}
}

// checkpoint makes a checkpoint before a tick.
func (f *flightRecorder) checkpoint(tick uint32, capture func() (func(dst []byte) []byte, error)) {
	encode, err := capture()
	if err != nil {
		f.s.config.Logger.Error("the flight ends, because the world cannot be saved", "error", err)
		f.s.flight, f.Log = nil, flight.New(flight.Config{})
		return
	}
	f.Checkpoint(tick, func(dst []byte) []byte { return encode((&saved.State{Tick: tick}).Append(dst)) }, f.claims.capture(f))
	f.fresh = true
}

// Begin implements [serverapply.Recorder]: it adds the hash of the world before a tick, if one is due.
func (f *flightRecorder) Begin(tick uint32) {
	if f.Started() && (f.fresh || tick%hashEvery == 0) {
		f.fresh = false
		f.Hash(f.s.world.Hash())
	}
}

// settle adds the ticks before horizon, which have become final.
func (f *flightRecorder) settle(horizon uint32) {
	for ; f.s.flight == f && f.next < horizon; f.next++ {
		f.addFinal(f.next)
	}
}

// addFinal adds a tick of the timeline. The tick is final.
func (f *flightRecorder) addFinal(tick uint32) {
	line := f.s.model.line
	if f.Due(tick) && !f.checkpointFinal(tick) {
		return
	}
	if sum, ok := line.Hash(tick - 1); ok {
		f.Hash(sum)
	} else if f.fresh || tick%hashEvery == 0 {
		f.Hash(line.HashBefore(tick))
	}
	f.fresh = false
	line.Describe(tick, f)
	f.Run()
}

// checkpointFinal makes a checkpoint before a tick of the timeline, which is final. It returns false if the flight has ended.
func (f *flightRecorder) checkpointFinal(tick uint32) bool {
	f.checkpoint(tick, func() (func(dst []byte) []byte, error) { return f.s.model.line.History().Save(tick) })
	return f.s.flight == f
}

// message adds a message of a client, and passes it to the game. Under models that simulate ticks again, messages cannot change
// the world, and are left out. So are events that the game does not see because there are too many.
func (f *flightRecorder) message(client uint32, number int, message []byte) error {
	s := f.s
	if s.model.line != nil {
		return s.handleMessage(client, number, message)
	}
	limited := func() uint64 {
		if s.config.Events == nil {
			return 0
		}
		return s.config.Events.Stats().Limited
	}
	before, at := limited(), f.Message(client, number, message)
	err := s.handleMessage(client, number, message)
	if limited() > before {
		f.Remove(at)
	}
	return err
}

// SaveFlight captures the flight of the last ticks: see ServerConfig.Flight. It returns a function that encodes the capture as
// the contents of a file, for [Rerun] and save.Replace. Any goroutine may call it once, while the server continues. Its error
// wraps [ErrFlight] if nothing is kept. reason is stored in the file. Call SaveFlight on the server's goroutine.
func (s *Server) SaveFlight(reason string) (encode func() ([]byte, error)) {
	f := s.flight
	if f == nil || !f.Started() {
		return func() ([]byte, error) {
			return nil, fmt.Errorf("%w: nothing is kept: set ServerConfig.Flight, and run a tick", ErrFlight)
		}
	}
	tick, capture := s.link.tick, s.world.Netcode().Save
	if line := s.model.line; line == nil {
		f.Hash(s.world.Hash())
	} else if tick = f.next; tick < line.Next() {
		capture = func() (func(dst []byte) []byte, error) { return line.History().Save(tick) }
		f.Hash(line.HashBefore(tick))
	}
	world, err := capture()
	last := func(dst []byte) []byte { return world((&saved.State{Tick: tick}).Append(dst)) }
	if err != nil {
		last = nil
	}
	write := f.Capture(f.header(reason), tick, last)
	return func() ([]byte, error) { return write(), nil }
}

func (f *flightRecorder) header(reason string) flight.Header {
	p := f.s.protocol
	h := flight.Header{Protocol: p.Name(), Lines: p.Hash(), Model: f.s.config.Model.String(), TickRate: f.s.config.TickRate, SendRate: f.s.config.Snapshots.SendRate, Reason: reason}
	if in := p.Input(); in != nil {
		h.Words = in.Schema.Words
	}
	return h
}

// store writes a flight to the file, and reports the result.
func (f *flightRecorder) store(contents []byte, reason string) {
	switch err := save.Replace(f.file, contents); {
	case f.told != nil:
		f.told(reason, err)
	case err != nil:
		f.s.config.Logger.Error("the flight was not written", "error", err)
	default:
		f.s.config.Logger.Warn("flight written: rerun it with systems.Rerun or -rerun", "file", f.file, "reason", reason)
	}
}

// diverged writes the flight because the world of a client differs, at most once per Length.
func (f *flightRecorder) diverged(d fmt.Stringer) {
	if f == nil || f.file == "" || f.s.link.tick < f.quiet {
		return
	}
	f.quiet = f.s.link.tick + f.length
	reason := "desync: " + d.String()
	encode := f.s.SaveFlight(reason)
	f.writing.Go(func() {
		if b, err := encode(); err == nil {
			f.store(b, reason)
		}
	})
}

// panicked is deferred. If the game panics, it writes the flight, and the panic continues.
func (f *flightRecorder) panicked() {
	v := recover()
	if v == nil {
		return
	}
	f.storePanic(v, gameStack())
	panic(v)
}

// storePanic writes the flight that ends with a panic.
func (f *flightRecorder) storePanic(v any, stack []string) {
	defer func() {
		if again := recover(); again != nil {
			f.s.config.Logger.Error("the flight was not written", "error", fmt.Sprint(again))
		}
	}()
	f.writing.Wait()
	if f.file == "" || !f.Started() || f.s.flight != f {
		return
	}
	if line := f.s.model.line; line != nil {
		// The ticks that are not final follow as they are known now, up to the one that panicked.
		for tick := f.next; tick <= f.s.world.Tick(); tick++ {
			line.Describe(tick, f)
			f.Run()
		}
	}
	h := f.header("panic")
	h.Panic, h.PanicTick, h.Stack = fmt.Sprint(v), f.s.world.Tick(), stack
	f.store(f.Capture(h, 0, nil)(), h.Reason)
}

// framework are the packages whose functions are left out of the stack of a game.
var framework = []string{"ecs", "systems", "netsys", "codec", "components", "internal/workers"}

const module = "github.com/tactusgo/tactus/"

// gameStack returns the functions of the game that the current panic has left, the innermost first, with their lines. Call it
// in a deferred function.
func gameStack() (list []string) {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		x, more := frames.Next()
		below, own := strings.CutPrefix(x.Function, module)
		switch {
		case x.Function == "runtime.gopanic":
			panicking, list = true, nil // the innermost panic is that of the game if a deferred function panics again
		case !panicking || strings.HasPrefix(x.Function, "runtime."):
		case own && strings.HasPrefix(below, "systems."):
			return list
		case own && inFramework(below):
		default:
			list = append(list, fmt.Sprintf("%s:%d", x.Function, x.Line))
		}
		if !more {
			return list
		}
	}
}

// inFramework reports whether a function, without the module, belongs to the framework.
func inFramework(function string) bool {
	for _, p := range framework {
		if rest, is := strings.CutPrefix(function, p); is && (rest[0] == '.' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// flightListener adds ticks to the flight when they become final.
type flightListener struct {
	timeline.Listener
	f *flightRecorder
}

// Settle implements [timeline.Listener].
func (l flightListener) Settle(horizon uint32) {
	l.Listener.Settle(horizon)
	l.f.settle(horizon)
}

// tickListener returns the listener of a timeline.
func (s *Server) tickListener() timeline.Listener {
	l := unsettledListeners{Listeners: s.followed.all}
	if s.flight == nil {
		return l
	}
	return flightListener{l, s.flight}
}
