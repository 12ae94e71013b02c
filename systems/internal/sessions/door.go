package sessions

import "github.com/tactusgo/tactus/netsys"

// Door is told who comes and goes, on the server's goroutine. It must not change the world.
type Door interface {
	// Admit looks at a session in its handshake, before what its client asks to be is read: it has its ClientID and
	// UserData, and no ID. An error refuses the client, which is told its text. A client that is admitted may never
	// enter.
	Admit(s netsys.Session) error
	// Entered is told of a client that is connected, with its number.
	Entered(s netsys.Session, client uint32)
	// Left is told of a client that entered, why its session ended, and whether its player is waited for.
	Left(s netsys.Session, client uint32, reason error, waits bool)
	// Gone is told of a player that was waited for in vain, by the client id of its tokens.
	Gone(player uint64, client uint32)
}

// open is the door of a server that has none.
type open struct{}

func (open) Admit(netsys.Session) error                       { return nil }
func (open) Entered(netsys.Session, uint32)                   {}
func (open) Left(_ netsys.Session, _ uint32, _ error, _ bool) {}
func (open) Gone(uint64, uint32)                              {}

// Admit is login, before which the door looks.
func (r *Roster) Admit(login func(s netsys.Session, b []byte) ([]byte, error)) func(s netsys.Session, b []byte) ([]byte, error) {
	return func(s netsys.Session, b []byte) ([]byte, error) {
		if err := r.config.Door.Admit(s); err != nil {
			r.config.Logger.Warn("client not admitted", "player", s.ClientID(), "address", s.RemoteAddr(), "error", err)
			return nil, err
		}
		return login(s, b)
	}
}
