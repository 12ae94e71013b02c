package campaign

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
)

// The world of these matches is a sea: guns fire shells along the lines on which they stand,
// balls roll away from them, and flotsam of all kinds is at the mercy of the server.

// order is the input.
type order struct {
	DX, DY int8 `net:"-1..1"`
	Pull   bool
	Fire   bool `net:"edge"`
	Seen   lagcomp.Claim
}

// ask is the login of a player.
type ask struct {
	Watches bool  // a spectator
	Refused bool  // the server has to refuse it
	Rank    uint8 `net:"raw"` // set by the server
}

// spot is a position.
type spot struct {
	X, Y float32 `net:"-512..512 step 0.0625"`
}

// roll is the velocity of a ball, in units per tick.
type roll struct {
	X, Y float32 `net:"-4..4 step 0.001"`
}

// cannon is a gun. Trace sums up everything that happened to its shots, so that equal states prove equal events.
type cannon struct {
	Number  uint32 `net:"raw"`
	Shots   uint16 `net:"raw"`
	Stunned uint8  `net:"raw"`
	Trace   uint32 `net:"raw"`
}

// hot is the time until a gun can fire again, in ticks. It is a local component.
type hot struct {
	Left uint8
}

// bag is a list of the last shots of a gun, which grows and shrinks.
type bag struct {
	Items components.List[stock, [6]stock]
	Note  components.Text[[10]byte]
}

// shell is the Nth shell of a shot of a gun. Left is the number of ticks until it bursts.
type shell struct {
	Left uint8  `net:"raw"`
	Nth  uint8  `net:"raw"`
	Shot uint16 `net:"raw"`
	Gun  uint32 `net:"raw"`
}

// hull moves in the plane, in lines.
type hull struct {
	X      float32          `net:"-512..512 step 0.00390625 axis x lines 0.0625"`
	Y      float32          `net:"-512..512 step 0.00390625 axis y lines 0.0625"`
	Course float32          `net:"degrees 0.5 along lines 1"`
	Aboard components.NetID `net:"ref parent"`
}

// drone changes while its owner pulls, so that the owner state of many drones needs several datagrams.
type drone struct {
	A, B, C uint32 `net:"raw"`
}

// stock is an element of a list.
type stock struct {
	Kind  uint8  `net:"enum 5"`
	Count uint16 `net:"0..999"`
}

// manifest has fields of many kinds.
type manifest struct {
	Name   components.Text[[12]byte]
	Hold   components.List[stock, [3]stock]
	State  uint8      `net:"enum 3"`
	Flags  uint16     `net:"flags 9"`
	Wind   [2]float32 `net:"unit 8"`
	Tide   float32    `net:"-8..8 step 0.0625 linear"`
	Lamp   uint16     `net:"0..65535 step 64 angle linear"`
	Number int64      `net:"raw"`
	Open   bool
}

// seal contains a number twice, and echo the number of the entity's seal, so that torn states are found.
type seal struct {
	A uint16 `net:"0..65535"`
	B uint16 `net:"raw"`
}

type echo struct {
	A uint16 `net:"0..65535 linear"`
}

func sealed(a uint16) seal { return seal{a, a*40503 + 12345} }

// side is the team of an entity.
type side struct {
	N uint8 `net:"enum 4"`
}

// tow carries an entity at an offset from another one.
type tow struct {
	By   components.NetID `net:"ref parent"`
	X, Y float32          `net:"-8..8 step 0.25"`
}

// hoist is the Nth command of client By of the crowd.
type hoist struct {
	By, N uint16 `net:"raw"`
}

// signal records the results of commands and of claims of a gun.
type signal struct {
	By, N, Wrong, Targets uint16 `net:"raw"`
	Rank                  uint8  `net:"raw"` // of its player, set by the server
}

// lit has no fields.
type lit struct{}

// purse is owner-only, and contains the client number of the owner.
type purse struct {
	For  uint32 `net:"raw"`
	Gold uint32 `net:"raw"`
}

// aim is owner-only too, and simulated.
type aim struct {
	At uint16 `net:"0..65535"`
}

// flotsam marks entities that only the server moves, spawns and despawns.
type flotsam struct {
	Kind uint8 `net:"raw"`
}

// crate tumbles in space.
type crate struct {
	X, Y, Z float32
	Turn    [4]float32
	Rise    float32
	On      components.NetID
}

