package systems

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/flight"
)

// RerunReport is the result of [Rerun].
type RerunReport struct {
	// Reason says why the flight was written: "panic", "desync: …", or the argument of Server.SaveFlight.
	Reason string
	// First is the tick after the first checkpoint. Ticks is the number of ticks that were simulated.
	First uint32
	Ticks uint64
	// Checkpoints is the number of later checkpoints, which were compared, and Hashes that of hashes between them.
	Checkpoints, Hashes int
	// Equal reports that the worlds were equal at all of them, and that the game panicked again if it had panicked.
	Equal bool
	// Difference is the first difference. It is nil if there was none.
	Difference *RerunDifference
	// Panicked is the panic with which the flight ends, and Panic that of the rerun. They are nil if there was none.
	Panicked, Panic *RerunPanic
}

// RerunDifference says where a rerun departs from what happened.
type RerunDifference struct {
	// Tick is the first tick after which the worlds differ, or a tick up to 7 ticks after it if System is not known for certain.
	Tick uint32
	// System is the first system after which two simulations of the tick differ, which both began in the same world. If all
	// simulations are equal, it lists the systems that write the value in the tick, and Certain is false: then one of them
	// depends on something that was different in the other process.
	System  string
	Certain bool
	// Component and Field name the value. They are empty if there is no later checkpoint to compare with.
	Component, Field string
	// Values describes the entity and both values, if it is known: first that of the server, then that of the rerun.
	Values string
}

// String returns the difference as one line.
func (d *RerunDifference) String() string {
	text := fmt.Sprintf("tick %d", d.Tick)
	if d.System != "" {
		text += fmt.Sprintf(", system %q", d.System)
	}
	if d.Component != "" {
		text += ", " + d.Component
	}
	if d.Field != "" {
		text += "." + d.Field
	}
	if d.Values != "" {
		text += " (" + d.Values + ")"
	}
	return text
}

// RerunPanic is a panic of the game.
type RerunPanic struct {
	Tick  uint32   // the tick of the world
	Value string   // as text
	Stack []string // functions of the game with their lines, the innermost first
}

// Rerun simulates the ticks of a flight again, without a network: see [Flight]. file is the contents of the file, which may be
// untrusted. build returns the protocol and the configuration of the server, for the name of a model and a tick rate; Rerun calls
// it several times. Players, Outcomes, Start and the settings of the network have no effect. Session.OnMessage and the
// handlers of Events get the messages of the flight again. No client is connected: Server.Session returns nil.
//
// The rerun must be of the same build. Only what happens in the schedule and in handlers is repeated. Anything else that
// changes the world between ticks is a difference.
//
// Errors wrap [ErrFlight] if file is not a whole flight, or is one of another protocol, model or tick rate.
func Rerun(file []byte, build func(model string, tickRate int) (*ecs.Protocol, ServerConfig)) (*RerunReport, error) {
	x, err := flight.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFlight, err)
	}
	if err := (ecs.Config{TickRate: x.TickRate}).Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFlight, err)
	}
	r := &rerun{file: x, build: build}
	r.report = RerunReport{Reason: x.Reason, First: x.Segments[0].Tick, Equal: true}
	if x.PanicTick > 0 || x.Panic != "" {
		r.report.Panicked = &RerunPanic{x.PanicTick, x.Panic, x.Stack}
	}
	if err := r.all(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFlight, err)
	}
	return &r.report, nil
}

// rerun is a rerun of a flight.
type rerun struct {
	file   *flight.File
	build  func(model string, tickRate int) (*ecs.Protocol, ServerConfig)
	report RerunReport
}

// all simulates the whole flight.
func (r *rerun) all() error {
	p, err := r.start(0)
	if err != nil {
		return err
	}
	defer p.close()
	for i := range r.file.Segments {
		if i > 0 {
			d, differs, err := p.compare(i)
			if err != nil {
				return err
			}
			if r.report.Checkpoints++; differs {
				return r.explain(i-1, r.file.Segments[i-1].Tick, r.file.Segments[i].Tick, &d)
			}
		}
		done, err := p.segment(i)
		switch {
		case err != nil:
			return err
		case p.differs:
			return r.explain(i, p.equal, p.s.link.tick, nil)
		case !done:
			r.comparePanics()
			return nil
		}
	}
	r.comparePanics()
	return nil
}

// comparePanics compares the panic of the flight with that of the rerun.
func (r *rerun) comparePanics() {
	was, is := r.report.Panicked, r.report.Panic
	r.report.Equal = was == nil && is == nil ||
		was != nil && is != nil && was.Tick == is.Tick && was.Value == is.Value && (slices.Equal(was.Stack, is.Stack) || len(was.Stack) == 0)
}

