package lobby

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
)

const (
	// mostFlights is how many records one process is asked by at once; what comes meanwhile waits, and goes together.
	mostFlights = 8
	// downTime is for how long nobody is asked after the directory has refused a write.
	downTime = time.Second
)

var (
	errNobody = errors.New("lobby: no process with rooms is in the directory")
	errSilent = errors.New("lobby: the other processes cannot be asked")
	// errUnasked is of asks that could not be written: another process may be asked.
	errUnasked = errors.New("lobby: the directory takes no writes")
	// errForeign is of rooms of a process whose seats no token of this one opens.
	errForeign = errors.New("lobby: the room is of a process with another Key or ProtocolID")
	// errNamesake is of rooms of another process that has the name of this one: it cannot be asked, until its lease has run
	// out and the rooms are made anew.
	errNamesake = errors.New("lobby: the room is of another process that has the name of this one, or had it until a moment ago")
	// errOld is of asks for a process that has claimed its name anew since.
	errOld = errors.New("lobby: the process is another one by now")
)

// errEnded is of asks when Run has returned.
func errEnded() error {
	return &rooms.Unavailable{Again: time.Second, Err: errors.New("lobby: it has ended")}
}

// asker is a lobby to those whom it asks.
type asker Lobby

// post is what is being asked of other processes.
type post struct {
	name    string // of this lobby, in keys
	last    uint64
	lines   map[string]*line
	flights map[string]*flight // by key
	unsent  []*flight          // in virtual time
	waste   []scrap
	runs    bool // by Run, in real time
	ended   bool // Run has returned
	waiting int  // requests that wait for an answer
}

// line is what waits to be asked of one process.
type line struct {
	waiting []*request
	due     time.Time // of the first that waits
	flights int
}

// request is one who asks.
type request struct {
	ask  asks.Ask
	done chan struct{} // closed when there is an answer
	all  []rooms.Admission
	err  error
}

// flight is a record that was, or is about to be, written.
type flight struct {
	key, process string
	epoch        uint64
	batch        asks.Batch
	requests     []*request
	sent         time.Time
	revision     uint64 // 0: not known to be written
}

// scrap is a record that nobody needs any more.
type scrap struct {
	key      string
	revision uint64
}

func newPost() post {
	return post{lines: make(map[string]*line), flights: make(map[string]*flight)}
}

// ask asks another process, and waits for the answer.
func (l *asker) ask(ctx context.Context, process string, a asks.Ask) ([]rooms.Admission, error) {
	q := &request{ask: a, done: make(chan struct{})}
	l.mu.Lock()
	if l.post.ended {
		l.mu.Unlock()
		return nil, errEnded()
	}
	x := l.post.lines[process]
	if x == nil {
		x = &line{}
		l.post.lines[process] = x
	}
	if len(x.waiting) == 0 {
		x.due = l.config.Now().Add(l.config.Gather)
		if l.post.runs {
			time.AfterFunc(l.config.Gather, func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.launch(process, l.config.Now())
			})
		}
	}
	x.waiting = append(x.waiting, q)
	l.post.waiting++
	l.mu.Unlock()
	select {
	case <-q.done:
		return q.all, q.err
	case <-ctx.Done():
		return nil, ctx.Err() // what it is given is free again when its promise is over
	}
}

// launch writes what waits for a process. With the lock.
func (l *asker) launch(process string, now time.Time) {
	x := l.post.lines[process]
	for x != nil && len(x.waiting) > 0 && x.flights < mostFlights && !now.Before(x.due) {
		p := l.view.processes[process]
		if p == nil || now.Before(l.view.down) {
			for _, q := range x.waiting {
				l.answer(q, nil, &rooms.Unavailable{Again: max(l.view.down.Sub(now), time.Second), Err: errUnasked})
			}
			x.waiting = nil
			return
		}
		f := &flight{process: process, epoch: p.Epoch, batch: asks.Batch{Epoch: p.Epoch}, sent: now}
		for len(x.waiting) > 0 && f.batch.Add(x.waiting[0].ask) {
			f.requests = append(f.requests, x.waiting[0])
			x.waiting = x.waiting[1:]
		}
		if len(f.requests) == 0 {
			q := x.waiting[0]
			x.waiting = x.waiting[1:]
			l.answer(q, nil, fmt.Errorf("%w: %d players of one party with what they carry are too many for a room of another process", rooms.ErrPlayer, len(q.ask.Players)))
			continue
		}
		l.post.last++
		f.key = asks.Key(process, l.post.name+"-"+strconv.FormatUint(l.post.last, 36))
		l.post.flights[f.key] = f
		x.flights++
		if l.post.runs {
			go l.send(context.Background(), f)
		} else {
			l.post.unsent = append(l.post.unsent, f)
		}
	}
}

