package systems

import (
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys"
)

// LoginFunc checks the login of a client. Create it with [Login].
type LoginFunc struct {
	check     func(s netsys.Session, v any) error
	loginType reflect.Type
}

// Login returns a LoginFunc that calls f. T must be the type of the protocol's [ecs.Join]; otherwise [NewServer] returns an
// error. f may overwrite *v with data that the server has about the player, such as the session's ClientID and the UserData
// of its token. If f returns an error, the server refuses the client: the client's Err wraps netsys.ErrLogin with the text of the
// error, or netsys.ErrBusy or ErrServerFull without a text if the error wraps that. The server calls f in Receive, once before each
// session starts, also for returning players. f must not change the world.
func Login[T any](f func(s netsys.Session, v *T) error) LoginFunc {
	return LoginFunc{
		check:     func(s netsys.Session, v any) error { return f(s, v.(*T)) },
		loginType: reflect.TypeFor[T](),
	}
}

// encodeLogin returns the encoded ClientConfig.Login, or nil if there is none. It returns an error if v does not have the
// type of the protocol's ecs.Join.
func encodeLogin(p *ecs.Protocol, v any) ([]byte, error) {
	r := p.Players().Join
	switch {
	case v == nil:
		return nil, nil
	case r == nil:
		return nil, fmt.Errorf("ClientConfig.Login is a %T, but the protocol has no join request: call ecs.Join when building the protocol", v)
	}
	b, err := r.Bytes(v)
	if err != nil {
		return nil, fmt.Errorf("ClientConfig.Login: %w: give a value of the type of ecs.Join", err)
	}
	return b, nil
}

// checker returns the function with which sessions check logins. Logins are untrusted bytes. The function logs the reason
// of a refusal, but not the login. checker returns an error if f checks a type other than that of the protocol's ecs.Join.
func (f LoginFunc) checker(p *ecs.Protocol, log logging.Logger) (func(s netsys.Session, login []byte) ([]byte, error), error) {
	r := p.Players().Join
	if f.loginType != nil && (r == nil || r.Schema.Type != f.loginType) {
		return nil, fmt.Errorf("ServerConfig.Players.Login checks %v, which is not the type of the protocol's ecs.Join", f.loginType)
	}
	ask := func(s netsys.Session, login []byte) ([]byte, error) {
		if r == nil {
			if len(login) > 0 {
				return nil, fmt.Errorf("a login of %d bytes, but the protocol has no join request", len(login))
			}
			return nil, nil
		}
		v, err := r.Value(login)
		if err != nil {
			return nil, fmt.Errorf("a malformed login: %w", err)
		}
		if f.check == nil {
			return login, nil
		}
		if err := f.check(s, v); err != nil {
			return nil, err
		}
		return r.Bytes(reflect.ValueOf(v).Elem().Interface())
	}
	return func(s netsys.Session, login []byte) ([]byte, error) {
		if s.Spectator() {
			return nil, nil
		}
		b, err := ask(s, login)
		if err != nil {
			log.Warn("login refused", "player", s.ClientID(), "address", s.RemoteAddr(), "error", err)
		}
		return b, err
	}, nil
}
