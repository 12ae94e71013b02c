package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// spectators is how many people can watch a room.
const spectators = 16

// roomsPage serves the rooms of a world, with a lobby.
type roomsPage struct {
	page  *worldPage
	world runner.Game
	o     runner.Options
	bots  *company
	out   io.Writer
	log   *slog.Logger

	operator OperatorPage // nil: none; set before there are rooms
}

// rooms serves the rooms of a world, their HTTP interface and the page until ctx ends.
func (b *worldPage) rooms(ctx context.Context, world runner.Game, o runner.Options, stdout, stderr io.Writer) error {
	if b.page.text == "none" || b.config.Dist == nil && b.config.Page == "" {
		return errors.New("-rooms: there is no page with a lobby: leave -http none out, and set Dist or Page of web.Config")
	}
	r := &roomsPage{page: b, world: world, o: o, out: stdout, log: slog.New(slog.NewTextHandler(stderr, nil))}
	if err := r.openDomain(); err != nil {
		return err
	}
	defer b.public.Close()
	page, err := Listen(b.page.text, !b.page.typed && !b.public.on())
	if err != nil {
		return fmt.Errorf("%w; -http takes another address, or port 0 for a free port", err)
	}
	defer page.Close()
	at, err := netip.ParseAddrPort(page.Addr().String())
	if err != nil {
		return err
	}
	if !at.Addr().IsLoopback() && !r.open() {
		return fmt.Errorf("-http %s: players do not log in, so rooms are for this machine: leave the flag out. Or set -insecure-anyone-can-join, too, to let everybody play who reaches this address", at)
	}
	sockets := at.Addr().String()
	if b.public.on() {
		sockets = host
	}
	wire, err := b.openTransport(at.Addr().String(), sockets)
	if err != nil {
		return err
	}
	server, err := r.server(wire, stderr)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	site, err := r.site(server, wire.WebSocketAddr().Port(), stderr)
	if err == nil && b.config.Dir != "" {
		if err = site.Prepare(ctx); err != nil {
			err = fmt.Errorf("-web: %w", err)
		}
	}
	to := where{HTTP: b.public.URL(page.Addr()), UDP: localAddress(wire.LocalAddr()), WS: "ws://" + localAddress(wire.WebSocketAddr()), Kind: world.Name, Seats: o.Seats}
	if b.public.on() {
		to.WS = b.public.url("wss", playPath)
	}
	to.Rooms = to.HTTP + "/rooms"
	var watch func(context.Context) error
	if err == nil {
		watch, err = r.openOperator(server, stderr, &to)
	}
	if err == nil {
		err = to.print(stdout, o.JSON)
	}
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	beside := []func(context.Context) error{func(ctx context.Context) error {
		return b.public.Serve(ctx, page, site, &SocketProxy{To: wire.WebSocketAddr(), Hosts: b.config.Hosts})
	}}
	if b.config.Dir == "" {
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
	err = serve.Run(ctx, server, serve.Config{Beside: beside, Saved: b.public.Saves(), Logger: r.log})
	r.bots.end()
	if errors.Is(err, serve.ErrCut) { // the second Ctrl-C: serve has logged it
		return nil
	}
	return err
}

// open reports whether players on other machines may play.
func (r *roomsPage) open() bool { return r.o.Insecure || r.page.public.on() }

// openDomain opens the domain of -domain, if the flag is set.
func (r *roomsPage) openDomain() error {
	b := r.page
	switch {
	case !b.public.on():
		return nil
	case b.config.Dist == nil:
		return errors.New("-domain: this program's page cannot be served under a domain: set web.Config.Dist")
	case b.public.alone() && !b.page.typed:
		b.page.text = ":80"
	}
	b.public.Domain = b.config.Domain
	if err := b.public.Open(r.log); err != nil {
		return err
	}
	b.config.Hosts = append(slices.Clip(b.config.Hosts), b.public.names...)
	return nil
}

// server returns the server of the rooms. After an error, the caller closes wire.
func (r *roomsPage) server(wire Wire, stderr io.Writer) (*rooms.Server, error) {
	return r.page.public.Rooms(rooms.Config{
		Kinds: []rooms.Kind{r.kind()}, MaxRooms: r.o.MaxRooms,
		Logger: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Told: func(n rooms.Notice) {
			if r.tell(n); r.operator != nil {
				r.operator.Told(n)
			}
		},
	}, wire)
}

// tokenAddresses returns the addresses of a transport for connect tokens, nil for its own. A transport that listens on all
// addresses has those of the machine's interfaces.
func tokenAddresses(wire Wire) (all []netip.AddrPort, err error) {
	if !wire.LocalAddr().Addr().IsUnspecified() {
		return nil, nil
	}
	of, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, a := range of {
		at, err := netip.ParsePrefix(a.String())
		if err != nil || at.Addr().IsLinkLocalUnicast() || wire.LocalAddr().Addr().Is4() && !at.Addr().Is4() {
			continue
		}
		for _, port := range []uint16{wire.LocalAddr().Port(), wire.WebSocketAddr().Port()} {
			if len(all) < netcode.MaxServers {
				all = append(all, netip.AddrPortFrom(at.Addr(), port))
			}
		}
	}
	return all, nil
}

// kind returns the kind of the rooms: matches of the world with the settings of the flags.
func (r *roomsPage) kind() rooms.Kind {
	of := func(room *rooms.Room) runner.Options {
		o := r.o
		o.Clients, o.Guests, o.Seed = o.Seats, 0, uint64(room.ID())%1000
		return o
	}
	r.bots = &company{page: r, options: of, crews: make(map[rooms.ID]*crew)}
	settings := r.world.Settings(&r.o)
	settings.Players.Spectators = spectators
	return rooms.Kind{
		Name: r.world.Name, Protocol: func() *ecs.Protocol { return r.world.Protocol(&r.o) }, Capacity: r.o.Seats, Server: settings,
		Set: func(room *rooms.Room, c *systems.ServerConfig) error {
			if r.world.Server != nil {
				o := of(room)
				r.world.Server(&o, c)
			}
			return nil
		},
		Hooks: rooms.Hooks{
			Created: func(room *rooms.Room, w *ecs.World) error {
				if room.Loaded() != 0 {
					r.bots.continued(room)
				} else if r.world.Populate != nil {
					o := of(room)
					r.world.Populate(w, &o)
				}
				return nil
			},
			Joined: func(room *rooms.Room, s rooms.Seat, _ uint32) { r.bots.seated(room, s) },
			Left:   r.bots.seated, Ended: r.bots.ended,
		},
	}
}

// site returns the page with the lobby, and the HTTP interface under /rooms.
func (r *roomsPage) site(server *rooms.Server, port uint16, progress io.Writer) (*Site, error) {
	c := roomsweb.Config{
		Embed:  r.page.config.Embed,
		Check:  readable,
		Match:  match.Rules{Least: 1, Patience: 3 * time.Second}.Match, // start after 3 seconds, even with one player
		Logger: r.log,
	}
	if r.open() {
		c.Authenticate, c.Hosts, c.TrustedProxies = guest, r.page.config.Hosts, r.page.public.proxies
	} else { // all requests come from this machine, including those of a swarm of bots
		c.PerAddress, c.PerPlayer = 60_000, 600
	}
	handler, err := roomsweb.New(c, r.page.public.Seats(seats{rooms.Here(server), r.bots}))
	if err != nil {
		return nil, err
	}
	own := r.page.config
	own.Port, own.Progress = port, progress
	if own.Dist != nil {
		own.Dist = r.page.public.Dist(own.Dist)
	}
	own.Lobby = &Lobby{Rooms: handler, Kind: r.world.Name, Schema: rooms.SchemaOf(r.world.Protocol(&r.o))}
	return New(own), nil
}

// guest returns the player that a request names, under -insecure-anyone-can-join and -domain. A page draws the number at random and
// tells it to the server alone.
func guest(r *http.Request) (rooms.Player, error) {
	id, err := strconv.ParseUint(r.Header.Get("Player"), 10, 53)
	if err != nil || id == 0 {
		return rooms.Player{}, errors.New("the header Player must be a number of up to 53 bits: draw one, and keep it")
	}
	return rooms.Player{ID: id}, nil
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

// openOperator returns the function that serves the operator page, or nil without -inspect.
func (r *roomsPage) openOperator(server *rooms.Server, stderr io.Writer, at *where) (func(context.Context) error, error) {
	open := r.page.config.Operator
	switch {
	case r.o.Inspect == "":
		return nil, nil
	case open == nil:
		return nil, errors.New("-inspect: this program has no operator page for rooms: set web.Config.Operator")
	}
	var broadcast func(room *rooms.Room, text string) error
	if announce := r.world.Rooms.Announce; announce != nil {
		broadcast = func(room *rooms.Room, text string) (err error) {
			return errors.Join(room.Do(func(s *systems.Server) { err = announce(s, "operator", text) }), err)
		}
	}
	page, err := open(server, broadcast, stderr)
	if err != nil {
		return nil, err
	}
	r.operator = page
	l, err := net.Listen("tcp", r.o.Inspect)
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

// tell prints a notice of a room, unless only one line is to be printed.
func (r *roomsPage) tell(n rooms.Notice) {
	if r.o.JSON {
		return
	}
	why := ""
	if n.Err != nil {
		why = ": " + n.Err.Error()
	}
	r.bots.mu.Lock() // one line at a time
	defer r.bots.mu.Unlock()
	fmt.Fprintf(r.out, "%s  room %v %s%s\n", n.At.Format(time.TimeOnly), n.Room, n.Event, why)
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

// firstBot is the lowest player id of bots. The ids of people are lower.
const firstBot = 1 << 63

// company manages the bots of all rooms. Bots join a room after its first player, leave one by one as further players come, and
// leave after the last player. They are normal clients over UDP, on seats.
type company struct {
	page    *roomsPage
	options func(*rooms.Room) runner.Options

	mu      sync.Mutex
	next    uint64 // number of bots started
	crews   map[rooms.ID]*crew
	playing sync.WaitGroup
}

// crew is the bots of one room.
type crew struct {
	room *rooms.Room
	bots []context.CancelFunc
}

// wanted returns the number of bots in a room where more people ask for seats.
func (x *company) wanted(r *rooms.Room, more int) int {
	people, played := more, false
	for _, s := range r.Seats() {
		if s.Player < firstBot {
			people, played = people+1, played || s.Client != 0
		}
	}
	if !played {
		return 0
	}
	o := &x.page.o
	return max(min(o.Bots+1-people, o.Seats-1-people), 0)
}

// seated starts and stops bots after a player has taken a seat, or the seat of a player has become free.
func (x *company) seated(r *rooms.Room, s rooms.Seat) {
	if s.Player >= firstBot {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.crews[r.ID()] == nil {
		x.crews[r.ID()] = &crew{room: r}
	}
	x.adjust(x.crews[r.ID()], 0)
}

// yield stops the bots of a room that are too many when more people ask for seats. It reports whether the room had bots.
func (x *company) yield(room rooms.ID, more int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.crews[room]
	if c == nil || len(c.bots) == 0 {
		return false
	}
	x.adjust(c, more)
	return true
}

// continued starts the bots of a room that continues from its save, when the room runs. They get their seats back, because they have
// the same ids.
func (x *company) continued(r *rooms.Room) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, bots := &crew{room: r}, []uint64(nil)
	for _, s := range r.Seats() {
		if s.Player >= firstBot {
			x.next = max(x.next, s.Player-firstBot)
			bots = append(bots, s.Player)
		}
	}
	x.crews[r.ID()] = c
	r.Tell(func(*systems.Server) {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, id := range bots {
			x.startBot(c, id)
		}
		x.adjust(c, 0)
	})
}

// adjust starts and stops bots of a room where more people ask for seats. The caller holds the lock.
func (x *company) adjust(c *crew, more int) {
	want := x.wanted(c.room, more)
	for len(c.bots) > want {
		c.bots[len(c.bots)-1]()
		c.bots = c.bots[:len(c.bots)-1]
	}
	for len(c.bots) < want {
		x.next++
		x.startBot(c, firstBot+x.next)
	}
}

// startBot starts a bot of a room. The caller holds the lock.
func (x *company) startBot(c *crew, id uint64) {
	ctx, stop := context.WithCancel(context.Background())
	n := len(c.bots)
	c.bots = append(c.bots, stop)
	x.playing.Go(func() { x.play(ctx, c.room, n, id) })
}

// stop stops all bots of a room.
func (c *crew) stop() {
	for _, stop := range c.bots {
		stop()
	}
	c.bots = nil
}

// ended stops the bots of a room that has ended.
func (x *company) ended(r *rooms.Room, _ error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.crews[r.ID()]; c != nil {
		c.stop()
		delete(x.crews, r.ID())
	}
}

// end stops all bots and waits for them, including the bots of rooms that hang.
func (x *company) end() {
	x.mu.Lock()
	for _, c := range x.crews {
		c.stop()
	}
	x.mu.Unlock()
	x.playing.Wait()
}

// play runs bot n of a room until ctx ends. It retries, because bots that left before may still hold their seats.
func (x *company) play(ctx context.Context, r *rooms.Room, n int, id uint64) {
	defer release(r, id)
	for ctx.Err() == nil {
		all, err := r.Reserve(rooms.Player{ID: id})
		if errors.Is(err, rooms.ErrSeated) { // the room continues from its save
			var again rooms.Admission
			again, err = r.Reconnect(rooms.Player{ID: id})
			all = []rooms.Admission{again}
		}
		if err == nil {
			o := x.options(r)
			config := x.page.world.Company(&o, n)
			config.Session.Token = all[0].Token
			if c, err := systems.Dial(ctx, "", x.page.world.Protocol(&o), config); err == nil {
				_ = c.Run(ctx, nil) // it ends with the room or with ctx
				return
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// release gives back the seat of a bot that was stopped before it connected. The seat would stay promised.
func release(r *rooms.Room, id uint64) {
	for _, s := range r.Seats() {
		if s.Player == id && s.Client == 0 {
			_ = r.Kick(id) // or it is free already
		}
	}
}

// seats gives seats to people, also in rooms that are full of bots.
type seats struct {
	rooms.Seats
	bots *company
}

// Reserve implements [rooms.Seats]. If the room is full, bots leave it, and Reserve waits for their seats for up to two seconds.
func (s seats) Reserve(ctx context.Context, room rooms.ID, who ...rooms.Player) ([]rooms.Admission, error) {
	all, err := s.Seats.Reserve(ctx, room, who...)
	yielded := false
	for n := 0; n < 40 && errors.Is(err, rooms.ErrFull); n++ {
		if yielded = s.bots.yield(room, len(who)) || yielded; !yielded {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		all, err = s.Seats.Reserve(ctx, room, who...)
	}
	return all, err
}
