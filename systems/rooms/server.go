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
)

// pollInterval is how often datagrams are received for all rooms, and rooms are checked for being stuck.
const pollInterval = 10 * time.Millisecond

// Server is a process with rooms behind one endpoint. Its methods may be called from any goroutine. Either Run or the caller
// of Advance drives it.
type Server struct {
	config Config
	kinds  map[string]*Kind
	counts map[string]*counter // by kind
	router *router
	fleet  Fleet // nil: the process is alone
	index  seatIndex
	tasks  *backgroundTasks

	clock func() time.Duration // of the machine, by which rooms measure their load; nil in virtual time
	load  processLoad

	drawnKey, drawnName bool
	random              func([]byte)

	saving   chan struct{} // a semaphore of the rooms that are being saved
	encoding sync.Mutex    // held while a save is encoded
	handing  chan struct{} // a semaphore of the rooms that are handed over

	opening sync.Mutex // held while Join creates a room, or Continue
	mu      sync.Mutex
	table   table // with mu
}

// table has the rooms of a server.
type table struct {
	list     []*Room // in the order of creation
	byID     map[ID]*Room
	byCode   map[string]*Room
	making   int // that are not on the list yet
	made     uint64
	draining bool
	drained  chan struct{}
	over     bool // drained is closed
	closed   bool
	run      context.Context // of Run; nil: Run was not called
	running  map[*Room]chan struct{}
	unusable map[ID]unusable // saves that this process could not use a moment ago
}

// New returns a server on datagram transports, which it closes in the end. The error wraps [ErrConfig].
func New(c Config, wires ...netsys.Wire) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(wires) == 0 {
		return nil, fmt.Errorf("%w: there are no transports: give one that listens, such as that of netsys.ListenUDP", ErrConfig)
	}
	s := &Server{
		kinds: make(map[string]*Kind), counts: make(map[string]*counter), random: locked(c.Random),
		index: seatIndex{rooms: make(map[uint64][]ID)}, saving: make(chan struct{}, maxSaving), handing: make(chan struct{}, maxSaving), drawnKey: c.Key == netcode.Key{}, drawnName: c.Process == "",
	}
	realTime := c.Now == nil
	if c = c.filled(); realTime {
		began := c.Now()
		s.clock = func() time.Duration { return c.Now().Sub(began) }
	}
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
	if s.drawnName {
		c.Process = ID(draw(s.random)).String()
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
	s.table = table{byID: make(map[ID]*Room), byCode: make(map[string]*Room), drained: make(chan struct{}), running: make(map[*Room]chan struct{}), unusable: make(map[ID]unusable)}
	s.router = newRouter(routerConfig{wires: wires, reader: reader, find: s.findPort})
	s.tasks = newBackgroundTasks()
	return s, nil
}

// FreeRooms returns how many more rooms the server can create: 0 while it drains. See Config.MaxRooms.
func (s *Server) FreeRooms() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.table
	if t.draining || t.closed {
		return 0
	}
	return s.config.MaxRooms - len(t.list) - t.making
}

// locked returns a source of randomness that any goroutine may use.
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

// listens returns the addresses of transports, for datagrams and for WebSockets.
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