// rerunPass is a server that simulates a part of the flight. It implements [flight.Handler].
type rerunPass struct {
	r       *rerun
	s       *Server
	entries []commands.Entry
	alone   []flight.Player
	players []flight.Player
	held    map[uint32]*heldInput
	log     *commands.Log
	quiet   bool   // differences do not end the pass
	equal   uint32 // the world was equal before this tick
	differs bool   // it differs before the tick of the server
	probe   func(system string)

	suspects [2]uint32        // the ticks from the first to before the second are simulated twice
	about    components.NetID // only this entity matters; 0: all
	found    *RerunDifference
	trace    rerunTrace // of the last of them
}

// heldInput is the input of a player.
type heldInput struct {
	words []uint64
	tick  uint32 // the last tick that reads it
}

// start returns a pass that begins with a segment.
func (r *rerun) start(i int) (*rerunPass, error) {
	p, c := r.build(r.file.Model, r.file.TickRate)
	if r.file.Lines != p.Hash() {
		return nil, fmt.Errorf("it is of the protocol %s, and this program has %s with other components or fields: rerun it with the build that wrote it", r.file.Protocol, p.Name())
	}
	c = c.filled()
	words := 0
	if in := p.Input(); in != nil {
		words = in.Schema.Words
	}
	if r.file.Model != c.Model.String() || r.file.TickRate != c.TickRate || r.file.Words != words {
		return nil, fmt.Errorf("it is of %s with %d ticks a second, and this server has %s with %d", r.file.Model, r.file.TickRate, c.Model, c.TickRate)
	}
	var err error
	if c.Load, err = r.file.Segments[i].Save(); err != nil {
		return nil, err
	}
	x := &rerunPass{r: r, held: make(map[uint32]*heldInput)}
	change := c.Schedule
	c.Schedule = func(s *ecs.Schedule) error {
		if change != nil {
			if err := change(s); err != nil {
				return err
			}
		}
		s.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
			name := path[len(path)-1]
			if name == "ServerApply" {
				run = x.apply
			}
			return func(w *ecs.World) {
				run(w)
				if x.probe != nil {
					x.probe(name)
				}
			}
		})
		return nil
	}
	c.Snapshots.SendRate, c.WakeEvery = r.file.SendRate, 1
	c.Outcomes, c.Flight, c.Snapshots.Record, c.Workers = nil, nil, nil, 1
	c.Players, c.Start = Players{}, time.Unix(0, 0)
	c.Session = ServerSession{Channels: c.Session.Channels, Messages: c.Session.Messages, OnMessage: c.Session.OnMessage, Random: netsys.SeededRandom(1)}
	wire := netsys.NewNetwork().Node(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 7777))
	if x.s, err = NewServer(wire, p, c); err != nil {
		return nil, errors.Join(err, wire.Close())
	}
	if x.s.link.tick != r.file.Segments[i].Tick {
		return nil, fmt.Errorf("the checkpoint before tick %d is of tick %d", r.file.Segments[i].Tick, x.s.link.tick)
	}
	if b, err := r.file.Segments[i].Claims(); err != nil || b != nil && x.s.lagComp != nil {
		if err == nil {
			err = x.s.lagComp.Load(b)
		}
		if err != nil {
			return nil, errors.Join(err, x.s.Close(c.Start))
		}
	}
	x.equal, x.log = x.s.link.tick, commands.New(x.s.world)
	return x, nil
}

func (p *rerunPass) close() { _ = p.s.Close(time.Unix(0, 0)) }

// segment simulates a segment. It returns false if the pass ends in it.
func (p *rerunPass) segment(i int) (ok bool, err error) {
	last := i == len(p.r.file.Segments)-1
	if tick := p.r.file.Segments[i].Tick; tick != p.s.link.tick {
		return false, fmt.Errorf("a checkpoint before tick %d follows tick %d", tick, p.s.link.tick)
	}
	defer func() {
		if v := recover(); v != nil {
			ok = false
			if p.quiet {
				return
			}
			p.r.report.Panic = &RerunPanic{p.s.world.Tick(), fmt.Sprint(v), gameStack()}
		}
	}()
	return p.r.file.Segments[i].Ticks(last && p.r.report.Panicked != nil, p)
}

// compare compares the world with a checkpoint.
func (p *rerunPass) compare(i int) (d ecs.Difference, differs bool, err error) {
	other, err := p.r.start(i)
	if err != nil {
		return d, false, err
	}
	defer other.close()
	d, differs = ecs.Differs(other.s.world, p.s.world)
	if !differs && other.s.world.Hash() != p.s.world.Hash() {
		d.Component, differs = "the world", true
	}
	return d, differs, nil
}

// Message implements [flight.Handler].
func (p *rerunPass) Message(client uint32, channel int, message []byte) {
	if e := p.s.config.Events; e != nil { // without rates: the flight has no events beyond them
		e.Leave(client)
		e.Join(client, 0, nil)
	}
	_ = p.s.handleMessage(client, channel, message)
}

