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
	// Rooms is the counter of rooms.
	Rooms = "rooms"
	// Players is the counter of taken seats.
	Players = "players"
	// Drain is the label, or annotation, that drains the process, with any value but "" and "false".
	Drain = "tactus-drain"
)

// portName is the environment variable with the port of the SDK server.
const portName = "AGONES_SDK_HTTP_PORT"

// ErrConfig is wrapped by errors about an invalid configuration or environment.
var ErrConfig = errors.New("agones: bad configuration")

// Config configures [Run] and [Addresses]. The zero value is suitable.
type Config struct {
	// Port is the port of the SDK server on loopback. Default (0): the port in AGONES_SDK_HTTP_PORT. Without that variable
	// there is no Agones.
	Port int
	// Rooms is the intended number of rooms in the process: the capacity of the counter by which a fleet scales. Default
	// (0): the capacity in the manifest.
	Rooms int
	// Players is the intended number of seats: the capacity of the counter. Default (0): the capacity in the manifest.
	Players int
	// Logger logs calls that Agones rejects, once per failure, and why the process drains. Default (nil): none.
	Logger *slog.Logger
}

// Validate returns an error that wraps [ErrConfig] and names invalid fields.
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

// filled returns c with zeros replaced by their defaults. Port stays 0 without Agones.
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

// Run reports a server to Agones until ctx ends, and then reports the end of the process. It retries rejected calls.
// Without Agones it logs this and returns immediately. The error wraps [ErrConfig].
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

// Addresses returns the public addresses of the named ports of the manifest, for rooms.Config.Addresses. It waits until
// Agones reports them or ctx ends. Without Agones it returns nil. The error wraps [ErrConfig] or contains the latest answer
// of Agones.
func Addresses(ctx context.Context, c Config, ports ...string) ([]netip.AddrPort, error) {
	c, err := c.filled()
	if err != nil || c.Port == 0 {
		return nil, err
	}
	return newAgent(c, nil).addresses(ctx, ports)
}

// addresses asks repeatedly until Agones answers.
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

// addresses returns the public addresses of the named ports.
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

// sleep waits for d, or until ctx ends.
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
