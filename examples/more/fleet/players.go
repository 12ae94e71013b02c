package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// player is a bot that logs in, asks for seats over HTTP and walks to the right.
type player struct {
	*demo
	name, party string
	asks        int // number of requests; selects the next process to ask
	login       string
	room        atomic.Uint64 // room of its last seat; 0: none
	walked      atomic.Int64  // its drawn position; 0: it has no session
	heard       atomic.Uint64 // number of snapshots in this session
	travels     atomic.Uint64
	losses      atomic.Uint64 // number of lost sessions
}

// walks reports whether the player sees itself walk.
func (p *player) walks() bool { return p.walked.Load() > 0 }

// play plays until ctx ends. When a session ends, the player asks for its seat until it gets the seat or learns that the seat is
// gone. Then it waits in the queue.
func (p *player) play(ctx context.Context) {
	said := ""
	for ctx.Err() == nil {
		a, err := p.seat(ctx)
		if err != nil {
			if text := err.Error(); text != said && ctx.Err() == nil {
				p.say("    %s has no seat yet: %s", p.name, text)
				said = text
			}
			again := 200 * time.Millisecond
			if r, ok := errors.AsType[*refusal](err); ok {
				again = r.again
			}
			pause(ctx, again)
			continue
		}
		said = ""
		p.room.Store(uint64(a.Room))
		err = p.session(ctx, a)
		p.walked.Store(0)
		p.heard.Store(0)
		if ctx.Err() == nil {
			p.losses.Add(1)
			p.say("    %s has lost the session: %v", p.name, why(err))
		}
	}
}

// session plays with a seat.
func (p *player) session(ctx context.Context, a web.Admission) error {
	b, err := base64.StdEncoding.DecodeString(a.Token)
	if err != nil {
		return err
	}
	token, err := netcode.ParseToken(b)
	if err != nil {
		return err
	}
	c, err := systems.Dial(ctx, "", Dots(), systems.ClientConfig{
		Session: systems.ClientSession{
			Token:   token,
			Timeout: 2 * time.Second, // a process that is silent for this long counts as dead
		},
		Gather: systems.Gather(func(_ *systems.Client, in *Move) { in.DX = 1 }),
	})
	if err != nil {
		return err
	}
	said, travels := false, uint64(0)
	return c.Run(ctx, func(c *systems.Client) {
		e, ok := c.Own(c.View())
		if !ok {
			return
		}
		at := ecs.Get[components.Position](c.View(), e)
		if at == nil || at.X < 1 {
			return
		}
		p.walked.Store(int64(at.X))
		p.heard.Store(c.Stats().Snapshots)
		if n := c.Stats().Travels; !said || n > travels {
			verb := "plays"
			if n > travels {
				verb = "has travelled, and plays"
			}
			said, travels = true, n
			p.travels.Store(n)
			e, _ := p.roomOf(p)
			p.say("    %s %s in %s, at %.0f", p.name, verb, cmp.Or(e.Process, "a process"), at.X)
		}
	})
}

// seat asks for the seat that the player had. If its process is gone, another process continues the room. If the seat is gone,
// the player asks for another one in the room. Without a room it waits in the queue with its party.
func (p *player) seat(ctx context.Context) (a web.Admission, err error) {
	if p.login == "" {
		if p.login, err = p.logIn(ctx); err != nil {
			return a, err
		}
	}
	if room := rooms.ID(p.room.Load()); room != 0 {
		for _, way := range []string{"reconnect", "join"} {
			a, err = p.ask(ctx, "/rooms/"+room.String()+"/"+way, "{}")
			if r, ok := errors.AsType[*refusal](err); !ok || !r.gone {
				return a, err
			}
		}
		p.say("    %s gives up its room: %v", p.name, err)
		p.room.Store(0)
	}
	return p.ask(ctx, "/rooms/queue", fmt.Sprintf(`{"kind":"dots","party":%q,"party_size":2,"wait":2}`, p.party))
}

// logIn gets an ID token from the issuer. In a real game the player's browser does this.
func (p *player) logIn(ctx context.Context) (token string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.issuer.url+"/token", strings.NewReader(url.Values{"name": {p.name}}.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, b, err := doRequest(r)
	return string(b), err
}

// refusal is a response without a seat.
type refusal struct {
	web.Failure
	gone  bool          // the room or the seat does not exist, or the room is full
	again time.Duration // pause before the next request
}

// ask asks a process for a seat. Each call asks another process.
func (p *player) ask(ctx context.Context, path, body string) (a web.Admission, err error) {
	all := p.lobbies()
	if len(all) == 0 {
		return a, errors.New("no process runs")
	}
	p.asks++
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+all[p.asks%len(all)]+path, strings.NewReader(body))
	if err != nil {
		return a, err
	}
	r.Header.Set("Authorization", "Bearer "+p.login)
	r.Header.Set("Content-Type", "application/json")
	got, b, err := doRequest(r)
	if err != nil {
		return a, err
	}
	no := &refusal{again: 200 * time.Millisecond}
	switch got.StatusCode {
	case http.StatusOK, http.StatusCreated:
		return a, json.Unmarshal(b, &a)
	case http.StatusAccepted:
		no.Message, no.again = "the party is not complete", 0
		return a, no
	case http.StatusNotFound, http.StatusGone, http.StatusConflict, http.StatusLocked:
		no.gone = true
	case http.StatusUnauthorized:
		p.login = ""
	}
	if seconds, err := strconv.Atoi(got.Header.Get("Retry-After")); err == nil {
		no.again = time.Duration(seconds) * time.Second
	}
	if err := json.Unmarshal(b, &no.Failure); err != nil {
		return a, err
	}
	return a, no
}

// doRequest sends a request, and returns the answer.
func doRequest(r *http.Request) (got *http.Response, body []byte, err error) {
	if got, err = (&http.Client{Timeout: 8 * time.Second}).Do(r); err != nil { // more than a request waits in the queue, and a process for another one
		return nil, nil, err
	}
	defer got.Body.Close()
	body, err = io.ReadAll(got.Body)
	return got, body, err
}

// why says in words why a session has ended.
func why(err error) any {
	if closed, ok := errors.AsType[*netsys.CloseError](err); ok {
		if words := rooms.Explain(closed.Reason); words != "" {
			return words
		}
	}
	return err
}
