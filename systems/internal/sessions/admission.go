package sessions

import (
	"fmt"

	"github.com/tactusgo/tactus/netsys"
)

// AdmissionHandler is called when clients join and leave, on the server's goroutine. It must not change the world.
type AdmissionHandler interface {
	// Admit checks a session during its handshake, before the join request is read. The session has its ClientID
	// and UserData, and no ID. An error refuses the client, which receives its text. An admitted client may still
	// fail to connect. The methods are called for spectators, too: see [netsys.Session].Spectator.
	Admit(s netsys.Session) error
	// Entered is called for a connected client with its number.
	Entered(s netsys.Session, client uint32)
	// Left is called for a client that had entered, with the reason why its session ended. waits reports whether
	// the player's seat is reserved, which is never so for a spectator.
	Left(s netsys.Session, client uint32, reason error, waits bool)
	// Gone is called for a player who did not return in time. player is the client id of its tokens.
	Gone(player uint64, client uint32)
}

// admitAll is the handler of a server without one.
type admitAll struct{}

func (admitAll) Admit(netsys.Session) error                       { return nil }
func (admitAll) Entered(netsys.Session, uint32)                   {}
func (admitAll) Left(_ netsys.Session, _ uint32, _ error, _ bool) {}
func (admitAll) Gone(uint64, uint32)                              {}

// errPlayers and errSpectators refuse a client whose role has no free place.
var (
	errPlayers    = fmt.Errorf("%w: no free place for another player", netsys.ErrServerFull)
	errSpectators = fmt.Errorf("%w: no free place for another spectator", netsys.ErrServerFull)
)

// checkRoom returns an error if there is no room for another client of this role. Admitted clients that have not entered
// yet count, because they enter without another check.
func (r *Roster) checkRoom(s netsys.Session) error {
	switch players, spectators := r.admitted(); {
	case s.Spectator() && r.spectators+spectators >= r.config.MaxSpectators:
		return errSpectators
	case s.Spectator(), r.Expects(s.ClientID()): // a reserved seat has its place
	case r.clients.Len()-r.spectators-r.recorders+players+r.kept() >= r.config.MaxClients:
		return errPlayers
	}
	return nil
}

// admitted returns how many clients were admitted and have not entered: players without a reserved seat, and spectators.
func (r *Roster) admitted() (players, spectators int) {
	if r.config.Admitted == nil {
		return 0, 0
	}
	for s := range r.config.Admitted() {
		switch {
		case s.Spectator():
			spectators++
		case !r.Expects(s.ClientID()):
			players++
		}
	}
	return players, spectators
}

// kept returns how many places the reserved seats take. An admission handler assigns the seats itself.
func (r *Roster) kept() int {
	if _, all := r.config.Admission.(admitAll); !all {
		return 0
	}
	return len(r.reserved)
}

// Admit returns login preceded by the check of the admission handler.
func (r *Roster) Admit(login func(s netsys.Session, b []byte) ([]byte, error)) func(s netsys.Session, b []byte) ([]byte, error) {
	return func(s netsys.Session, b []byte) ([]byte, error) {
		err := r.checkRoom(s)
		if err == nil {
			err = r.config.Admission.Admit(s)
		}
		if err != nil {
			r.config.Logger.Warn("client not admitted", "player", s.ClientID(), "address", s.RemoteAddr(), "error", err)
			return nil, err
		}
		return login(s, b)
	}
}
