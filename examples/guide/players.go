package guide

import (
	"errors"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// Login is the name and the team that a player requests. The server can replace them, for example by data from the token.
type Login struct {
	Name components.Text[[16]byte]
	Team uint8 `net:"enum 2"`
}

// Rename is the command that changes a player's name.
type Rename struct {
	Name components.Text[[16]byte]
}

// join spawns the tank of a joining player.
func join(w *ecs.World, client uint32, l *Login) {
	w.Spawn(components.Owner{Client: client}, bases[l.Team], Hull{Heading: uint16(l.Team) << 15, Left: armour}, Crew(*l), Ammo{magazine},
		components.Teleports{}, Drive{})
}

// leave drops the flag that a leaving player carries. The server despawns the player's own entities.
func leave(w *ecs.World, client uint32) {
	for e := range ecs.EachOf[tank](w, client) {
		for _, f := range ecs.Each[flag](w) {
			if f.Flag.Carrier == w.NetID(e) {
				f.Flag.Carrier = 0
			}
		}
	}
}

// rename executes the command, in the same tick on every peer that simulates it.
func rename(w *ecs.World, client uint32, c *Rename) {
	for _, t := range ecs.EachOf[tank](w, client) {
		t.Crew.Name = c.Name
	}
}

// errName rejects an empty name.
var errName = errors.New("a name needs a letter")

// admit checks the login of a joining player and may change it. The server sends the error to the client.
func admit(_ netsys.Session, l *Login) error {
	if l.Name.Len() == 0 {
		return errName
	}
	return nil
}

// refuseRename checks a command before any peer executes it.
func refuseRename(_ *ecs.World, _ uint32, c *Rename) error {
	if c.Name.Len() == 0 {
		return errName
	}
	return nil
}