// Outside implements [flight.Handler].
func (p *rerunPass) Outside(index int) error {
	if index >= len(p.s.stages.outside) {
		return fmt.Errorf("%w: system %d outside of ticks", ErrFlight, index)
	}
	p.s.stages.outside[index](p.s.world)
	return nil
}

// Claim implements [flight.Handler].
func (p *rerunPass) Claim(kind flight.ClaimKind, client, number uint32) {
	comp := p.s.lagComp
	if comp == nil {
		return
	}
	switch kind {
	case flight.Acknowledged:
		comp.Acknowledge(client, number)
	case flight.Consumed:
		comp.Consume(client, number)
	case flight.Forgotten:
		comp.Forget(client)
	case flight.Recorded:
		comp.Record(number)
	}
}

// Hash implements [flight.Handler].
func (p *rerunPass) Hash(sum uint64) bool {
	if !p.quiet {
		p.r.report.Hashes++
	}
	if sum == p.s.world.Hash() {
		p.equal = p.s.link.tick
		return true
	}
	p.differs = true
	return p.quiet
}

// Entry implements [flight.Handler].
func (p *rerunPass) Entry(e commands.Entry) {
	e.Tick = p.s.link.tick
	p.entries = append(p.entries, e)
}

// Alone implements [flight.Handler].
func (p *rerunPass) Alone(x *flight.Player) {
	alone := *x
	alone.Words = slices.Clone(x.Words)
	p.alone = append(p.alone, alone)
}

// Run implements [flight.Handler].
func (p *rerunPass) Run(players []flight.Player, _ bool) bool {
	p.players = players
	if !p.quiet {
		p.r.report.Ticks++
	}
	if tick := p.s.link.tick; tick >= p.suspects[0] && tick < p.suspects[1] {
		p.simulateTwice()
	} else {
		p.simulate()
	}
	p.entries, p.alone = p.entries[:0], p.alone[:0]
	p.s.link.tick++
	return p.found == nil
}

// simulate simulates the tick.
func (p *rerunPass) simulate() {
	s := p.s
	s.world.Netcode().SetTick(s.link.tick)
	s.followed.all.Start(s.link.tick)
	s.stages.onTick.Run(s.world)
	s.followed.all.Done()
	s.followed.all.Settle(s.link.tick + 1)
	s.world.Netcode().SkipNobody()
}

// apply is the system ServerApply.
func (p *rerunPass) apply(w *ecs.World) {
	tick := p.s.link.tick
	for _, e := range p.entries {
		p.log.Add(e)
	}
	p.log.Run(tick)
	p.log.Clear()
	for i := range p.alone {
		x := &p.alone[i]
		p.hold(x)
		w.Netcode().GiveInput(x.Client, p.inputOf(x.Client))
		w.Netcode().SimulateOnly(x.Client)
	}
	for i := range p.players {
		x := &p.players[i]
		if p.hold(x); x.Skipped {
			w.Netcode().SkipOwner(x.Client)
		}
	}
	w.Netcode().GiveInputs(p.inputOf)
}

// hold makes an input the one that a client holds.
func (p *rerunPass) hold(x *flight.Player) {
	h := p.held[x.Client]
	t := p.s.protocol.Input()
	if h == nil {
		h = &heldInput{}
		if t != nil {
			h.words = make([]uint64, t.Schema.Size/8+1)
		}
		p.held[x.Client] = h
	}
	if h.tick = p.s.link.tick; t != nil && t.Schema.Words > 0 {
		t.Schema.Dequantize(unsafe.Pointer(&h.words[0]), x.Words, t.Schema.Words, 1)
	}
	if !x.Skipped {
		p.s.world.Netcode().SetInputSequence(x.Client, x.Sequence)
	}
}

// inputOf returns the input of a client, or nil for an owner without a client.
func (p *rerunPass) inputOf(client uint32) unsafe.Pointer {
	if h := p.held[client]; h != nil && h.tick == p.s.link.tick && len(h.words) > 0 {
		return unsafe.Pointer(&h.words[0])
	}
	return nil
}

// explain finds where the rerun departs from segment i: in one of the ticks from equal to before bad. d is the difference of the
// checkpoint before bad, nil if a hash before bad differs.
func (r *rerun) explain(i int, equal, bad uint32, d *ecs.Difference) error {
	r.report.Equal = false
	r.report.Difference = &RerunDifference{Tick: max(bad, 1) - 1}
	p, err := r.again(i, [2]uint32{equal, bad}, 0)
	if err != nil {
		return err
	}
	defer p.close()
	if p.found != nil {
		r.report.Difference = p.found
		return nil
	}
	if d == nil && i+1 < len(r.file.Segments) && p.s.link.tick == r.file.Segments[i+1].Tick {
		if next, differs, err := p.compare(i + 1); err != nil {
			return err
		} else if differs {
			d = &next
		}
	}
	if d == nil {
		return nil
	}
	x := r.report.Difference
	x.Component, x.Field, x.Values = d.Component, d.Field, d.String()
	q, err := r.again(i, [2]uint32{x.Tick, bad}, d.NetID)
	if err != nil {
		return err
	}
	defer q.close()
	x.System = q.trace.writers(d.Component, d.Field)
	return nil
}

