package host

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// ErrConfig is wrapped by the errors of [Config.Validate], [WireConfig.Validate] and [New] about a configuration.
var ErrConfig = errors.New("host: configuration")

// DefaultNews is how many things are told in one frame where Config.News is 0, and DefaultNewsBytes how many bytes of
// values they bring where Config.NewsBytes is 0.
const (
	DefaultNews      = 1024
	DefaultNewsBytes = 256 << 10
)

// maxNews and maxNewsBytes bound them.
const (
	maxNews      = 1 << 16
	maxNewsBytes = 16 << 20
)

// Config configures a [Host]. The zero value is a spectator that is told of nothing but entities.
type Config struct {
	// Client is the game's client. Its Gather, Partial and Start are the host's and must be zero; Messages and OnMessage
	// belong to Book where that has messages, Events and Outcomes likewise. OnPresence, OnRefused, OnMismatch and Loaded
	// are called besides what the host is told. On a [Wire] it goes to other rooms where Reach makes another Wire, for
	// which the host opens a socket; [Wire.Closed] says which one is over. Package wasm does so for pages.
	Client systems.ClientConfig
	// Input says what an input is; make one with [InputOf]. Default (zero): the neutral input in every tick.
	Input Input
	// Login is what the client asks to be, as it lies in memory: a value of the type of the protocol's ecs.Join. Default
	// (nil): Client.Login.
	Login []byte
	// Partial draws what the client simulates between ticks, too, with the input of the moment: see
	// systems.ClientConfig.Partial.
	Partial bool
	// Book has the types of what is told and what is sent. Default (nil): none.
	Book *Book
	// News bounds how many things are told in one frame, and NewsBytes the bytes of their values; more are counted, in
	// Stats.NewsLost, and lost. Default (0): 1,024, and 256 KiB.
	News, NewsBytes int
	// Machine is what the machine's clock says as New is called. A first time that is more than 15 minutes off is an
	// error. Default (zero): not compared.
	Machine time.Time
}

// Validate reports what is wrong with c; it never changes it. What Client holds besides is checked by [New].
func (c Config) Validate() error {
	switch {
	case given(c.Client.Gather) || given(c.Client.Partial):
		return fmt.Errorf("%w: Client.Gather and Client.Partial are the host's: give Input, and Partial beside Client", ErrConfig)
	case !c.Client.Start.IsZero():
		return fmt.Errorf("%w: Client.Start is the first time that New is given", ErrConfig)
	case c.Partial && c.Input.gather == nil:
		return fmt.Errorf("%w: Partial without Input: say what an input is, with InputOf", ErrConfig)
	case c.News < 0 || c.News > maxNews:
		return fmt.Errorf("%w: News %d is not between 1 and %d (0: %d)", ErrConfig, c.News, maxNews, DefaultNews)
	case c.NewsBytes < 0 || c.NewsBytes > maxNewsBytes:
		return fmt.Errorf("%w: NewsBytes %d is not between 1 and %d (0: %d)", ErrConfig, c.NewsBytes, maxNewsBytes, DefaultNewsBytes)
	}
	return c.Book.fits(&c.Client)
}

// given reports whether a function is there.
func given(g systems.GatherFunc) bool { return !reflect.ValueOf(g).IsZero() }

// clientConfig is the configuration of a host's client.
func clientConfig(h *Host, p *ecs.Protocol, now time.Time, c *Config) (systems.ClientConfig, error) {
	k := c.Client
	k.Start = now
	if c.Login != nil {
		if p.Players().Join == nil {
			return k, fmt.Errorf("%w: Login, and the protocol has no ecs.Join", ErrConfig)
		}
		join := cleanerOf(p.Players().Join.Schema)
		v, err := join.value(c.Login)
		if err != nil {
			return k, fmt.Errorf("%w: Login: %w", ErrConfig, err)
		}
		k.Login = reflect.NewAt(join.table.Type, v).Elem().Interface()
	}
	if c.Input.gather != nil {
		k.Gather = c.Input.gather(h, true)
		if c.Partial {
			k.Partial = c.Input.gather(h, false)
		}
	}
	c.Book.play(h, &k)
	k.OnPresence = func(w *ecs.World, p systems.PresenceChange) {
		h.news.add(News{Kind: NewsLeft + enters(p), Tick: p.Tick, NetID: uint32(p.ID), Which: uint16(p.Why)}, nil)
		if told := c.Client.OnPresence; told != nil {
			told(w, p)
		}
	}
	k.OnRefused = func(r systems.Refusal) {
		number := r.Input
		if r.Cause == systems.TooFast {
			number = uint32(min(r.Inputs, 1<<32-1))
		}
		h.news.add(News{Kind: NewsRefused, Tick: r.Tick, NetID: uint32(r.NetID), Which: uint16(r.Cause), Number: number}, []byte(r.Reason))
		if told := c.Client.OnRefused; told != nil {
			told(r)
		}
	}
	k.Loaded = func(w *ecs.World, tick uint32) {
		h.news.add(News{Kind: NewsLoaded, Tick: tick}, nil)
		if told := c.Client.Loaded; told != nil {
			told(w, tick)
		}
	}
	return k, nil
}

// enters is 1 for what comes.
func enters(p systems.PresenceChange) Kind {
	if p.Why.Enters() {
		return 1
	}
	return 0
}
