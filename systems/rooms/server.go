package rooms

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// keepTime is between looks at all rooms from outside.
const keepTime = 10 * time.Millisecond

// Server is a process with rooms behind one endpoint. Its methods may be called from any goroutine, but time is Run's, or
// that of who calls Advance.
type Server struct {
	config Config
	kinds  map[string]*Kind
	counts map[string]*counter // by kind
	router *router
	notes  *notes
	shared bool // the directory was given
	desk   *asks.Desk
	travel *transferService
	random func([]byte)

	opening sync.Mutex // of who makes a room for those who join
	mu      sync.Mutex
	table   table // with mu
}

// table is which rooms there are.
type table struct {
	list      []*Room // in the order of creation
	byID      map[ID]*Room
	byCode    map[string]*Room
	making    int // that are not on the list yet
	made      uint64
	elsewhere Seats // nil: no rooms but those of this process
	draining  bool
	drained   chan struct{}
	over      bool // drained is closed
	closed    bool
	run       context.Context // of Run; nil: nobody runs it
	running   map[*Room]chan struct{}
}

// New makes a server on wires, which belong to it from then on, and are closed with it. The error wraps [ErrConfig].
func New(c Config, wires ...netsys.Wire) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(wires) == 0 {
		return nil, fmt.Errorf("%w: no wires: give one that listens, such as of netsys.ListenUDP", ErrConfig)
	}
	c = c.filled()
	s := &Server{kinds: make(map[string]*Kind), counts: make(map[string]*counter), random: locked(c.Random)}
	if c.Addresses == nil {
		c.Addresses = listens(wires)
	}
	if c.Endpoints == (Endpoints{}) {
		c.Endpoints = endpoints(c.Addresses, wires)
	}
	token := netcode.TokenConfig{Key: c.Key, ClientID: 1, Servers: c.Addresses}
	if err := token.Validate(); err != nil {
		return nil, fmt.Errorf("%w: Addresses %v: write where players reach this process, such as 203.0.113.7:7777: %w", ErrConfig, c.Addresses, err)
	}
	drawn := c.Process == ""
	if drawn {
		c.Process = ID(draw(s.random)).String()
	}
	if s.shared = c.Directory != nil; !s.shared {
		c.Directory = NewMemory(c.Now)
	}
	reader, err := netcode.NewReader(netcode.ServerConfig{Key: c.Key, ProtocolID: c.ProtocolID, Random: c.Random})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	s.config = c
	for _, k := range c.Kinds {
		k = k.filled()
		s.kinds[k.Name], s.counts[k.Name] = &k, newCounter()
	}
	s.table = table{byID: make(map[ID]*Room), byCode: make(map[string]*Room), drained: make(chan struct{}), running: make(map[*Room]chan struct{})}
	s.router = newRouter(routerConfig{wires: wires, reader: reader, find: s.findPort})
	s.notes = newNotes(s, drawn)
	s.desk = asks.NewDesk(c.Directory, c.Process, seatService{s})
	s.travel = newTransferService(c)
	if err := checkKinds(s.Kinds()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return s, nil
}

// locked makes a source of randomness one that any goroutine may use.
func locked(random func([]byte)) func([]byte) {
	var mu sync.Mutex
	return func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		if random == nil {
			random = cryptoRandom
		}
		random(b)
	}
}

// listens are where wires can be reached, for datagrams and for WebSockets.
func listens(wires []netsys.Wire) (all []netip.AddrPort) {
	add := func(at netip.AddrPort) {
		if at.IsValid() && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	for _, w := range wires {
		add(w.LocalAddr())
		if web, ok := w.(interface{ WebSocketAddr() netip.AddrPort }); ok {
			add(web.WebSocketAddr())
		}
	}
	return all
}

// findPort returns the port of the room that a request is for, and the number of its seat; nil where there is none.
func (s *Server) findPort(_ time.Time, a netcode.Asked) (*port, uint16) {
	seat, err := ParseSeat(a.UserData)
	if err != nil || seat.Player != a.ClientID {
		return nil, 0
	}
	r := s.Room(seat.Room)
	if r == nil || int(seat.Number) >= r.kind.Capacity {
		return nil, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held.book.noteRequest(seat.promise(), seat.Player)
	r.claimCarried(seat)
	return r.port, seat.Number
}

// Run serves in real time until ctx ends: each room on a goroutine of its own. Then it ends the rooms, tells their
// clients, and closes the wires. The error is that of closing, or names a room that was stuck.
func (s *Server) Run(ctx context.Context) error {
	rooms, stop := context.WithCancel(context.Background())
	defer stop()
	s.mu.Lock()
	if s.table.run != nil || s.table.closed {
		s.mu.Unlock()
		return errors.New("rooms: Server.Run: it runs already, or is closed; make another one with New")
	}
	s.table.run = rooms
	for _, r := range s.table.list {
		s.startRoom(r)
	}
	s.mu.Unlock()
	told, answered := make(chan struct{}), make(chan struct{})
	go s.notes.Run(rooms, told)
	go func() {
		defer close(answered)
		s.desk.Run(rooms, s.config.Now, func(ctx context.Context) (<-chan Record, error) {
			return s.config.Directory.Watch(ctx, s.desk.Prefix())
		})
	}()
	travelled := make(chan struct{})
	go func() {
		defer close(travelled)
		s.travel.tasks.run(rooms)
	}()
	t := time.NewTicker(keepTime)
	defer t.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-t.C:
			s.pollRooms(s.config.Now())
		}
	}
	s.mu.Lock()
	s.table.closed = true
	running := make(map[*Room]chan struct{}, len(s.table.running))
	maps.Copy(running, s.table.running)
	s.mu.Unlock()
	stop()
	var err error
	patience := time.NewTimer(s.config.Stuck)
	defer patience.Stop()
	for r, done := range running {
		select {
		case <-done:
		case <-patience.C:
			patience.Reset(0)
			err = fmt.Errorf("%w: %s %v", ErrStuck, r.kind.Name, r.about.id)
		}
	}
	<-told
	<-answered
	<-travelled
	last, end := context.WithTimeout(context.Background(), s.config.Stuck)
	defer end()
	s.travel.tasks.flush(last) // what rooms gave back that have ended
	return errors.Join(err, s.router.close())
}

