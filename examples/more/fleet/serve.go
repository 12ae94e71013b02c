package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/operator"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/agones"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

const (
	// prefix is the prefix of the environment variables that replace flags.
	prefix = "FLEET_"
	// gamePort is the port of the Agones manifest that players reach.
	gamePort = "game"
)

// settings are the flags of a process.
type settings struct {
	name, listen, address, http, operator, proxies string
	nats, ca, credentials                          string
	replicas                                       int
	key, oldKeys, saves, fleet                     string
	issuer, audience, keys                         string
	look, operators                                string
}

// flags returns the flags of a process, which write to s.
func (s *settings) flags() *flag.FlagSet {
	f := s.storeFlags("fleet serve", "[flags]")
	host, _ := os.Hostname()
	f.StringVar(&s.name, "name", host, "`name` of the process in the directory; each has its own")
	f.StringVar(&s.listen, "listen", "127.0.0.1:7777", "`address` where players are served, over UDP")
	f.StringVar(&s.address, "address", "", "`address` by which players reach -listen, such as 203.0.113.7:7777; none: what Agones says, else -listen")
	f.StringVar(&s.http, "http", "127.0.0.1:8080", "`address` where players ask for seats under /rooms, and probes under /ready")
	f.StringVar(&s.operator, "operator", "127.0.0.1:7780", "`address` of the operator page, and of /metrics")
	f.StringVar(&s.proxies, "proxies", "", "`networks` of the proxies in front of -http and -operator, such as 10.0.0.0/8,192.168.0.0/16")
	f.StringVar(&s.issuer, "issuer", "", "`URL` of the OpenID Connect issuer, as in the claim iss of its tokens")
	f.StringVar(&s.audience, "audience", "", "`id` of this game at the issuer, as in the claim aud")
	f.StringVar(&s.keys, "jwks", "", "`URL` of the issuer's keys, its jwks_uri")
	f.StringVar(&s.look, "operator-token", "", "`token` that lets others than this machine see the operator page")
	f.StringVar(&s.operators, "operators", "", "`NAME=TOKEN …` of those who may act on the operator page")
	return f
}

// storeFlags returns the flags that lead to the saves of a fleet, which write to s.
func (s *settings) storeFlags(name, arguments string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.StringVar(&s.nats, "nats", "", "`URLs` of NATS, with commas: tls://USER:PASSWORD@HOST:4222")
	f.StringVar(&s.ca, "nats-ca", "", "`file` with the certificates that sign those of NATS; none: those of the system")
	f.StringVar(&s.credentials, "nats-creds", "", "`file` of NATS credentials, in place of a password")
	f.IntVar(&s.replicas, "nats-replicas", 1, "`number` of NATS servers that keep the directory: 1, 3 or 5")
	f.StringVar(&s.key, "key", "", "`file` with the key of connect tokens, 64 hex digits; all processes have the same")
	f.StringVar(&s.oldKeys, "old-keys", "", "`files` with former keys, with commas, under which saves are accepted, too")
	f.StringVar(&s.saves, "saves", "", "`folder` of the saves of rooms, which all processes share; none: they are in NATS")
	f.StringVar(&s.fleet, "fleet", "", "`name` of the fleet, which is in each save: saves of another fleet are not used")
	f.Usage = func() {
		_, _ = fmt.Fprintf(f.Output(), "usage: %s %s\n\nA variable stands in for a flag: %s for -nats-ca. Give secrets so, because everybody sees arguments.\n\n", name, arguments, variable("nats-ca"))
		f.PrintDefaults()
	}
	return f
}

// variable returns the name of the environment variable that replaces a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// parse parses flags. For a missing flag it reads the environment variable.
func (s *settings) parse(args, environment []string) error {
	return parseInto(s.flags(), args, environment)
}

// parseInto parses flags. For a missing flag it reads the environment variable.
func parseInto(f *flag.FlagSet, args, environment []string) error {
	var errs []error
	for _, e := range environment {
		name, value, _ := strings.Cut(e, "=")
		f.VisitAll(func(x *flag.Flag) {
			if name == variable(x.Name) {
				if err := x.Value.Set(value); err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", name, err))
				}
			}
		})
	}
	return errors.Join(append(errs, f.Parse(args))...)
}

