package systems

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// Logger logs messages with key-value pairs. A *slog.Logger implements it. A nil pointer means no logger.
type Logger = logging.Logger

// ErrMessage is wrapped by the errors about malformed messages of a peer.
var ErrMessage = wire.ErrMessage

// MaxReason is the maximum number of bytes of a refusal's reason that the server sends to a client.
const MaxReason = wire.MaxReason

// LoadTrained parses a trained file, which codec/train wrote, for [ServerConfig] and [ClientConfig]. If b is damaged or has
// another version, LoadTrained logs a warning and returns nil, which selects the built-in model. log may be nil.
func LoadTrained(b []byte, log logging.Logger) *delta.Trained {
	t, err := delta.ParseTrained(b)
	if err != nil {
		if logging.Given(log) {
			log.Warn("trained file left out: snapshots go on with what is built in", "error", err)
		}
		return nil
	}
	return t
}

// ErrConfig is wrapped by every error about a configuration.
var ErrConfig = errors.New("systems: configuration")

// Validate returns an error that wraps [ErrConfig] if c is invalid. It does not change c.
func (c ServerConfig) Validate() error {
	c = c.filled()
	if err := (ecs.Config{TickRate: c.TickRate}).Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	switch {
	case c.WakeEvery < 0 || c.TickRate%c.WakeEvery != 0:
		return fmt.Errorf("%w: WakeEvery %d must divide TickRate %d", ErrConfig, c.WakeEvery, c.TickRate)
	case c.Snapshots.SendRate < 0 || c.Snapshots.SendRate > 0 && c.TickRate/c.WakeEvery%c.Snapshots.SendRate != 0:
		return fmt.Errorf("%w: SendRate %d must divide the %d wake-ups a second", ErrConfig, c.Snapshots.SendRate, c.TickRate/c.WakeEvery)
	case c.FirstTick > ecs.MaxTick:
		return fmt.Errorf("%w: FirstTick %d is behind ecs.MaxTick, %d", ErrConfig, c.FirstTick, uint32(ecs.MaxTick))
	case c.Events != nil && c.Session.Messages != nil:
		return fmt.Errorf("%w: Events and Messages: register messages in Events.Registry().Messages()", ErrConfig)
	case c.MaxClients < 0:
		return fmt.Errorf("%w: MaxClients %d is negative (0: 256)", ErrConfig, c.MaxClients)
	case c.Players.Spectators < 0:
		return fmt.Errorf("%w: Players.Spectators %d is negative (0: none)", ErrConfig, c.Players.Spectators)
	case badTimeout(c.Session.Timeout):
		return fmt.Errorf("%w: Timeout %v is less than %v (0: 10s)", ErrConfig, c.Session.Timeout, minTimeout)
	case c.Session.MaxTokenLifetime < 0 || c.Session.MaxTokenLifetime > netcode.MaxLifetime:
		return fmt.Errorf("%w: MaxTokenLifetime %v is not in 0..%v (0: 65m)", ErrConfig, c.Session.MaxTokenLifetime, netcode.MaxLifetime)
	case c.Players.ReconnectWindow < 0:
		return fmt.Errorf("%w: ReconnectWindow %v is negative (0: none)", ErrConfig, c.Players.ReconnectWindow)
	case c.Players.CommandRate < 0 || c.Players.CommandRate > maxCommands:
		return fmt.Errorf("%w: CommandRate %d is not between 1 and %d (0: %d)", ErrConfig, c.Players.CommandRate, maxCommands, defaultCommands)
	case c.Flight.validate() != nil:
		return c.Flight.validate()
	case c.Workers < 0 || c.Workers > maxWorkers:
		return fmt.Errorf("%w: Workers %d is not between 1 and %d (0: 1)", ErrConfig, c.Workers, maxWorkers)
	case c.Snapshots.Budget < snapshot.MinBudget:
		return fmt.Errorf("%w: Budget %d is less than %d bytes (0: %d)", ErrConfig, c.Snapshots.Budget, snapshot.MinBudget, defaultBudget)
	case c.Snapshots.Coders > delta.ZstdOnly:
		return fmt.Errorf("%w: no choice of coders %d; there are AnyCoder (0) and ZstdOnly (1)", ErrConfig, c.Snapshots.Coders)
	}
	if err := c.Model.Validate(); err != nil {
		return fmt.Errorf("%w: Model %v: %w", ErrConfig, c.Model, err)
	}
	t := policy.TraitsOf(c.Model)
	if t.RelaysInputs {
		if err := c.validPeers(t); err != nil {
			return err
		}
	}
	if ticks := stampedEarly(t, c.TickRate); stamped(t) && ticks > maxPeers {
		return fmt.Errorf("%w: Model %v: a Window of %v is %d ticks, more than %d; choose a shorter one", ErrConfig, c.Model, t.Window, ticks, maxPeers)
	}
	if c.LagComp != nil {
		if _, err := c.lagComp(); err != nil {
			return err
		}
	}
	if err := errors.Join(c.Overload.Validate(), c.sessions().Validate()); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}