// crateFields are the tags of a crate.
var crateFields = map[string]string{
	"X": "-256..256 step 0.01 axis x", "Y": "-256..256 step 0.01 axis y", "Z": "-256..256 step 0.01 axis z",
	"Turn": "quat 9", "Rise": "-60..60 step 0.01 rate z", "On": "ref parent",
}

// tides is a singleton.
type tides struct {
	Turn uint32 `net:"raw"`
	Mark uint32 `net:"raw"`
}

// deed is an outcome and an event.
type deed struct {
	Gun  uint32 `net:"raw"`
	Shot uint16 `net:"raw"`
	Nth  uint8  `net:"raw"`
	What uint8  `net:"raw"`
}

// Values of deed.What.
const (
	fired = iota
	burst
	met
)

// trace returns the number that a deed adds to the trace of its gun, in any order. Equal sums by chance are unlikely.
func (d deed) trace() uint32 {
	x := (uint32(d.Shot)<<8 | uint32(d.Nth)<<4 | uint32(d.What)) * 0x9e3779b1
	x = (x ^ x>>15) * 0x85ebca6b
	return x ^ x>>13
}

// ping is an event that a client's simulation raises for the server, remark an event outside of the simulation, and glimpse an
// event for the clients that see an entity.
type (
	ping struct {
		Gun  uint32 `net:"raw"`
		Shot uint16 `net:"raw"`
	}
	remark struct {
		N uint32 `net:"raw"`
	}
	glimpse struct {
		ID   components.NetID `net:"ref"`
		Shot uint16           `net:"raw"`
	}
)

// news returns the registry of events.
func news() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[deed](r, event.Options{Final: true})
	event.Register[glimpse](r, event.Options{Final: true})
	event.Register[ping](r, event.Options{From: event.FromClients, Rate: 1000, Burst: 10000})
	event.Register[remark](r, event.Options{From: event.FromServer | event.FromClients, Rate: 1000, Burst: 10000})
	return r
}

type (
	gunRow struct {
		At     *spot
		Cannon *cannon
		Bag    *bag
		Hot    *hot `ecs:"optional"`
		Aim    *aim `ecs:"optional"`
		Owner  *components.Owner
		In     *order
	}
	shellRow struct {
		At    *spot
		Shell *shell
	}
	shellValues struct {
		Owner components.Owner
		At    spot
		Shell shell
	}
	targetRow struct {
		At     spot
		Cannon cannon
	}
	ballRow struct {
		At   *spot
		Roll *roll
	}
	signalRow struct {
		Cannon *cannon
		Signal *signal
		Owner  *components.Owner
		In     *order
	}
	droneRow struct {
		Drone *drone
		Owner *components.Owner
	}
	boatRow struct {
		At     *spot
		In     order
		Cannon cannon `ecs:"optional"` // numbered from 1
	}
)

