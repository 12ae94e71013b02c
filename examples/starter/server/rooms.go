//go:build !js

package main

import (
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/rooms"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// spectators is how many people can watch a room.
const spectators = 16

// kind returns the rooms of the game. A room begins with its first player. It ends when it has been empty for half a minute, and keeps
// the seat of a player whose connection was lost for as long.
func kind() rooms.Kind {
	return rooms.Kind{
		Name: game.Kind, Protocol: game.Protocol, Capacity: game.Capacity,
		Server: systems.ServerConfig{
			Model:   game.Model,
			Players: systems.Players{Login: systems.Login(admit), Spectators: spectators},
		},
		Set: func(_ *rooms.Room, c *systems.ServerConfig) error {
			c.Events = event.NewServer(game.Events(), event.ServerConfig{})
			return nil
		},
	}
}

// admit checks the login of a joining player and may change it.
func admit(s netsys.Session, who *game.Login) error {
	if seat, ok := rooms.SeatOf(s); ok && len(seat.Data) > 0 { // the name comes from the login service
		who.Name.Set(string(seat.Data))
	}
	if who.Name.Len() == 0 {
		who.Name.Set("nobody")
	}
	return nil
}
