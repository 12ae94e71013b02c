package overload

import "github.com/tactusgo/tactus/netsys"

// loginFunc is the type of netsys.ServerConfig.Login.
type loginFunc = func(s netsys.Session, login []byte) ([]byte, error)

// Guard returns login preceded by a check that refuses new players while the server is busy. Players with a
// reserved seat are admitted.
func (c *Control) Guard(login loginFunc) loginFunc {
	return func(s netsys.Session, b []byte) ([]byte, error) {
		if c.admits() || c.config.Expects(s.ClientID()) {
			return login(s, b)
		}
		if c.status.Refused++; c.status.Refused&(c.status.Refused-1) == 0 {
			c.config.Logger.Warn("new players refused: the server is busy", "load", c.status.Load, "refused", c.status.Refused)
		}
		return nil, netsys.ErrBusy
	}
}

// admits reports whether a new player is admitted.
func (c *Control) admits() bool { return c.status.Step == Nothing && c.status.Load <= c.config.Admit }
