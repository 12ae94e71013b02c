package fleettest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// Odds are the probabilities of faults, each 0 to 1. In every case the caller gets rooms.ErrUnavailable.
type Odds struct {
	// Refused: the write is not done, or the request is not delivered.
	Refused float64
	// Lost: the write or the request is done, and the answer is lost.
	Lost float64
	// Late: the write is done later, if nobody has written meanwhile.
	Late float64
	// By is the longest delay of a late write. 0: 3 s.
	By time.Duration
}

// Faulty is a directory for several processes on top of another one, with faults by a seed and in virtual time. No lease expires
// while nobody can write, and all leases restart afterwards.
type Faulty struct {
	inner fleet.Directory
	now   func() time.Time

	mu      sync.Mutex
	rng     *rand.Rand
	odds    Odds
	down    bool
	leases  map[string]lease
	changes map[string]int // of a key
	late    []late
}

// lease is that of a record.
type lease struct {
	revision uint64
	lasts    time.Duration
	until    time.Time
}

// late is a write that is on its way.
type late struct {
	at      time.Time
	key     string
	changes int
	write   func()
}

// NewFaulty returns a directory on top of another one that has no records with leases. now is the clock of leases.
func NewFaulty(inner fleet.Directory, now func() time.Time, seed uint64, odds Odds) *Faulty {
	f := &Faulty{
		inner: inner, now: now, rng: rand.New(rand.NewPCG(seed, 17)), leases: make(map[string]lease), changes: make(map[string]int),
	}
	f.Set(odds)
	return f
}

// Set changes the odds.
func (f *Faulty) Set(odds Odds) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if odds.By == 0 {
		odds.By = 3 * time.Second
	}
	f.odds = odds
}

// Down makes all writes fail until it is called with false. Reads and requests work.
func (f *Faulty) Down(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writeDue()
	if f.down && !down {
		for key, l := range f.leases {
			l.until = f.now().Add(l.lasts)
			f.leases[key] = l
		}
	}
	f.down = down
}

// writeDue does the late writes that are due, and removes the expired records by key. The caller holds the lock.
func (f *Faulty) writeDue() {
	if f.down {
		return
	}
	now := f.now()
	var waits []late
	due := f.late
	f.late = nil
	for _, l := range due {
		switch {
		case now.Before(l.at):
			waits = append(waits, l)
		case f.changes[l.key] == l.changes:
			l.write()
		}
	}
	f.late = append(waits, f.late...)
	var over []string
	for key, l := range f.leases {
		if !now.Before(l.until) {
			over = append(over, key)
		}
	}
	slices.Sort(over)
	for _, key := range over {
		_ = f.remove(key, f.leases[key].revision)
		delete(f.leases, key)
	}
}

// save writes a record. The caller holds the lock.
func (f *Faulty) save(key string, value []byte, revision uint64, lasts time.Duration) (uint64, error) {
	done, err := f.inner.Save(context.Background(), key, value, revision, 0)
	if err == nil {
		f.changes[key]++
		delete(f.leases, key)
		if lasts > 0 {
			f.leases[key] = lease{done, lasts, f.now().Add(lasts)}
		}
	}
	return done, err
}

// remove removes a record. The caller holds the lock.
func (f *Faulty) remove(key string, revision uint64) error {
	err := f.inner.Remove(context.Background(), key, revision)
	if err == nil {
		f.changes[key]++
		delete(f.leases, key)
	}
	return err
}

// View is the directory of one process.
type View struct {
	faulty *Faulty
	cut    chan struct{}           // nil: the process is not cut off; closed when it is connected again
	known  map[string]fleet.Record // what the process knew when it was cut off
}

var _ fleet.Directory = (*View)(nil)

// View returns the directory of one more process.
func (f *Faulty) View() *View { return &View{faulty: f} }

// Cut cuts the process off until it is called with false: it cannot write, sends and gets no requests, and reads what it knew.
func (v *View) Cut(cut bool) {
	f := v.faulty
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writeDue()
	switch {
	case cut && v.cut == nil:
		v.cut, v.known = make(chan struct{}), make(map[string]fleet.Record)
		all, _ := f.inner.List(context.Background(), "")
		for _, r := range all {
			v.known[r.Key] = r
		}
	case !cut && v.cut != nil:
		close(v.cut)
		v.cut, v.known = nil, nil
	}
}