// again simulates the flight again up to the end of segment i, and the suspects twice.
func (r *rerun) again(i int, suspects [2]uint32, about components.NetID) (p *rerunPass, err error) {
	first := i
	if b, err := r.file.Segments[0].Claims(); err != nil {
		return nil, err
	} else if b != nil {
		first = 0 // only the first segment has the state of lag compensation
	}
	if p, err = r.start(first); err != nil {
		return nil, err
	}
	p.quiet, p.suspects, p.about = true, suspects, about
	for ok := true; ok && first <= i; first++ {
		if ok, err = p.segment(first); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// rerunTrace has the hashes of all fields before a tick and after each of its systems.
type rerunTrace []rerunStep

// rerunStep is the state after a system.
type rerunStep struct {
	system string // "" before the tick
	fields []rerunField
}

// rerunField is the hash of a field over all entities.
type rerunField struct {
	component, path string
	sum             uint64
	text            string // the value of one entity
}

// note adds the state of a world after a system. If about is not 0, it adds only that entity.
func (t *rerunTrace) note(w *ecs.World, system string, about components.NetID) {
	x := rerunStep{system: system}
	e, _ := w.ByNetID(about)
	for _, c := range w.Protocol().Components() {
		if about != 0 {
			x.fields = append(x.fields, entityFields(w, e, c)...)
			continue
		}
		x.fields = append(x.fields, rerunField{component: c.Name, sum: w.HashOf(c)})
		for path, sum := range w.HashFields(c) {
			x.fields = append(x.fields, rerunField{component: c.Name, path: path, sum: sum})
		}
	}
	*t = append(*t, x)
}

// entityFields returns the fields of a component of one entity.
func entityFields(w *ecs.World, e ecs.Entity, c *ecs.Component) (list []rerunField) {
	at := w.Netcode().Pointer(e, c)
	if at == nil || c.Schema == nil {
		return []rerunField{{component: c.Name}}
	}
	for i := range c.Schema.Fields {
		list = append(list, rerunField{component: c.Name, path: c.Schema.Fields[i].Path, text: c.Schema.Format(i, at)})
	}
	return list
}

// writers returns the systems that change a field.
func (t rerunTrace) writers(component, path string) string {
	var list []string
	is := func(f rerunField) bool { return f.component == component && (f.path == path || path == "") }
	for i := 1; i < len(t); i++ {
		was := slices.DeleteFunc(slices.Clone(t[i-1].fields), func(f rerunField) bool { return !is(f) })
		now := slices.DeleteFunc(slices.Clone(t[i].fields), func(f rerunField) bool { return !is(f) })
		if !slices.Equal(was, now) {
			list = append(list, t[i].system)
		}
	}
	return strings.Join(list, ", ")
}

// differs returns the first system and the first field in which two simulations of a tick differ.
func (t rerunTrace) differs(o rerunTrace) (d RerunDifference, differs bool) {
	for i := range min(len(t), len(o)) {
		for k, f := range t[i].fields {
			if f == o[i].fields[k] {
				continue
			}
			if f.path == "" && k+1 < len(t[i].fields) && t[i].fields[k+1].component == f.component {
				d = RerunDifference{System: t[i].system, Component: f.component}
				differs = true
				continue // name the field, too
			}
			return RerunDifference{System: t[i].system, Component: f.component, Field: f.path}, true
		}
		if differs {
			return d, true
		}
	}
	return d, false
}

// simulateTwice simulates the tick twice, the second time in another storage order, and compares the results after each system.
func (p *rerunPass) simulateTwice() {
	w, tick := p.s.world, p.s.link.tick
	h := ecs.NewWorldHistory(w, 1)
	h.Capture(tick)
	simulate := func() (t rerunTrace) {
		t.note(w, "", p.about)
		p.probe = func(system string) { t.note(w, system, p.about) }
		defer func() { p.probe = nil }()
		p.simulate()
		return t
	}
	first := simulate()
	if err := h.Restore(tick); err != nil {
		panic(err) // it was captured above
	}
	w.Shuffle(uint64(tick) + 1)
	if d, differs := first.differs(simulate()); differs {
		d.Tick, d.Certain = tick, true
		p.found = &d
	}
	p.trace = first
}
