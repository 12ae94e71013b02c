package faulty

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

// Odds are the probabilities of faults, each 0 to 1. The caller always gets rooms.ErrUnavailable.
type Odds struct {
	// Refused is the probability that a write is not done or a request is not delivered.
	Refused float64
	// Lost is the probability that a write or request is done and its answer is lost.
	Lost float64
	// Late is the probability that a write is done later, unless another write comes first.
	Late float64
	// By is the longest delay of a late write. Default (0): 3 s.
	By time.Duration
}

// Directory adds seeded faults in virtual time to a directory shared by several processes. No lease expires while writes fail,
// and all leases restart afterwards.
type Directory struct {
	inner fleet.Directory
	now   func() time.Time

	mu      sync.Mutex
	rng     *rand.Rand
	odds    Odds
	down    bool
	leases  map[string]lease
	changes map[string]int // number of changes, by key
	late    []late
}

// lease is the lease of a record.
type lease struct {
	revision uint64
	lasts    time.Duration
	until    time.Time
}

// late is a delayed write.
type late struct {
	at      time.Time
	key     string
	changes int
	write   func()
}

// New returns a Directory around a directory whose records have no leases. now is the clock of leases.
func New(inner fleet.Directory, now func() time.Time, seed uint64, odds Odds) *Directory {
	f := &Directory{
		inner: inner, now: now, rng: rand.New(rand.NewPCG(seed, 17)), leases: make(map[string]lease), changes: make(map[string]int),
	}
	f.Set(odds)
	return f
}

// Set changes the odds.
func (f *Directory) Set(odds Odds) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if odds.By == 0 {
		odds.By = 3 * time.Second
	}
	f.odds = odds
}

// Down makes all writes fail until Down(false). Reads and requests continue to work.
func (f *Directory) Down(down bool) {
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

// writeDue performs the due late writes and removes the expired records in the order of keys. The caller holds the lock.
func (f *Directory) writeDue() {
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
func (f *Directory) save(key string, value []byte, revision uint64, lasts time.Duration) (uint64, error) {
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
func (f *Directory) remove(key string, revision uint64) error {
	err := f.inner.Remove(context.Background(), key, revision)
	if err == nil {
		f.changes[key]++
		delete(f.leases, key)
	}
	return err
}

// View is the directory as seen by one process.
type View struct {
	faulty *Directory
	cut    chan struct{}           // nil: connected; closed on reconnection
	known  map[string]fleet.Record // records known when the process was cut off
}

var _ fleet.Directory = (*View)(nil)

// View returns the directory of one more process.
func (f *Directory) View() *View { return &View{faulty: f} }

// Cut disconnects the process until Cut(false): it cannot write, neither sends nor receives requests, and reads what it
// knew before.
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

// write performs a write, unless it draws a fault. The caller holds the lock.
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

// Watch implements fleet.Directory. A disconnected process receives nothing.
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

// severed returns a channel that is closed on reconnection, or nil if the process is connected.
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

// Handle implements fleet.Directory. A disconnected process answers nothing.
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
