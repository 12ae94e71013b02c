package guide

import (
	"errors"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// Login is what a player asks to be. The server may know better, from the player's token.
type Login struct {
	Name components.Text[[16]byte]
	Team uint8 `net:"enum 2"`
}

// Rename is a command: what a player asks for now and then.
type Rename struct {
	Name components.Text[[16]byte]
}

// join makes the tank of a player that comes.
func join(w *ecs.World, client uint32, who *Login) {
	w.Spawn(components.Owner{Client: client}, bases[who.Team], Hull{Heading: uint16(who.Team) << 15, Left: armour}, Crew(*who), Ammo{magazine},
		components.Teleports{}, Drive{})
}

// leave lets go of the flag of a player that goes. What the player owns goes by itself.
func leave(w *ecs.World, client uint32) {
	for e := range ecs.EachOf[tank](w, client) {
		for _, f := range ecs.Each[flag](w) {
			if f.Flag.Carrier == w.NetID(e) {
				f.Flag.Carrier = 0
			}
		}
	}
}

// rename carries out a command, in the same tick on every peer that simulates it.
func rename(w *ecs.World, client uint32, c *Rename) {
	for _, t := range ecs.EachOf[tank](w, client) {
		t.Crew.Name = c.Name
	}
}

// errName refuses a name.
var errName = errors.New("a name needs a letter")

// admit has the last word on who joins as what. What it refuses is told to the client.
func admit(_ netsys.Session, who *Login) error {
	if who.Name.Len() == 0 {
		return errName
	}
	return nil
}

// refuseRename looks at a command before any peer runs it.
func refuseRename(_ *ecs.World, _ uint32, c *Rename) error {
	if c.Name.Len() == 0 {
		return errName
	}
	return nil
}
