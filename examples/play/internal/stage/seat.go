package stage

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// seat is a seat in a room, for one session.
type seat struct {
	token  *netcode.ConnectToken // nil: play without a room, with reconnects
	leaves bool                  // the player leaves
}

// errLeft is the error of a session that the player has left.
var errLeft = errors.New("you have left the room")

// ErrToken is wrapped by the errors of [Options.Check].
var ErrToken = errors.New("-token: no connect token in base64")

// Check returns an error that wraps [ErrToken] if the token is invalid.
func (o *Options) Check() error {
	_, err := o.token()
	return err
}

// token decodes the token of the options. It returns nil if there is none.
func (o *Options) token() (*netcode.ConnectToken, error) {
	if o.Token == "" {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(o.Token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrToken, err)
	}
	token, err := netcode.ParseToken(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrToken, err)
	}
	return token, nil
}

func newSeat(o *Options) seat {
	token, err := o.token()
	if err != nil {
		panic("stage.New: " + err.Error() + ": call Options.Check before")
	}
	return seat{token: token}
}

// Crowded is a [Scene] that reports the number of players to the page.
type Crowded interface {
	// Players returns the number of players, including the own player.
	Players() int
}

// crowd reports the number of players to the page.
type crowd struct{ told int }

// look reports the number if it has changed.
func (x *crowd) look(s *Stage) {
	if scene, ok := s.scene.(Crowded); ok {
		if n := scene.Players(); n != x.told {
			x.told = n
			announce("players", strconv.Itoa(n))
		}
	}
}
