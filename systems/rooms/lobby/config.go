package lobby

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
)

const (
	defaultPatience = 3 * time.Second
	defaultGather   = 5 * time.Millisecond
)

// Config configures a [Lobby]. Key is needed, and Directory or Here.
type Config struct {
	// Directory is that of the fleet. Default (nil): that of Here.
	Directory rooms.Directory
	// Here is the server with rooms in this process. Default (nil): there are none.
	Here *rooms.Server
	// Key is rooms.Config.Key of all processes of the fleet.
	Key netcode.Key
	// ProtocolID is rooms.Config.ProtocolID of all processes. Default (0): netsys.DefaultProtocolID.
	ProtocolID uint64
	// Patience is for how long another process may take to answer, up to 10 s. Default (0): 3 s.
	Patience time.Duration
	// Gather is for how long what is asked of another process waits for more of it, so that they are one record, up to
	// 1 s. Default (0): 5 ms; negative: not at all.
	Gather time.Duration
	// Now is the time of day. Default (nil): time.Now. Give that of [Lobby.Advance] where time is virtual.
	Now func() time.Time
	// Random fills names and tokens. Default (nil): crypto/rand.
	Random func([]byte)
	// Logger receives which processes do not answer, and which are left out because they have another Key or ProtocolID. Default (nil): none.
	Logger *slog.Logger
}

// ErrConfig is wrapped by the errors of [New] and [Config.Validate].
var ErrConfig = errors.New("lobby: configuration")

// Format implements [fmt.Formatter] without telling the key.
func (c Config) Format(f fmt.State, verb rune) {
	type printed Config // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error that wraps [ErrConfig] and says what is missing or out of range.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if c.Directory == nil && c.Here == nil {
		bad("Directory is missing: give that of the fleet, or Here, the rooms of this process")
	}
	switch c.Key {
	case netcode.Key{}:
		bad("Key is missing: give rooms.Config.Key of the fleet's processes, which have to share one")
	case netsys.DevelopmentKey():
		bad("Key is the development key, which everybody has: draw one with netcode.GenerateKey, for all processes of the fleet")
	}
	if c.Here != nil && c.Here.Fingerprint() != rooms.Fingerprint(c.Key, c.ProtocolID) {
		bad("Key or ProtocolID is not that of Here: give both the same as rooms.Config, and set Key there, where it is drawn otherwise")
	}
	if c.Patience < 0 || c.Patience > asks.Lease-5*time.Second {
		bad("Patience %v is not in 0..%v", c.Patience, asks.Lease-5*time.Second)
	}
	if c.Gather > time.Second {
		bad("Gather %v is more than a second", c.Gather)
	}
	return errors.Join(errs...)
}

// New makes a lobby. The error wraps [ErrConfig].
func New(c Config) (*Lobby, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Directory == nil {
		c.Directory = c.Here.Directory()
	}
	c.Patience, c.Gather = cmp.Or(c.Patience, defaultPatience), max(cmp.Or(c.Gather, defaultGather), 0)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = func(b []byte) { _, _ = rand.Read(b) } // it never fails
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Lobby{config: c, view: newView(rooms.Fingerprint(c.Key, c.ProtocolID), c.Logger), began: c.Now(), post: newPost()}
	if c.Here != nil {
		l.here, l.view.own = rooms.Here(c.Here), c.Here.Process()
	}
	var b [8]byte
	c.Random(b[:])
	l.post.name = hex.EncodeToString(b[:])
	return l, nil
}