// send writes a record.
func (l *asker) send(ctx context.Context, f *flight) {
	ctx, stop := context.WithTimeout(ctx, l.config.Patience)
	defer stop()
	value, err := f.batch.Bytes()
	var revision uint64
	if err == nil {
		revision, err = l.config.Directory.Save(ctx, f.key, value, 0, asks.Lease)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		f.revision = max(f.revision, revision)
		return
	}
	if l.post.flights[f.key] == f {
		l.view.down = l.config.Now().Add(downTime)
		l.land(f, &rooms.Unavailable{Again: downTime, Err: fmt.Errorf("%w: %w", errUnasked, err)})
	}
}

// land ends a flight: with an error for all, unless they have been answered. With the lock.
func (l *asker) land(f *flight, err error) {
	delete(l.post.flights, f.key)
	for _, q := range f.requests {
		l.answer(q, nil, err)
	}
	if x := l.post.lines[f.process]; x != nil {
		x.flights--
		l.launch(f.process, l.config.Now())
	}
}

// answer answers a request, once. With the lock.
func (l *asker) answer(q *request, all []rooms.Admission, err error) {
	select {
	case <-q.done:
		return
	default:
	}
	q.all, q.err = all, err
	l.post.waiting--
	close(q.done)
}

// hear takes in what the directory says of an ask. With the lock.
func (l *asker) hear(r rooms.Record) {
	_, id, _ := strings.Cut(strings.TrimPrefix(r.Key, asks.Prefix), ".")
	if !strings.HasPrefix(id, l.post.name+"-") {
		return
	}
	f := l.post.flights[r.Key]
	switch {
	case f == nil && !r.Gone:
		l.post.waste = append(l.post.waste, scrap{r.Key, r.Revision})
		return
	case f == nil:
		return
	case r.Gone:
		if f.revision != 0 {
			l.land(f, &rooms.Unavailable{Again: time.Second, Err: errors.New("lobby: the process that was asked has not answered")})
		}
		return
	}
	a, answered, err := asks.ParseAnswers(r.Value, f.batch.Asks)
	f.revision = r.Revision
	if !answered && err == nil {
		return
	}
	l.post.waste = append(l.post.waste, scrap{r.Key, r.Revision})
	if err != nil {
		l.land(f, &rooms.Unavailable{Again: time.Second, Err: err})
		return
	}
	for i, q := range f.requests {
		all, err := l.admissions(f.process, &a, i, &q.ask)
		if err == nil {
			l.made(f, &a.Answers[i], &q.ask)
		}
		l.answer(q, all, err)
	}
	l.land(f, nil)
}

// made notes a room that the directory does not show yet, so that its code is found. With the lock.
func (l *asker) made(f *flight, a *asks.Answer, asked *asks.Ask) {
	id := rooms.ID(a.Room)
	p := l.view.processes[f.process]
	if p == nil || l.view.rooms[id] != nil {
		return
	}
	k := p.kind(a.Kind, "")
	if k == nil {
		return
	}
	l.view.put(&room{until: l.config.Now().Add(unseenTime)}, rooms.RoomEntry{
		ID: id, Kind: a.Kind, Schema: k.Schema, Code: a.Code, Private: asked.Private, Process: f.process, ProcessEpoch: f.epoch,
		Capacity: k.Capacity, RoomState: rooms.RoomState{State: rooms.Open, Options: asked.Options},
	})
}

// overdue ends what nobody has answered, and notes whose fault that is. With the lock.
func (l *asker) overdue(now time.Time) {
	var late []*flight
	for _, f := range l.post.flights {
		p := l.view.processes[f.process]
		if now.Sub(f.sent) >= l.config.Patience || p == nil || p.Epoch != f.epoch {
			late = append(late, f)
		}
	}
	slices.SortFunc(late, func(a, b *flight) int { return strings.Compare(a.key, b.key) })
	for _, f := range late {
		if f.revision != 0 {
			l.post.waste = append(l.post.waste, scrap{f.key, f.revision})
		}
		if p := l.view.processes[f.process]; p != nil && p.Epoch == f.epoch {
			p.silent = p.revision
		}
		l.config.Logger.Warn("a process does not answer", "process", f.process, "players", len(f.requests))
		l.land(f, &rooms.Unavailable{Again: time.Second, Err: fmt.Errorf("lobby: process %s has not answered", f.process)})
	}
	for _, name := range slices.Sorted(maps.Keys(l.post.lines)) {
		l.launch(name, now)
		if x := l.post.lines[name]; len(x.waiting) == 0 && x.flights == 0 {
			delete(l.post.lines, name)
		}
	}
}
