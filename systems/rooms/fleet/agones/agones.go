package agones

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Names in the manifests.
const (
	// Rooms is the counter of rooms, and the list of their ids.
	Rooms = "rooms"
	// Players is the counter of seats that are taken, and the list of their players' ids.
	Players = "players"
	// Drain is the label, or annotation, that drains the process, with any value but "" and "false".
	Drain = "tactus-drain"
)

// portName is the variable that says where the SDK server listens.
const portName = "AGONES_SDK_HTTP_PORT"

// ErrConfig is wrapped by errors about a configuration, or an environment, that cannot be.
var ErrConfig = errors.New("agones: bad configuration")

// Config configures [Run] and [Addresses]. The zero value is right.
type Config struct {
	// Port is where the SDK server listens, on loopback. Default (0): what the variable AGONES_SDK_HTTP_PORT says, and no
	// Agones where there is none.
	Port int
	// Rooms is how many rooms the process is for: the capacity of the counter, by which a fleet grows. Default (0): as
	// the manifest says.
	Rooms int
	// Players is how many seats they have: the capacity of the counter. Default (0): as the manifest says.
	Players int
	// Logger receives what Agones does not take, once for each time, and why the process drains. Default (nil): none.
	Logger *slog.Logger
}

// Validate returns an error that wraps [ErrConfig] and says what is out of range.
func (c Config) Validate() error {
	var errs []error
	for _, x := range []struct {
		name    string
		n, most int
	}{{"Port", c.Port, 65535}, {"Rooms", c.Rooms, 1 << 30}, {"Players", c.Players, 1 << 30}} {
		if x.n < 0 || x.n > x.most {
			errs = append(errs, fmt.Errorf("%w: %s %d is not in 0..%d", ErrConfig, x.name, x.n, x.most))
		}
	}
	return errors.Join(errs...)
}

// filled is c with defaults in place of zeros. Port is 0 where there is no Agones.
func (c Config) filled() (Config, error) {
	if err := c.Validate(); err != nil {
		return c, err
	}
	if said := os.Getenv(portName); c.Port == 0 && said != "" {
		var err error
		if c.Port, err = strconv.Atoi(said); err != nil || c.Port < 1 || c.Port > 65535 {
			return c, fmt.Errorf("%w: %s is %.20q, which is no port", ErrConfig, portName, said)
		}
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return c, nil
}

// Run tells Agones about a server until ctx ends, and then that the process goes. It waits for nobody: what Agones does not
// take is tried again. Where there is no Agones it says so to the logger and returns at once. The error wraps [ErrConfig].
func Run(ctx context.Context, server *rooms.Server, c Config) error {
	c, err := c.filled()
	if err != nil {
		return err
	}
	if c.Port == 0 {
		c.Logger.Info("no Agones here: " + portName + " is not set")
		return nil
	}
	a := newAgent(c, server)
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			a.leave(context.WithoutCancel(ctx))
			return nil
		case <-t.C:
			t.Reset(a.step(ctx, time.Now()))
		}
	}
}

// Addresses are where players reach the ports with these names in the manifest, from outside: for rooms.Config.Addresses,
// and the public names of a process. It waits until Agones says them, or ctx ends. Where there is no Agones they are nil.
// The error wraps [ErrConfig], or says what Agones has answered last.
func Addresses(ctx context.Context, c Config, ports ...string) ([]netip.AddrPort, error) {
	c, err := c.filled()
	if err != nil || c.Port == 0 {
		return nil, err
	}
	return newAgent(c, nil).addresses(ctx, ports)
}

// addresses asks until there is an answer.
func (a *agent) addresses(ctx context.Context, ports []string) ([]netip.AddrPort, error) {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		g, err := a.gameServer(ctx)
		if err == nil {
			var all []netip.AddrPort
			if all, err = g.addresses(ctx, ports); err == nil || errors.Is(err, ErrConfig) {
				return all, err
			}
		}
		if a.sleep(ctx, pause) != nil {
			return nil, fmt.Errorf("agones: no address of this process: %w", err)
		}
	}
}

// addresses are those of some ports.
func (g *gameServer) addresses(ctx context.Context, ports []string) ([]netip.AddrPort, error) {
	if g.Status.Address == "" || len(g.Status.Ports) == 0 {
		return nil, errors.New("it has none yet")
	}
	host, err := netip.ParseAddr(g.Status.Address)
	if err != nil { // some clouds give names
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", g.Status.Address)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("address %.80q: %w", g.Status.Address, err)
		}
		host = found[0]
	}
	var all []netip.AddrPort
	for _, name := range ports {
		at := netip.AddrPort{}
		for _, p := range g.Status.Ports {
			if p.Name == name && p.Port > 0 && p.Port < 1<<16 {
				at = netip.AddrPortFrom(host.Unmap(), uint16(p.Port))
			}
		}
		if !at.IsValid() {
			return nil, fmt.Errorf("%w: the manifest has no port %.40q", ErrConfig, name)
		}
		all = append(all, at)
	}
	return all, nil
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
