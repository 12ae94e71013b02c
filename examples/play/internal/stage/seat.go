package stage

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// seat is a seat in a room, which a client plays on for one session.
type seat struct {
	token  *netcode.ConnectToken // nil: it plays as anybody, in one session after the other
	leaves bool                  // the player goes
}

// errLeft is why there is no session any more when the player has gone.
var errLeft = errors.New("you have left the room")

// ErrToken is wrapped by the errors of [Options.Check].
var ErrToken = errors.New("-token: no connect token in base64")

// Check returns an error that wraps [ErrToken] where the token is none.
func (o *Options) Check() error {
	_, err := o.token()
	return err
}

// token is the one of the options, nil for none.
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

// Crowded is a [Scene] that knows how many play, for the page around it.
type Crowded interface {
	// Players is how many there are, the own one among them.
	Players() int
}

// crowd tells the page who is there.
type crowd struct{ told int }

// look tells how many play, when that has changed.
func (x *crowd) look(s *Stage) {
	if scene, ok := s.scene.(Crowded); ok {
		if n := scene.Players(); n != x.told {
			x.told = n
			announce("players", strconv.Itoa(n))
		}
	}
}
