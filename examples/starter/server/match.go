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

	"github.com/tactusgo/tactus/examples/starter/game"
)

// match is the running server. Only the goroutine of run uses it.
type match struct {
	server   *systems.Server
	drain    time.Duration // how long players may continue while draining
	draining bool
	log      *slog.Logger
}

// errDraining rejects new players while the server drains.
var errDraining = errors.New("this server is shutting down: join another one")

// admit checks the login of a joining player and may change it.
func (m *match) admit(s netsys.Session, who *game.Login) error {
	if m.draining {
		return errDraining
	}
	if name := bytes.TrimRight(s.UserData(), "\x00"); len(name) > 0 { // the name in the token comes from the login service
		who.Name.Set(string(name))
	}
	if who.Name.Len() == 0 {
		who.Name.Set("nobody")
	}
	return nil
}

// run steps the world until ctx ends. After drain has ended, it returns when all players have left or the time is over.
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

// players returns the number of connected players.
func (m *match) players() (n int) {
	for range m.server.Clients {
		n++
	}
	return n
}

// end closes the sessions of the remaining players.
func (m *match) end(why string) error {
	m.log.Info("end", "why", why, "players", m.players())
	return m.server.Close(time.Now())
}