// maxPeers is the maximum number of clients under models whose clients simulate everything, and of ticks in a window.
const maxPeers = 4096

// validPeers returns an error if c does not suit a model whose clients simulate everything.
func (c ServerConfig) validPeers(t policy.Traits) error {
	number, _ := relay.BulkChannel(c.Session.Channels)
	window, model := t.WindowTicks(c.TickRate), c.Model
	switch {
	case c.Snapshots.Interest != nil || len(c.Snapshots.ComponentInterest) > 0:
		return fmt.Errorf("%w: Interest or ComponentInterest under %s: every client simulates everything, so nothing can be hidden from it; leave it nil, or choose a model that sends states, such as LocalSync", ErrConfig, model)
	case c.Snapshots.Record != nil:
		return fmt.Errorf("%w: Record under %s: no state is sent, so there is nothing to learn from; leave it nil", ErrConfig, model)
	case c.MaxClients > maxPeers:
		return fmt.Errorf("%w: MaxClients %d under %s: at most %d", ErrConfig, c.MaxClients, model, maxPeers)
	case window > maxPeers:
		return fmt.Errorf("%w: Model %v: a Window of %v is %d ticks, more than %d; choose a shorter one", ErrConfig, model, t.Window, window, maxPeers)
	case number < 0:
		return fmt.Errorf("%w: Channels under %s: the state for who joins late needs a reliable and ordered channel with a MaxMessage of %d bytes or more, preferably called \"bulk\"",
			ErrConfig, model, relay.LeastMessage)
	}
	return nil
}

// Validate returns an error that wraps [ErrConfig] if c is invalid. It does not change c.
func (c ClientConfig) Validate() error {
	switch {
	case c.Prediction.History < 0 || c.Prediction.History > maxHistory:
		return fmt.Errorf("%w: History %d is not between 1 and %d (0: %d)", ErrConfig, c.Prediction.History, maxHistory, DefaultHistory)
	case badTimeout(c.Session.Timeout):
		return fmt.Errorf("%w: Timeout %v is less than %v (0: 10s)", ErrConfig, c.Session.Timeout, minTimeout)
	case c.Events != nil && c.Session.Messages != nil:
		return fmt.Errorf("%w: Events and Messages: register messages in Events.Registry().Messages()", ErrConfig)
	case c.Session.ConnectTimeout < 0:
		return fmt.Errorf("%w: ConnectTimeout %v is negative (0: Timeout, or 20s)", ErrConfig, c.Session.ConnectTimeout)
	case c.Session.Reconnect && c.Session.Token != nil && c.Session.Renew == nil:
		return fmt.Errorf("%w: Reconnect with a Token, which serves once: give Renew, which returns the next one", ErrConfig)
	}
	for _, m := range c.Models {
		if m == nil {
			return fmt.Errorf("%w: a nil in Models: write policy.LocalSync{}", ErrConfig)
		}
		if err := m.Validate(); err != nil {
			return fmt.Errorf("%w: Models: %v: %w", ErrConfig, m, err)
		}
	}
	if err := c.Prediction.Smoothing.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if s, _ := c.SessionConfig(nil); s.Validate() != nil {
		return fmt.Errorf("%w: %w", ErrConfig, s.Validate())
	}
	return nil
}

// minTimeout is two keep-alive intervals of a session. With a shorter timeout, one lost keep-alive would end an idle session.
const minTimeout = 200 * time.Millisecond

func badTimeout(d time.Duration) bool { return d < 0 || d > 0 && d < minTimeout }

// suits returns an error if a client's configuration does not fit the model m of its server.
func suits(c *Client, m policy.Model) error {
	if own := c.config.Models; len(own) > 0 && ownModel(own, m) == nil {
		return fmt.Errorf("%w: the server plays %v, but Models has only %v: add %v, or choose one of them for the server", ErrConfig, m, own, m)
	}
	own := c.config.Systems
	if policy.TraitsOf(m).RelaysInputs && (own.Predict != nil || own.Reconcile != nil) {
		return fmt.Errorf("%w: Systems with a Predict or Reconcile under %v: every peer simulates everything from the inputs of all, and has to do so alike; leave these two out", ErrConfig, m)
	}
	if err := requireClientSystems(c.stages.schedule.Names(), m); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}