// startRoom starts the goroutine of a room. The caller holds the lock.
func (s *Server) startRoom(r *Room) {
	done := make(chan struct{})
	s.table.running[r] = done
	ctx := s.table.run
	go func() {
		defer close(done)
		r.run(ctx)
	}()
}

// pollRooms hands datagrams to the rooms, and reports rooms that are stuck.
func (s *Server) pollRooms(now time.Time) {
	s.router.poll(now)
	for _, r := range s.Rooms() {
		r.watch.look(r, now)
	}
}

// Advance does everything that is due at now, on the caller's goroutine: rooms in the order of their creation. It is for
// virtual time, in place of Run.
func (s *Server) Advance(now time.Time) {
	s.pollRooms(now)
	s.desk.Poll(context.Background(), now)
	own := goroutine()
	for _, r := range s.Rooms() {
		if r.isDue(now) {
			r.watch.goroutine.Store(own)
			r.runTurn(now)
		}
	}
	s.travel.tasks.flush(context.Background())
	s.notes.Flush(context.Background(), now)
}

// Next is when something is due next. It is for virtual time.
func (s *Server) Next() time.Time {
	next := s.config.Now().Add(time.Second)
	for _, r := range s.Rooms() {
		if at := r.nextTurn(); at.Before(next) {
			next = at
		}
	}
	return next
}

// Close ends all rooms, tells their clients and closes the wires. It is for virtual time: Run does so by itself.
func (s *Server) Close(now time.Time) error {
	s.mu.Lock()
	s.table.closed = true
	s.mu.Unlock()
	for _, r := range s.Rooms() {
		r.finish(ErrClosed, netsys.ReasonServerClosing)
		r.runTurn(now)
	}
	s.travel.tasks.flush(context.Background())
	s.notes.Last()
	return s.router.close()
}

// Claim makes a room anew whose process is gone: of the same kind, id, code, options and bans, with nobody in it and a higher
// epoch, so that players who look for it meet again. Its world begins anew; a game that keeps worlds elsewhere loads it in
// Kind.Created, where [Room.Epoch] is above 1. Of several processes that do so one does. Where the room is here, it is the
// answer. The error wraps [ErrOwned] while the process is there; [ErrEnded] where the directory has no such room;
// [ErrConflict] where it has another epoch by now: look anew; [ErrUnavailable]; [ErrSchema]; [ErrDraining] of a room that was about
// to end; or is that of [Server.Create].
func (s *Server) Claim(ctx context.Context, e RoomEntry) (*Room, error) {
	return (&takeover{server: s}).claim(ctx, e)
}

// Epoch says which claim to its name this process has, as its entry in the directory does; 0 while it has none.
func (s *Server) Epoch() uint64 { return s.notes.Claim().Current() }

// Fenced reports whether the process had a claim to its name that has ended: it could not say in the directory that it is
// there, and may be taken for dead. The rooms that the directory knows are orphaned until it can again.
func (s *Server) Fenced() bool { return s.notes.Claim().Ended() }

// Membership is what a process is in its directory: see [Server.Membership].
type Membership struct {
	// Member reports whether the process has the claim to its name: other processes find it and its rooms.
	Member bool
	// Fenced is [Server.Fenced].
	Fenced bool
	// Named reports whether another process has the name of this one. This one gives no seats meanwhile.
	Named bool
	// Errors counts the rounds of writing to the directory that failed.
	Errors uint64
	// Age is the time since this process last heard of a change in the directory, by which its view may be behind. Each process
	// changes its own entry every second. It is 0 for a directory without a method Age() time.Duration, such as [Memory].
	Age time.Duration
}

// Membership returns what this process is in its directory.
func (s *Server) Membership() Membership {
	claim := s.notes.Claim()
	m := Membership{Member: claim.Current() != 0, Fenced: claim.Ended(), Named: claim.Named(), Errors: s.notes.Errors()}
	if d, ok := s.config.Directory.(interface{ Age() time.Duration }); ok {
		m.Age = d.Age()
	}
	return m
}

// named returns an error while another process has the name of this one: nobody else would find the players who got a seat
// here.
func (s *Server) named() error {
	if s.notes.Claim().Named() {
		return &Unavailable{Again: ledger.Lease / 5, Err: ledger.ErrNamed}
	}
	return nil
}

// removeRoom takes a room that has ended off the list.
func (s *Server) removeRoom(r *Room) {
	s.notes.room(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.table
	t.list = slices.DeleteFunc(slices.Clone(t.list), func(x *Room) bool { return x == r })
	delete(t.byID, r.about.id)
	if t.byCode[r.about.code] == r {
		delete(t.byCode, r.about.code)
	}
	delete(t.running, r)
	t.settle()
}

// settle notes that the process is drained. With the lock.
func (t *table) settle() {
	if t.draining && !t.over && len(t.list)+t.making == 0 {
		t.over = true
		close(t.drained)
	}
}