// findPort returns the port of the room that a request is for, and the number of its seat. The port is nil if there is none.
func (s *Server) findPort(_ time.Time, a netcode.Asked) (*port, uint16) {
	seat, err := ParseSeat(a.UserData)
	if err != nil || seat.Player != a.ClientID {
		return nil, 0
	}
	r := s.Room(seat.Room)
	if r == nil || int(seat.Number) >= len(r.port.seats) {
		return nil, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	book, promise := r.held.bookOf(seat)
	book.noteRequest(promise, seat.Player)
	return r.port, seat.Number
}

// Run serves in real time until ctx ends or a transport fails, each room on its own goroutine. Then it ends the rooms, which saves
// those with a store, notifies their clients and closes the transports. The error is that of [Server.Err] or of closing, or names a
// room that was stuck.
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
	connected, leave := context.WithCancel(context.Background())
	defer leave()
	var left sync.WaitGroup
	var failed error
	if s.fleet != nil {
		left.Go(func() { failed = s.fleet.Run(connected) })
	}
	var worked sync.WaitGroup
	worked.Go(func() { s.tasks.run(rooms) })
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	var dead error
	for ctx.Err() == nil {
		if dead = s.Err(); dead != nil {
			break
		}
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
	longest := s.config.Stuck
	if s.config.Store != nil {
		longest += storeTimeout // each room saves its last state
	}
	patience := time.NewTimer(longest)
	defer patience.Stop()
	for r, done := range running {
		select {
		case <-done:
		case <-patience.C:
			patience.Reset(0)
			err = fmt.Errorf("%w: %s %v", ErrStuck, r.kind.Name, r.about.id)
		}
	}
	worked.Wait()
	last, end := context.WithTimeout(context.Background(), s.config.Stuck)
	defer end()
	s.tasks.flush(last) // what rooms gave back that have ended
	leave()
	left.Wait()
	return errors.Join(dead, err, failed, s.router.close())
}

// Err returns why a transport has failed, nil while all work: see netsys.Failing. The process then gives no seats.
func (s *Server) Err() error {
	for _, w := range s.router.config.wires {
		if err := netsys.WireError(w); err != nil {
			return fmt.Errorf("rooms: the transport at %v has failed: %w; start the process again", w.LocalAddr(), err)
		}
	}
	return nil
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
		r.watch.checkStuck(r, now)
	}
}

// Advance does everything that is due at now, on the caller's goroutine, with the rooms in the order of their creation. It replaces Run
// in virtual time.
func (s *Server) Advance(now time.Time) {
	s.pollRooms(now)
	own := goroutine()
	for _, r := range s.Rooms() {
		if r.isDue(now) {
			r.watch.goroutine.Store(own)
			r.runTurn(now)
		}
	}
	s.tasks.flush(context.Background())
	if s.fleet != nil {
		s.fleet.Advance(now)
	}
}

// Next returns when something is due next, in virtual time.
func (s *Server) Next() time.Time {
	now := s.config.Now()
	next := now.Add(time.Second)
	for _, r := range s.Rooms() {
		if at := r.nextTurn(now); at.Before(next) {
			next = at
		}
	}
	return next
}

// Close ends all rooms, notifies their clients and closes the transports, in virtual time. Run does so itself.
func (s *Server) Close(now time.Time) error {
	s.mu.Lock()
	s.table.closed = true
	s.mu.Unlock()
	for _, r := range s.Rooms() {
		r.finish(ErrClosed, netsys.ReasonServerClosing)
		r.runTurn(now)
	}
	s.tasks.flush(context.Background())
	if s.fleet != nil {
		s.fleet.Withdraw()
	}
	return s.router.close()
}

// removeRoom removes a room that has ended from the list.
func (s *Server) removeRoom(r *Room) {
	r.changed()
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.table
	t.list = slices.DeleteFunc(slices.Clone(t.list), func(x *Room) bool { return x == r })
	t.hide(r)
	delete(t.running, r)
	t.closeIfDrained()
}

// hideRoom makes a room that another process continues be found there.
func (s *Server) hideRoom(r *Room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.hide(r)
}

// hide removes a room from the indexes. The caller holds the lock.
func (t *table) hide(r *Room) {
	if t.byID[r.about.id] == r {
		delete(t.byID, r.about.id)
	}
	if t.byCode[r.about.code] == r {
		delete(t.byCode, r.about.code)
	}
}

// closeIfDrained closes drained if the process drains and has no rooms left. The caller holds the lock.
func (t *table) closeIfDrained() {
	if t.draining && !t.over && len(t.list)+t.making == 0 {
		t.over = true
		close(t.drained)
	}
}
