package systems

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/sessions"
)

// ErrLoad is wrapped by the errors of [NewServer] about ServerConfig.Load.
var ErrLoad = errors.New("systems: Load")

// Save captures the server between two ticks: tick, seed, all entities with their values and owners, resources (see
// [ecs.SetResource]), the players with their client numbers, inputs and commands that have arrived for coming ticks, and
// outcomes that have not been committed. After a load, inputs for earlier ticks are too late. A player whom no tick has
// joined yet is not in the save, and joins the loaded world as in a new one.
//
// Save returns a function that encodes the capture for ServerConfig.Load. Any goroutine may call it once, while the server goes
// on. Its error names a resource or an outcome that cannot be saved. Call Save on the server's goroutine, or after Run has
// returned. Package save writes the result to files.
func (s *Server) Save() (encode func() ([]byte, error)) {
	x := s.players()
	var failed error
	if log := s.followed.outcomes; log != nil {
		x.Outcomes, failed = log.AppendOpen(nil)
	}
	world, err := s.world.Netcode().Save()
	if err = errors.Join(failed, err); err != nil {
		err = fmt.Errorf("systems: Save: %w", err)
		return func() ([]byte, error) { return nil, err }
	}
	return func() ([]byte, error) {
		return world(x.Append(nil)), nil
	}
}

// players returns the parts of a save other than the world and the outcomes.
func (s *Server) players() *saved.State {
	x := &saved.State{Tick: s.link.tick, TickRate: uint32(s.config.TickRate)}
	x.Numbers, x.Returns = s.sessions.Numbers()
	if in := s.protocol.Input(); in != nil {
		x.InputLine = in.Schema.Line()
	}
	for _, p := range s.sessions.peers.All() {
		if p.spectator {
			continue
		}
		x.Players = append(x.Players, saved.Player{Player: p.Session.ClientID(), Client: p.ID, Input: p.inputs.Consumed(), Connected: true})
	}
	for _, r := range s.sessions.Reserved() {
		x.Players = append(x.Players, saved.Player{Player: r.Player, Client: r.ID, Input: r.Input})
	}
	for _, id := range s.sessions.Gone() {
		x.Players = append(x.Players, saved.Player{Client: id, Leaves: true})
	}
	s.addCommands(x, s.model.applier.Save(x))
	s.addCommands(x, s.sessions.commands.AppendPending(nil, func(client uint32) bool {
		p := s.sessions.byID[client]
		return p != nil && s.model.applier.Plays(client)
	}))
	return x
}

// addCommands adds leaves, which have no value, and commands that wait for a tick to a save.
func (s *Server) addCommands(x *saved.State, list []commands.Entry) {
	for _, e := range list {
		if e.Value == "" {
			x.Players = append(x.Players, saved.Player{Client: e.Player, Leaves: true})
			continue
		}
		line := s.protocol.Players().Commands[e.Value[0]].Schema.Line()
		x.Commands = append(x.Commands, saved.Command{Client: e.Player, Line: line, Value: e.Value[1:]})
	}
}

// loadWorld parses ServerConfig.Load, if there is one, and gives the server its world, seed and tick.
func (s *Server) loadWorld() (*saved.State, error) {
	if s.config.Load == nil {
		return nil, nil
	}
	x, err := saved.Parse(s.config.Load)
	if err == nil {
		err = s.world.Netcode().Load(x.World)
	}
	if err == nil {
		err = s.checkLoss(x)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLoad, err)
	}
	x.World, s.config.Load = nil, nil
	s.config.Seed, s.config.FirstTick = s.world.Seed(), x.Tick
	return x, nil
}

// checkLoss returns an error if parts of a loaded save are lost, unless the protocol is a later version than that of the save or
// ServerConfig.LoadLossy is set.
func (s *Server) checkLoss(x *saved.State) error {
	var lost []error
	if x.TickRate != 0 && int(x.TickRate) != s.config.TickRate {
		lost = append(lost, fmt.Errorf("it was saved at %d ticks a second, and TickRate is %d", x.TickRate, s.config.TickRate))
	}
	if from, left := s.world.Netcode().Loaded(); len(left) > 0 {
		if later(s.protocol.Name(), from) {
			s.config.Logger.Info("components of the save that this version of the game lacks are left out", "components", left, "from", from)
		} else {
			lost = append(lost, fmt.Errorf("%q lacks components or fields that the save of %.40q has: %.500s", s.protocol.Name(), from, strings.Join(left, ", ")))
		}
	}
	err := errors.Join(lost...)
	if err != nil && s.config.LoadLossy {
		s.config.Logger.Warn("parts of the save are lost", "reason", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: run the version that has saved it; or give this version a higher number after the slash of its protocol's name, or set LoadLossy, if these may be lost", err)
	}
	return nil
}

// later reports whether a name of a protocol has a higher number after its last slash than another name.
func later(name, than string) bool {
	version := func(name string) (int, error) { return strconv.Atoi(name[strings.LastIndexByte(name, '/')+1:]) }
	a, unnumbered := version(name)
	b, alsoUnnumbered := version(than)
	return unnumbered == nil && alsoUnnumbered == nil && a > b
}

// loadPlayers continues with the players of a save, which may be nil. now is the time of the first tick.
func (s *Server) loadPlayers(x *saved.State, now time.Time) error {
	if x == nil {
		return nil
	}
	s.link.now = now
	if log := s.followed.outcomes; log != nil && len(x.Outcomes) > 0 {
		if err := log.ReadOpen(x.Outcomes); err != nil {
			return fmt.Errorf("%w: %w", ErrLoad, err)
		}
	}
	in := s.protocol.Input()
	var reserved []sessions.Reservation
	var gone []uint32
	for i := range x.Players {
		p := &x.Players[i]
		if in == nil || in.Schema.Line() != x.InputLine {
			p.Inputs = nil
		}
		if err := s.model.applier.Load(p); err != nil {
			return fmt.Errorf("%w: client %d: %w", ErrLoad, p.Client, err)
		}
		if p.Leaves {
			gone = append(gone, p.Client)
			continue
		}
		reserved = append(reserved, sessions.Reservation{Player: p.Player, ID: p.Client, Input: p.Input})
	}
	s.sessions.Resume(x.Numbers, x.Returns, reserved, gone)
	s.loadCommands(x)
	for i := range x.Players {
		if p := &x.Players[i]; p.Connected {
			s.notePresence(p.Client, true)
		}
	}
	s.config.Logger.Info("world loaded", "tick", x.Tick, "players", len(reserved))
	return nil
}

// loadCommands issues the commands of a save. It leaves out those whose types have changed.
func (s *Server) loadCommands(x *saved.State) {
	rules, changed := s.protocol.Players(), 0
	for _, c := range x.Commands {
		kind := slices.IndexFunc(rules.Commands, func(r *ecs.Request) bool { return r.Schema.Line() == c.Line })
		value := append([]byte{byte(kind)}, c.Value...)
		if kind >= 0 {
			if _, rest, err := rules.Next(value); err == nil && len(rest) == 0 && rules.Check(value) == nil {
				s.sessions.commands.Issue(commands.Entry{Player: c.Client, Value: string(value)})
				continue
			}
		}
		changed++
	}
	if changed > 0 {
		s.config.Logger.Warn("waiting commands of the save are left out: their types have changed", "commands", changed)
	}
}
