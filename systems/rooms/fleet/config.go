package fleet

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultRequestTimeout = 3 * time.Second
	maxRequestTimeout     = 10 * time.Second
)

// Config configures a [Fleet]. Directory is required, and Here or Key.
type Config struct {
	// Directory connects the processes of the fleet.
	Directory Directory
	// Here is the server with the rooms of this process. rooms.Config.Key must be set, to the same key in all processes. Default
	// (nil): this process has no rooms.
	Here *rooms.Server
	// Key is rooms.Config.Key of the other processes, for a process without rooms. With Here it is ignored.
	Key netcode.Key
	// ProtocolID is rooms.Config.ProtocolID of the other processes, for a process without rooms. With Here it is ignored. Default
	// (0): netsys.DefaultProtocolID.
	ProtocolID uint64
	// RequestTimeout is how long another process may take to answer a request for seats, up to 10 s. Default (0): 3 s.
	RequestTimeout time.Duration
	// Now returns the time of day. Default (nil): that of Here, or time.Now.
	Now func() time.Time
	// Random fills tokens. Default (nil): that of Here, or crypto/rand.
	Random func([]byte)
	// Logger receives which processes do not answer, and which get no players because they have another Key or ProtocolID.
	// Default (nil): that of Here, or none.
	Logger *slog.Logger
}

// ErrConfig is wrapped by the errors of [New] and [Config.Validate].
var ErrConfig = errors.New("fleet: configuration")

// Format implements [fmt.Formatter] without printing the key.
func (c Config) Format(f fmt.State, verb rune) {
	type printed Config // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error that wraps [ErrConfig] and names the fields that are missing or out of range.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if c.Directory == nil {
		bad("Directory is missing: give the one that all processes of the fleet use")
	}
	if c.Here == nil {
		switch c.Key {
		case netcode.Key{}:
			bad("Key is missing: give rooms.Config.Key of the fleet's processes, which must be the same in all of them")
		case netsys.DevelopmentKey():
			bad("Key is the development key, which everybody knows: draw one with netcode.GenerateKey, for all processes of the fleet")
		}
	}
	if c.RequestTimeout < 0 || c.RequestTimeout > maxRequestTimeout {
		bad("RequestTimeout %v is not in 0..%v", c.RequestTimeout, maxRequestTimeout)
	}
	return errors.Join(errs...)
}

// New returns the fleet as this process sees it. It connects Here to the other processes: call it before the first room is
// created and before rooms.Server.Run. The error wraps [ErrConfig].
func New(c Config) (*Fleet, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.RequestTimeout = cmp.Or(c.RequestTimeout, defaultRequestTimeout)
	f := &Fleet{}
	f.answers.fleet = f
	if c.Here != nil {
		f.link = c.Here.Connect(f)
		key, unique := f.link.Drawn()
		if key {
			return nil, fmt.Errorf("%w: rooms.Config.Key of Here is not set: set it to the same key in all processes of the fleet", ErrConfig)
		}
		f.server, f.here = f.link.Config(), rooms.Here(c.Here)
		c.Key, c.ProtocolID = f.server.Key, f.server.ProtocolID
		if c.Now == nil {
			c.Now = f.server.Now
		}
		if c.Random == nil {
			c.Random = f.server.Random
		}
		if c.Logger == nil {
			c.Logger = f.server.Logger
		}
		f.publisher = newPublisher(publisherConfig{
			directory: c.Directory, process: f.server.Process, unique: unique, entry: f.processEntry, publication: f.publication,
			kept: f.kept, markAll: f.markAll, fenced: f.fenced, now: c.Now, logger: c.Logger,
		})
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = func(b []byte) { _, _ = rand.Read(b) } // it never fails
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	f.config, f.started = c, c.Now()
	f.view = newView(Fingerprint(c.Key, c.ProtocolID), c.Logger)
	f.view.own = f.server.Process
	return f, nil
}