// sea makes the protocol of a match.
func (d *draw) sea() *ecs.Protocol {
	p := ecs.NewProtocol("sea/1")
	ecs.Replicate[spot](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[cannon](p, ecs.Predicted)
	ecs.Replicate[shell](p, ecs.Predicted)
	ecs.Replicate[roll](p, ecs.Predicted)
	ecs.Replicate[bag](p, ecs.Predicted)
	ecs.Replicate[hull](p, ecs.Interpolated)
	ecs.Replicate[manifest](p, 0)
	ecs.Replicate[seal](p, 0)
	ecs.Replicate[echo](p, 0)
	ecs.Replicate[lit](p, 0)
	ecs.Replicate[side](p, 0)
	ecs.Replicate[signal](p, 0)
	ecs.Replicate[tow](p, 0)
	ecs.Carry(p, func(t tow, at spot) spot {
		return spot{min(max(at.X+t.X, -500), 500), min(max(at.Y+t.Y, -500), 500)}
	})
	ecs.Replicate[flotsam](p, 0)
	ecs.Replicate[purse](p, ecs.OwnerOnly)
	ecs.Replicate[aim](p, ecs.OwnerOnly|ecs.Predicted)
	ecs.Singleton[tides](p, 0)
	if d.flood {
		ecs.ReplicateFields[crate](p, ecs.Interpolated, crateFields)
		p.Authority("tumble", d.tumble)
	}
	if d.fleet > 0 {
		ecs.Replicate[drone](p, ecs.Predicted)
		p.Simulate("hover", hover)
	}
	ecs.Local[hot](p, ecs.Predicted)
	if d.blinks() {
		ecs.Local[glance](p, 0)
	}
	ecs.Input[order](p)
	ecs.Join(p, d.enlist)
	ecs.Command(p, signals)
	if d.keep {
		p.Leave(d.release)
	}
	if d.quantized {
		p.QuantizeSteps()
	}
	p.Simulate("fly", fly)
	p.Simulate("drive", ecs.Rows(drive))
	p.Simulate("fire", fire)
	p.Simulate("roll", d.rollBalls)
	p.Authority("tide", d.tide)
	p.Authority("judge", d.judge)
	return p
}

// happen raises a deed as an outcome and as an event.
func happen(w *ecs.World, about ecs.Entity, d deed) {
	outcome.Raise(w, about, d)
	event.Raise(w, event.ToAll(), d)
}

// ending is the end of a shell.
type ending struct {
	shell ecs.Entity
	deed
}

// fly moves shells until they meet another player's gun or burst. It raises only the deeds that change a trace: none if the
// gun is gone or is not simulated here.
func fly(w *ecs.World) {
	var targets []targetRow
	for _, g := range ecs.All[targetRow](w) {
		targets = append(targets, g)
	}
	var ends []ending
	stunned := map[uint32]bool{}
	for e, s := range ecs.EachInOrder[shellRow](w) {
		s.At.X = min(max(s.At.X+0.5-float32(s.Shell.Shot%2), -500), 500)
		s.Shell.Left--
		d := deed{Gun: s.Shell.Gun, Shot: s.Shell.Shot, Nth: s.Shell.Nth, What: burst}
		for _, g := range targets {
			if g.Cannon.Number != s.Shell.Gun && g.At == *s.At {
				d.What, stunned[g.Cannon.Number] = met, true
			}
		}
		if d.What == met || s.Shell.Left == 0 {
			ends = append(ends, ending{e, d})
			w.Despawn(e)
		}
	}
	for _, g := range ecs.EachInOrder[struct{ Cannon *cannon }](w) {
		for _, x := range ends {
			if x.Gun == g.Cannon.Number {
				g.Cannon.Trace += x.trace()
				happen(w, x.shell, x.deed)
			}
		}
		if stunned[g.Cannon.Number] {
			g.Cannon.Stunned = 12
		}
	}
}

// drive moves everything that has an input.
func drive(b boatRow, _ ecs.Step) {
	far := float32(400)
	if b.Cannon.Number != 0 {
		far = 10 // guns stay near each other
	}
	b.At.X = min(max(b.At.X+float32(b.In.DX)/2, -far), far)
	if far > 10 {
		b.At.Y = min(max(b.At.Y+float32(b.In.DY)/2, -far), far)
	}
}

// fire lets guns fire, and adds their shots to their bags.
func fire(w *ecs.World) {
	for e, g := range ecs.EachInOrder[gunRow](w) {
		if g.Aim != nil && g.In.Pull {
			g.Aim.At += uint16(g.In.DX + 2)
		}
		if g.In.Pull && g.Bag.Items.Len() > 0 && g.Cannon.Shots%3 == 0 {
			g.Bag.Items.Remove(0)
			g.Bag.Note.Set([]string{"", "half", "nearly done", "ä"}[g.Bag.Items.Len()%4])
		}
		if g.Hot != nil && g.Hot.Left > 0 {
			g.Hot.Left--
			continue
		}
		if g.Cannon.Stunned > 0 {
			g.Cannon.Stunned--
			continue
		}
		if !g.In.Fire {
			continue
		}
		if g.Hot != nil {
			g.Hot.Left = 3
		}
		g.Cannon.Shots++
		if !g.Bag.Items.Append(stock{uint8(g.Cannon.Shots % 5), g.Cannon.Shots % 1000}) {
			g.Bag.Items.Clear()
		}
		d := deed{Gun: g.Cannon.Number, Shot: g.Cannon.Shots, What: fired}
		g.Cannon.Trace += d.trace()
		happen(w, e, d)
		event.Raise(w, event.ToViewers(e), glimpse{w.NetID(e), d.Shot})
		event.Raise(w, event.ToServer(), ping{d.Gun, d.Shot})
		for nth := range 1 + uint8(d.Shot%3/2) {
			ecs.Spawn(w, shellValues{*g.Owner, *g.At, shell{Left: 6 + 40*uint8(d.Shot/2%2) + 9*nth, Nth: nth, Shot: d.Shot, Gun: d.Gun}})
		}
	}
}

// hover changes the drones of players who pull.
func hover(w *ecs.World) {
	pulls := map[uint32]bool{}
	for _, g := range ecs.All[struct {
		Cannon cannon
		In     order
	}](w) {
		pulls[g.Cannon.Number] = g.In.Pull
	}
	for _, r := range ecs.Each[droneRow](w) {
		if d := r.Drone; pulls[r.Owner.Client] {
			d.A, d.B, d.C = d.A*1664525+1013904223, d.B*22695477+1, d.C*1103515245+12345
		}
	}
}

// rollBalls lets the gun with the smallest number kick the balls close to it, until the match is quiet.
func (d *draw) rollBalls(w *ecs.World) {
	for _, b := range ecs.Each[ballRow](w) {
		by := ^uint32(0)
		for _, g := range ecs.All[targetRow](w) {
			x, y := b.At.X-g.At.X, b.At.Y-g.At.Y
			if x*x+y*y < 4 && g.Cannon.Number < by && !d.rests(w.Tick()) {
				by = g.Cannon.Number
				b.Roll.X, b.Roll.Y = 0.5, float32(int(by%3))/4-0.25
				if x < 0 {
					b.Roll.X = -0.5
				}
			}
		}
		for _, v := range []*float32{&b.Roll.X, &b.Roll.Y} {
			if *v *= 31.0 / 32; *v < 0.02 && *v > -0.02 {
				*v = 0
			}
		}
		b.At.X = min(max(b.At.X+b.Roll.X, -30), 30)
		b.At.Y = min(max(b.At.Y+b.Roll.Y, -30), 30)
	}
}

// release removes the owner of a leaving player's entities.
func (d *draw) release(w *ecs.World, client uint32) {
	for e, r := range ecs.All[struct{ Owner components.Owner }](w) {
		if r.Owner.Client == client {
			ecs.Remove[components.Owner](w, e)
		}
	}
}

// enlist spawns the entity of a joining player.
func (d *draw) enlist(w *ecs.World, client uint32, v *ask) {
	if v.Watches {
		return
	}
	at := spot{X: float32(client%8) * 2, Y: float32(client % 2)}
	values := []any{
		components.Owner{Client: client}, at, cannon{Number: client}, bag{}, order{}, purse{client, client * 2654435761}, aim{}, sealed(uint16(client)),
		side{uint8(client % 4)}, signal{Rank: v.Rank},
	}
	if d.local {
		values = append(values, hot{})
	}
	w.Spawn(values...)
	for n := range d.fleet {
		w.Spawn(components.Owner{Client: client}, drone{n * 0x9e3779b9, n * 0x85ebca6b, client}, sealed(uint16(n)))
	}
}

// signals runs a command.
func signals(w *ecs.World, client uint32, v *hoist) {
	for _, r := range ecs.EachInOrder[signalRow](w) {
		if r.Cannon.Number != client {
			continue
		}
		if r.Signal.By != v.By {
			r.Signal.By, r.Signal.N = v.By, 0
		}
		if r.Signal.N++; r.Signal.N%refusedCommand == 0 {
			r.Signal.N++
		}
		if v.N != r.Signal.N {
			r.Signal.Wrong++
		}
		r.Signal.N = v.N
	}
}

// refusedCommand divides the numbers of the commands that the server refuses.
const refusedCommand = 7

// judge counts the targets that firing guns have in sight, as their players saw them.
func (d *draw) judge(w *ecs.World) {
	for _, r := range ecs.EachInOrder[signalRow](w) {
		if !r.In.Fire {
			continue
		}
		view := lagcomp.As(w, r.Owner.Client, r.In.Seen)
		for _, t := range lagcomp.All[targetRow](view) {
			if t.At.X > -4 && t.At.X < 4 {
				r.Signal.Targets++
			}
		}
		if d.judged != nil && ecs.Resource[lagcomp.Compensator](w) != nil {
			d.judged(view)
		}
	}
}
