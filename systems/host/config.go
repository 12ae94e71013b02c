package host

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/recording"
)

// ErrConfig is wrapped by the configuration errors of [Config.Validate], [WireConfig.Validate] and [New].
var ErrConfig = errors.New("host: configuration")

// DefaultNews is the number of news items per frame if Config.News is 0. DefaultNewsBytes is the number of bytes of their
// values if Config.NewsBytes is 0.
const (
	DefaultNews      = 1024
	DefaultNewsBytes = 256 << 10
)

// maxNews and maxNewsBytes are the largest values of Config.News and Config.NewsBytes.
const (
	maxNews      = 1 << 16
	maxNewsBytes = 16 << 20
)

// maxKeep is the largest value of Config.Keep.
const maxKeep = 5 * time.Minute

// Config configures a [Host]. The zero value is a spectator who receives entities but no messages, events or outcomes.
type Config struct {
	// Client configures the game's client. Gather, Partial and Start must be zero: the host sets them. If Book has
	// messages, OnMessage must be nil too. The client still calls OnPresence, OnRefused, OnMismatch and Loaded, in addition
	// to the host's news. A client on a [Wire] changes rooms if Reach returns another Wire, for which the host opens a
	// socket. [Wire.Closed] reports which of the two wires is finished. Package wasm does this for pages.
	Client systems.ClientConfig
	// Input describes the input type; make it with [InputOf]. Default (zero): the neutral input in every tick.
	Input Input
	// Login is the login request, as bytes in memory: a value of the type of the protocol's ecs.Join. Default (nil):
	// Client.Login.
	Login []byte
	// Partial also draws simulated entities between ticks, with the current input: see systems.ClientConfig.Prediction.Partial.
	Partial bool
	// Book lists the types of messages, events and outcomes. Default (nil): none.
	Book *Book
	// Keep is how long the host keeps what it receives, for [Host.Last]. See ClientConfig.Record for what that costs. Default (0): not at
	// all.
	Keep time.Duration
	// News is the maximum number of news items per frame. NewsBytes is the maximum number of bytes of their values. Further
	// news is lost and counted in Stats.NewsLost. Default (0): 1,024 items and 256 KiB.
	News, NewsBytes int
	// Machine is the time of the machine's clock when New is called. If the first time differs from it by more than 15
	// minutes, New returns an error. Default (zero): no comparison.
	Machine time.Time
}

// Validate returns an error that describes what is wrong with c. It never changes c. [New] checks the other fields of
// Client.
func (c Config) Validate() error {
	switch {
	case isSet(c.Client.Gather) || isSet(c.Client.Prediction.Partial):
		return fmt.Errorf("%w: Client.Gather and Client.Partial are set: leave them nil, and set Config.Input and Config.Partial instead", ErrConfig)
	case !c.Client.Start.IsZero():
		return fmt.Errorf("%w: Client.Start is set: leave it zero, New sets it to now", ErrConfig)
	case c.Partial && c.Input.gather == nil:
		return fmt.Errorf("%w: Partial is set but Input is not: set Input with InputOf", ErrConfig)
	case c.Keep < 0 || c.Keep > maxKeep:
		return fmt.Errorf("%w: Keep %v is not between 0 and %v", ErrConfig, c.Keep, maxKeep)
	case c.Keep > 0 && c.Client.Record != nil:
		return fmt.Errorf("%w: Keep and Client.Record are set: leave one of them out", ErrConfig)
	case c.News < 0 || c.News > maxNews:
		return fmt.Errorf("%w: News %d is not between 1 and %d (0: %d)", ErrConfig, c.News, maxNews, DefaultNews)
	case c.NewsBytes < 0 || c.NewsBytes > maxNewsBytes:
		return fmt.Errorf("%w: NewsBytes %d is not between 1 and %d (0: %d)", ErrConfig, c.NewsBytes, maxNewsBytes, DefaultNewsBytes)
	}
	return c.Book.checkConfig(&c.Client)
}

// isSet reports whether g is not nil.
func isSet(g systems.GatherFunc) bool { return !reflect.ValueOf(g).IsZero() }

// clientConfig returns the configuration of a host's client.
func clientConfig(h *Host, p *ecs.Protocol, now time.Time, c *Config) (systems.ClientConfig, error) {
	k := c.Client
	k.Start = now
	if c.Keep > 0 {
		h.kept = recording.NewRing(c.Keep, recording.Config{})
		k.Record = h.kept.Writer
	}
	if c.Login != nil {
		if p.Players().Join == nil {
			return k, fmt.Errorf("%w: Login is set but the protocol has no ecs.Join: leave Login nil", ErrConfig)
		}
		join := newSanitizer(p.Players().Join.Schema)
		v, err := join.value(c.Login)
		if err != nil {
			return k, fmt.Errorf("%w: Login: %w", ErrConfig, err)
		}
		k.Login = reflect.NewAt(join.table.Type, v).Elem().Interface()
	}
	if c.Input.gather != nil {
		k.Gather = c.Input.gather(h, true)
		if c.Partial {
			k.Prediction.Partial = c.Input.gather(h, false)
		}
	}
	c.Book.subscribe(h, &k)
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
		h.news.add(News{Kind: NewsRefused, Tick: r.Tick, Which: uint16(r.Cause), Number: number}, []byte(r.Reason))
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

// enters returns 1 if the entity entered the client's world, and 0 if it left.
func enters(p systems.PresenceChange) Kind {
	if p.Why.Enters() {
		return 1
	}
	return 0
}