// serve runs a process until it gets a signal to stop and its rooms have ended.
func (s *settings) serve(ctx context.Context, log *slog.Logger) error {
	saves, err := s.readKeys()
	if err != nil {
		return err
	}
	proxies, err := networks(s.proxies)
	if err != nil {
		return fmt.Errorf("-proxies: %w", err)
	}
	operators, err := operator.ParseOperators(s.operators)
	if err != nil {
		return fmt.Errorf("-operators: %w", err)
	}
	login, err := newLogin(s.issuer, s.audience, s.keys, log)
	if err != nil {
		return err
	}
	wire, err := netsys.ListenUDP(s.listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	seats, err := net.Listen("tcp", s.http)
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	office, err := net.Listen("tcp", s.operator)
	if err != nil {
		return fmt.Errorf("-operator: %w", err)
	}

	cluster := agones.Config{Rooms: maxRooms, Players: maxRooms * capacity, Logger: log}
	addresses, err := s.addresses(ctx, cluster)
	if err != nil {
		return err
	}
	directory, err := s.open(ctx, log)
	if err != nil {
		return err
	}
	defer directory.Close()
	if saves.Store, err = s.openSaves(ctx, directory); err != nil {
		return err
	}
	audit := operator.NewAudit(os.Stderr)
	c := rooms.Config{
		Kinds: []rooms.Kind{kind()}, MaxRooms: maxRooms, Process: s.name, Key: saves.Key, OldKeys: saves.OldKeys, Store: saves.Store, Fleet: s.fleet,
		Addresses: addresses, Logger: log, Told: audit.Told,
	}
	if addresses != nil {
		c.Endpoints.UDP = addresses[0].String()
	}
	server, err := rooms.New(c, wire)
	if err != nil {
		return err
	}
	all, err := fleet.New(fleet.Config{Directory: directory, Here: server})
	if err != nil {
		return err
	}
	handler, err := web.New(web.Config{Authenticate: login.authenticate, TrustedProxies: proxies, Logger: log}, all)
	if err != nil {
		return err
	}
	page, err := operator.New(server, operator.Config{
		Token: s.look, Operators: operators, TrustedProxies: proxies, Audit: audit, Queued: handler.Queued, Logger: log,
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/rooms", handler)
	mux.Handle("/rooms/", handler)
	mux.Handle("/ready", web.Ready(all))
	log.Info("serving", "name", s.name, "players", wire.LocalAddr().String(), "http", seats.Addr().String(), "operator", office.Addr().String())
	return serve.Run(ctx, server, serve.Config{Deadline: longest, Logger: log, Beside: []func(context.Context) error{
		login.run, web.Beside(seats, mux),
		func(ctx context.Context) error { return page.Serve(ctx, office) },
		func(ctx context.Context) error { return agones.Run(ctx, server, cluster) },
	}})
}

// addresses returns where players reach the process, nil where that is where it listens.
func (s *settings) addresses(ctx context.Context, cluster agones.Config) ([]netip.AddrPort, error) {
	if s.address == "" {
		return agones.Addresses(ctx, cluster, gamePort) // nil without Agones
	}
	udp, err := net.ResolveUDPAddr("udp", s.address)
	if err != nil {
		return nil, fmt.Errorf("-address: %w", err)
	}
	return []netip.AddrPort{netip.AddrPortFrom(udp.AddrPort().Addr().Unmap(), udp.AddrPort().Port())}, nil
}

// open opens the directory, and waits for NATS.
func (s *settings) open(ctx context.Context, log *slog.Logger) (*natsdir.Directory, error) {
	c := natsdir.Config{URL: s.nats, Credentials: s.credentials, Replicas: s.replicas, Logger: log}
	if s.ca != "" {
		b, err := os.ReadFile(s.ca)
		if err != nil {
			return nil, fmt.Errorf("-nats-ca: %w", err)
		}
		c.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		if !c.TLS.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("-nats-ca: %s has no certificate", s.ca)
		}
	}
	return natsdir.Open(ctx, c)
}

// readKeys reads the keys of saves.
func (s *settings) readKeys() (saves rooms.Saves, err error) {
	if saves.Key, err = readKey(s.key); err != nil {
		return saves, fmt.Errorf("-key: %w", err)
	}
	for name := range strings.SplitSeq(s.oldKeys, ",") {
		if name == "" {
			continue
		}
		key, err := readKey(name)
		if err != nil {
			return saves, fmt.Errorf("-old-keys: %w", err)
		}
		saves.OldKeys = append(saves.OldKeys, key)
	}
	saves.Fleet = s.fleet
	return saves, nil
}

// openSaves opens the store of saves.
func (s *settings) openSaves(ctx context.Context, d *natsdir.Directory) (rooms.Archive, error) {
	var store rooms.Store
	var err error
	if s.saves != "" {
		store, err = rooms.NewFileStore(s.saves)
	} else {
		store, err = d.Store(ctx)
	}
	if err != nil {
		return nil, err
	}
	return store.(rooms.Archive), nil
}

// runSaves runs an operator's command on the saves of a fleet.
func (s *settings) runSaves(ctx context.Context, args, environment []string, out io.Writer) error {
	f := s.storeFlags("fleet saves", "[flags] COMMAND\n\nwhere COMMAND is one of\n\n"+serve.SavesUsage)
	if err := parseInto(f, args, environment); err != nil {
		return err
	}
	saves, err := s.readKeys()
	if err != nil {
		return err
	}
	var directory *natsdir.Directory
	if s.saves == "" {
		if directory, err = s.open(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
			return err
		}
		defer directory.Close()
	}
	if saves.Store, err = s.openSaves(ctx, directory); err != nil {
		return err
	}
	return serve.Saves(ctx, saves, f.Args(), out)
}

// readKey reads the key of connect tokens.
func readKey(name string) (key netcode.Key, err error) {
	if name == "" {
		return key, errors.New("is missing: make a file by openssl rand -hex 32, for all processes")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return key, err
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(b) != len(key) {
		return key, fmt.Errorf("%s has no key: want %d hex digits", name, 2*len(key))
	}
	return netcode.Key(b), nil
}

// networks parses networks, separated by commas.
func networks(text string) (all []netip.Prefix, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		p, err := netip.ParsePrefix(one)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
