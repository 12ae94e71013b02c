package game

import (
	"math"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
)

// Lengths are in units, speeds in units or radians per second.
const (
	Size   = 640          // of the map, in both directions
	Radius = 14           // of a player
	touch  = 2*Radius + 4 // distance from player to player at which one catches the other

	pace, turn = 110, 5 // of a player
)

// Walls are the rectangles that stop players and their eyes.
var Walls = [...]struct{ X, Y, W, H float32 }{
	{-10, -10, Size + 20, 10}, {-10, Size, Size + 20, 10}, {-10, -10, 10, Size + 20}, {Size, -10, 10, Size + 20}, // around the map
	{120, 80, 24, 170}, {120, 390, 24, 170}, {496, 80, 24, 170}, {496, 390, 24, 170}, // in front of the bases
	{220, 150, 200, 24}, {220, 466, 200, 24}, {308, 230, 24, 180}, {200, 308, 60, 24}, {380, 308, 60, 24},
}

// Input is the input of a player for one tick.
type Input struct {
	X, Y int8   `net:"-1..1"`                  // where to walk
	Look uint16 `net:"0..65535 step 64 angle"` // where to look, in 65536ths of a full turn
}

// Login is what a client requests when it joins.
type Login struct {
	Truth bool // to see everything instead of playing
}

// Gaze is the direction in which a player looks.
type Gaze struct {
	Dir [2]float32 `net:"unit 12"`
}

// Team is the team of a player: 0 is blue, 1 is red.
type Team struct {
	ID uint8 `net:"0..1"`
}

// Caught is by whom a player was caught last. Only the player receives it: the hunter may be out of its sight.
type Caught struct {
	By uint16 `net:"0..65535"` // client; 0: nobody yet
}

// Match is the state of the match, which all clients know.
type Match struct {
	Score [2]uint16 `net:"0..65535"` // players caught by each team
	Truth bool      // the server lets clients see everything
}

// player is the row of players to write. known is the row to read, of those that a peer knows.
type player struct {
	Pos   *components.Position
	Gaze  *Gaze
	Leaps *components.Teleports
	Team  *Team
	Last  *Caught `ecs:"optional"` // on the server, and of the own player
	Owner *components.Owner
	In    *Input
}
type known struct {
	Owner components.Owner
	Pos   components.Position
	Gaze  Gaze
	Team  Team
}

// Protocol returns the definition of the game. Server and clients call it.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("fog/3")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "0..640 step 0.0625 tol 0.25 axis x", "Y": "0..640 step 0.0625 tol 0.25 axis y",
	})
	ecs.Replicate[Gaze](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Replicate[Team](p, 0)
	ecs.Replicate[Caught](p, ecs.OwnerOnly)
	ecs.Singleton[Match](p, 0)
	ecs.Local[Seen](p, 0)
	ecs.Local[AllSeeing](p, 0)
	names.Add(p)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Simulate("walk", walk)
	p.Authority("catch", catch)
	p.Authority("look", look)
	return p
}

// join spawns a player in the smaller team. A client that sees everything gets no player, only the mark for the rules.
func join(w *ecs.World, client uint32, login *Login) {
	if login.Truth {
		w.Spawn(components.Owner{Client: client}, AllSeeing{})
		return
	}
	var players [2]int
	for _, p := range ecs.All[known](w) {
		players[p.Team.ID]++
	}
	team := Team{}
	if players[0] > players[1] {
		team.ID = 1
	}
	pos, gaze := base(w, client, team)
	w.Spawn(components.Owner{Client: client}, pos, gaze, components.Teleports{}, team, Caught{}, names.Named{}, Seen{}, Input{Look: uint16(team.ID) << 15})
}

// base returns a place in the base of a team, at the left or right edge, with a look at the middle.
func base(w *ecs.World, client uint32, team Team) (components.Position, Gaze) {
	draw := ecs.NewRand(w.Seed(), uint64(client)<<32|uint64(w.Tick()))
	pos := components.Position{X: 30, Y: 200 + draw.Float32()*240}
	if team.ID == 1 {
		return components.Position{X: Size - pos.X, Y: pos.Y}, Gaze{[2]float32{-1, 0}}
	}
	return pos, Gaze{[2]float32{1, 0}}
}

// walk turns and moves players. Walls stop one direction and let the other slide along.
func walk(w *ecs.World) {
	most := turn * float64(w.Step())
	for _, p := range ecs.Each[player](w) {
		was := math.Atan2(float64(p.Gaze.Dir[1]), float64(p.Gaze.Dir[0]))
		left := math.Remainder(radians(p.In.Look)-was, 2*math.Pi)
		sin, cos := math.Sincos(was + min(max(left, -most), most))
		p.Gaze.Dir = [2]float32{float32(cos), float32(sin)}
		step := pace * w.Step()
		if p.In.X != 0 && p.In.Y != 0 {
			step *= math.Sqrt2 / 2
		}
		if x := p.Pos.X + float32(float32(p.In.X)*step); !blocked(x, p.Pos.Y) {
			p.Pos.X = x
		}
		if y := p.Pos.Y + float32(float32(p.In.Y)*step); !blocked(p.Pos.X, y) {
			p.Pos.Y = y
		}
	}
}

// blocked reports whether a player at a place would be in a wall.
func blocked(x, y float32) bool {
	for _, r := range Walls {
		if x > r.X-Radius && x < r.X+r.W+Radius && y > r.Y-Radius && y < r.Y+r.H+Radius {
			return true
		}
	}
	return false
}

// catch sends players back to their base when an opponent whom they do not see touches them.
func catch(w *ecs.World) {
	for hunter, h := range ecs.EachInOrder[player](w) {
		for victim, v := range ecs.EachInOrder[player](w) {
			if hunter == victim || h.Team.ID == v.Team.ID || distance(*h.Pos, *v.Pos) > touch || sees(*v.Pos, *v.Gaze, *h.Pos) {
				continue
			}
			*v.Pos, *v.Gaze = base(w, v.Owner.Client, *v.Team)
			v.Leaps.Count++
			v.Last.By = uint16(h.Owner.Client)
			for _, m := range ecs.Each[struct{ Match *Match }](w) {
				m.Match.Score[h.Team.ID]++
			}
		}
	}
}