// unavailable returns the error of a fault.
func unavailable(why string) error {
	return fmt.Errorf("%w: %s", rooms.ErrUnavailable, why)
}

var errRefused = unavailable("the directory takes no writes")

// write does a write, unless a fault is drawn. The caller holds the lock.
func (v *View) write(key string, do func() error) error {
	f := v.faulty
	f.writeDue()
	if v.cut != nil || f.down {
		return errRefused
	}
	luck := f.rng.Float64()
	o := f.odds
	switch {
	case luck < o.Refused:
		return unavailable("refused")
	case luck < o.Refused+o.Late:
		at := f.now().Add(time.Duration(f.rng.Int64N(int64(o.By))))
		f.late = append(f.late, late{at, key, f.changes[key], func() { _ = do() }})
		return unavailable("late")
	case luck < o.Refused+o.Late+o.Lost:
		_ = do()
		return unavailable("the answer is lost")
	}
	return do()
}

// Load implements fleet.Directory.
func (v *View) Load(ctx context.Context, key string) (fleet.Record, error) {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	v.faulty.writeDue()
	if v.cut == nil {
		return v.faulty.inner.Load(ctx, key)
	}
	if r, ok := v.known[key]; ok {
		return r, nil
	}
	return fleet.Record{}, unavailable("this process is cut off")
}

// Save implements fleet.Directory.
func (v *View) Save(_ context.Context, key string, value []byte, revision uint64, lasts time.Duration) (done uint64, err error) {
	if err := fleet.CheckRecord(key, value); err != nil {
		return 0, err
	}
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	value = slices.Clone(value)
	if err := v.write(key, func() error { done, err = v.faulty.save(key, value, revision, lasts); return err }); err != nil {
		return 0, err
	}
	return done, nil
}

// Remove implements fleet.Directory.
func (v *View) Remove(_ context.Context, key string, revision uint64) error {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	return v.write(key, func() error { return v.faulty.remove(key, revision) })
}

// List implements fleet.Directory.
func (v *View) List(ctx context.Context, prefix string) ([]fleet.Record, error) {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	v.faulty.writeDue()
	if v.cut == nil {
		return v.faulty.inner.List(ctx, prefix)
	}
	var all []fleet.Record
	for key, r := range v.known {
		if strings.HasPrefix(key, prefix) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b fleet.Record) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

// Watch implements fleet.Directory: a process that is cut off receives nothing.
func (v *View) Watch(ctx context.Context, prefix string) (<-chan fleet.Record, error) {
	if v.severed() != nil {
		return nil, unavailable("this process is cut off")
	}
	in, err := v.faulty.inner.Watch(ctx, prefix)
	if err != nil {
		return nil, err
	}
	out := make(chan fleet.Record)
	go func() {
		defer close(out)
		for r := range in {
			if cut := v.severed(); cut != nil {
				select {
				case <-cut:
				case <-ctx.Done():
					return
				}
			}
			select {
			case out <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

// severed returns a channel that is closed when the process is connected again, nil if it is not cut off.
func (v *View) severed() <-chan struct{} {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	return v.cut
}

// Request implements fleet.Directory.
func (v *View) Request(ctx context.Context, address string, request []byte) ([]byte, error) {
	f := v.faulty
	f.mu.Lock()
	cut, luck, o := v.cut != nil, f.rng.Float64(), f.odds
	f.mu.Unlock()
	if cut {
		return nil, fmt.Errorf("%w: this process is cut off", fleet.ErrNoHandler)
	}
	if luck < o.Refused {
		return nil, unavailable("the request is lost")
	}
	answer, err := f.inner.Request(ctx, address, request)
	if err == nil && (answer == nil || luck < o.Refused+o.Lost) {
		return nil, unavailable("the answer is lost")
	}
	return answer, err
}

// Handle implements fleet.Directory: a process that is cut off answers nothing.
func (v *View) Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error) {
	if v.severed() != nil {
		return nil, unavailable("this process is cut off")
	}
	return v.faulty.inner.Handle(address, func(ctx context.Context, request []byte) []byte {
		if v.severed() != nil {
			return nil
		}
		return answer(ctx, request)
	})
}
