//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"

	"github.com/tactusgo/tactus/examples/starter-ts/game"
)

// match is the server while it runs. It belongs to one goroutine: that of run.
type match struct {
	server   *systems.Server
	drain    time.Duration // how long draining may take
	draining bool
	log      *slog.Logger
}

// errDraining is what newcomers are told once the server has been told to end.
var errDraining = errors.New("this server is about to end; try another one")

// admit has the last word on who joins, and as what.
func (m *match) admit(s netsys.Session, who *game.Login) error {
	if m.draining {
		return errDraining
	}
	if name := bytes.TrimRight(s.UserData(), "\x00"); len(name) > 0 { // the login service knows better
		who.Name.Set(string(name))
	}
	if who.Name.Len() == 0 {
		who.Name.Set("nobody")
	}
	return nil
}

// run steps the world until ctx ends; or until drain has ended, and everybody has gone or it has taken too long.
func (m *match) run(ctx, drain context.Context) error {
	told, over := drain.Done(), (<-chan time.Time)(nil)
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-told:
			told, over, m.draining = nil, time.After(m.drain), true
			m.log.Info("draining", "players", m.players(), "at most", m.drain.String())
		case <-ctx.Done():
			return m.end("interrupted")
		case <-over:
			return m.end("draining took too long")
		case <-tick.C:
			m.server.Advance(time.Now())
			tick.Reset(time.Until(m.server.Next()))
		}
		if err := m.server.Err(); err != nil {
			return errors.Join(err, m.end(err.Error()))
		}
		if m.draining && m.players() == 0 {
			return m.end("everybody has gone")
		}
	}
}

// players is how many play.
func (m *match) players() (n int) {
	for range m.server.Clients {
		n++
	}
	return n
}

// end says goodbye to whoever is left.
func (m *match) end(why string) error {
	m.log.Info("end", "why", why, "players", m.players())
	return m.server.Close(time.Now())
}
