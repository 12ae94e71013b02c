package overload

import "github.com/tactusgo/tactus/netsys"

// loginFunc is what sessions ask about what a client asks to be: see netsys.ServerConfig.Login.
type loginFunc = func(s netsys.Session, login []byte) ([]byte, error)

// Guard is login, before which newcomers are turned away while the server is busy. Players that
// are waited for may come back.
func (c *Control) Guard(login loginFunc) loginFunc {
	return func(s netsys.Session, b []byte) ([]byte, error) {
		if c.admits() || c.config.Expects(s.ClientID()) {
			return login(s, b)
		}
		if c.status.Refused++; c.status.Refused&(c.status.Refused-1) == 0 {
			c.config.Logger.Warn("newcomers refused: the server is busy", "load", c.status.Load, "refused", c.status.Refused)
		}
		return nil, netsys.ErrBusy
	}
}

// admits reports whether a newcomer may come.
func (c *Control) admits() bool { return c.status.Step == Nothing && c.status.Load <= c.config.Admit }
