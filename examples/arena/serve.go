package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
	"unicode"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/operator"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// lobbyMain runs the command with -rooms until ctx ends. It returns the exit code.
func lobbyMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var m many
	switch err := m.parse(args, stderr); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "arena: %v\n", err)
		return runner.ExitUsage
	}
	if err := m.serve(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "arena: %v\n", err)
		return 1
	}
	return 0
}

// serve runs the rooms, their HTTP interface and the lobby until ctx ends.
func (m *many) serve(ctx context.Context, stdout, stderr io.Writer) error {
	page, err := web.Listen(m.http, !m.typed)
	if err != nil {
		return fmt.Errorf("%w; -http takes another address, or port 0 for a free one", err)
	}
	defer page.Close()
	wire, err := m.listen(page.Addr())
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	quiet := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	audit := operator.NewAudit(stderr)
	told := m.told(stdout)
	server, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{m.kind()}, MaxRooms: m.most, Logger: quiet, Told: func(n rooms.Notice) {
		told(n)
		if m.inspect != "" {
			audit.Told(n)
		}
	}}, wire)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	at := where{HTTP: "http://" + page.Addr().String(), UDP: wire.LocalAddr().String(), WS: "ws://" + wire.WebSocketAddr().String(), Kind: kindName, Seats: m.seats}
	at.Rooms = at.HTTP + "/rooms"
	site, err := m.site(server, wire.WebSocketAddr().Port(), stderr, log)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	if m.web != "" {
		if err := site.Prepare(ctx); err != nil {
			return errors.Join(fmt.Errorf("-web: %w", err), wire.Close())
		}
	}
	watch, err := m.watch(server, audit, &at)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	if err := at.print(stdout, m.json); err != nil {
		return errors.Join(err, wire.Close())
	}
	beside := []func(context.Context) error{func(ctx context.Context) error { return web.Serve(ctx, page, site) }}
	if m.web == "" {
		beside = append(beside, func(ctx context.Context) error {
			if err := site.Prepare(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintf(stderr, "%v\nThe rooms run without a page.\n", err)
			}
			return nil
		})
	}
	if watch != nil {
		beside = append(beside, watch)
	}
	err = serve.Run(ctx, server, serve.Config{Beside: beside, Logger: log})
	m.crews.end()
	if errors.Is(err, serve.ErrCut) { // the second Ctrl-C: serve has logged it
		return nil
	}
	return err
}

// watch returns the function that serves the operator page, or nil without -inspect.
func (m *many) watch(server *rooms.Server, audit *operator.Audit, at *where) (func(context.Context) error, error) {
	if m.inspect == "" {
		return nil, nil
	}
	page, err := operator.New(server, operator.Config{Operators: m.operators, Audit: audit, Broadcast: func(r *rooms.Room, text string) (err error) {
		return errors.Join(r.Do(func(s *systems.Server) { err = m.messages.Announce(s, "operator", text) }), err)
	}})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", m.inspect)
	if err == nil {
		if err = page.Allows(l.Addr()); err != nil {
			err = errors.Join(err, l.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("-inspect: %w", err)
	}
	at.Operator = "http://" + l.Addr().String()
	return func(ctx context.Context) error { return page.Serve(ctx, l) }, nil
}

// listen listens for players on the host of the page, at the usual ports or at free ones.
func (m *many) listen(page net.Addr) (*eventloop.Listener, error) {
	at, err := netip.ParseAddrPort(page.String())
	if err != nil {
		return nil, err
	}
	host := func(port uint16) string { return netip.AddrPortFrom(at.Addr(), port).String() }
	both := func(udp, ws uint16) (*eventloop.Listener, error) {
		sockets := eventloop.WebSocketConfig{Addr: host(ws), Sandboxed: slices.Contains(m.embed, "null")}
		return eventloop.ListenConfig{WebSocket: sockets}.Listen(host(udp))
	}
	if wire, err := both(7777, 7778); err == nil {
		return wire, nil
	}
	return both(0, 0)
}

// site returns the page with the lobby, and the HTTP interface under /rooms.
func (m *many) site(server *rooms.Server, port uint16, progress io.Writer, log *slog.Logger) (*web.Site, error) {
	handler, err := roomsweb.New(roomsweb.Config{
		Check: readable,
		Match: match.Rules{Least: 1, Patience: 3 * time.Second}.Match, // start after 3 seconds, even with one player
		// All requests come from this machine, including those of a swarm of bots.
		PerAddress: 60_000, PerPlayer: 600, Embed: m.embed,
		Logger: log,
	}, rooms.Here(server))
	if err != nil {
		return nil, err
	}
	return web.New(web.Config{
		Package: "examples/arena/wasm", Dist: pages.Page("lobby"), Dir: m.web, Port: port, Embed: m.embed, Progress: progress,
		Lobby: &web.Lobby{Rooms: handler, Kind: kindName, Schema: rooms.SchemaOf(game.CombatProtocol())},
	}), nil
}

// readable refuses room names with unprintable characters.
func readable(_ roomsweb.Action, _ rooms.Player, _ string, o rooms.Options) error {
	name, _ := o["name"].(string)
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the room name %q has unprintable characters: use only visible ones", name)
		}
	}
	return nil
}

// told returns a function that prints the notices of rooms. It prints nothing with -json.
func (m *many) told(out io.Writer) func(rooms.Notice) {
	if m.json {
		return func(rooms.Notice) {}
	}
	var mu sync.Mutex
	return func(n rooms.Notice) {
		mu.Lock()
		defer mu.Unlock()
		why := ""
		if n.Err != nil {
			why = ": " + n.Err.Error()
		}
		fmt.Fprintf(out, "%s  room %v %s%s\n", n.At.Format(time.TimeOnly), n.Room, n.Event, why)
	}
}

// where is the addresses of all services.
type where struct {
	HTTP  string `json:"http"`  // the lobby
	Rooms string `json:"rooms"` // the HTTP interface to rooms
	UDP   string `json:"udp"`   // for native clients
	WS    string `json:"ws"`    // for clients in a browser
	Kind  string `json:"kind"`
	Seats int    `json:"seats"`
	// Operator is the address of the operator page, or "".
	Operator string `json:"operator,omitempty"`
}

// print writes the addresses, as a line of JSON or as text.
func (x where) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(x)
	}
	operator := ""
	if x.Operator != "" {
		operator = "\n  operator page:       " + x.Operator
	}
	_, err := fmt.Fprintf(out, "\n  lobby in a browser:  %s\n  rooms by HTTP:       %s, described by %[2]s/openapi.json\n  players connect to:  udp %s, %s%s\n\n", x.HTTP, x.Rooms, x.UDP, x.WS, operator)
	return err
}
