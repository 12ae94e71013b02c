package login

import (
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys"
)

// Func looks at what a client asks to be; see New.
type Func struct {
	look func(s netsys.Session, v any) error
	of   reflect.Type
}

// New makes a Func of a typed function.
func New[T any](f func(s netsys.Session, v *T) error) Func {
	return Func{
		look: func(s netsys.Session, v any) error { return f(s, v.(*T)) },
		of:   reflect.TypeFor[T](),
	}
}

// Of is what a client asks to be as it travels. It returns an error with advice.
func Of(p *ecs.Protocol, v any) ([]byte, error) {
	r := p.Players().Join
	switch {
	case v == nil:
		return nil, nil
	case r == nil:
		return nil, fmt.Errorf("ClientConfig.Login is a %T, and the protocol asks for nothing: call ecs.Join in it", v)
	}
	b, err := r.Bytes(v)
	if err != nil {
		return nil, fmt.Errorf("ClientConfig.Login: %w: give a value of the type of ecs.Join", err)
	}
	return b, nil
}

// Asker makes the function that sessions ask about logins, which anybody may have made. It returns
// an error with advice. A refusal is logged, with its reason and without the login.
func (f Func) Asker(p *ecs.Protocol, log logging.Logger) (func(s netsys.Session, login []byte) ([]byte, error), error) {
	r := p.Players().Join
	if f.of != nil && (r == nil || r.Schema.Type != f.of) {
		return nil, fmt.Errorf("ServerConfig.Login looks at %v, which is not the type of the protocol's ecs.Join", f.of)
	}
	ask := func(s netsys.Session, login []byte) ([]byte, error) {
		if r == nil {
			if len(login) > 0 {
				return nil, fmt.Errorf("a login of %d bytes where the protocol has none", len(login))
			}
			return nil, nil
		}
		v, err := r.Value(login)
		if err != nil {
			return nil, fmt.Errorf("a malformed login: %w", err)
		}
		if f.look == nil {
			return login, nil
		}
		if err := f.look(s, v); err != nil {
			return nil, err
		}
		return r.Bytes(reflect.ValueOf(v).Elem().Interface())
	}
	return func(s netsys.Session, login []byte) ([]byte, error) {
		b, err := ask(s, login)
		if err != nil {
			log.Warn("login refused", "player", s.ClientID(), "address", s.RemoteAddr(), "error", err)
		}
		return b, err
	}, nil
}
