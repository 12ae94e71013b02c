package roomstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Odds are how often a write goes wrong, each 0 to 1. Whoever writes is told rooms.ErrUnavailable in every case.
type Odds struct {
	// Refused: it is not done.
	Refused float64
	// Lost: it is done, and the answer is lost.
	Lost float64
	// Late: it is done up to a while later, where nobody has written meanwhile.
	Late float64
	// By is the longest that a late one takes. 0: 3 s.
	By time.Duration
}

// Faulty is a directory of several processes over another one, with faults by a seed and in virtual time. As a fleet's,
// no lease of it runs out while nobody can write, and all begin again afterwards.
type Faulty struct {
	inner rooms.Directory
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

// NewFaulty makes a directory over another one, that has nothing under a lease, by a clock.
func NewFaulty(inner rooms.Directory, now func() time.Time, seed uint64, odds Odds) *Faulty {
	f := &Faulty{
		inner: inner, now: now, rng: rand.New(rand.NewPCG(seed, 17)), leases: make(map[string]lease), changes: make(map[string]int),
	}
	f.Set(odds)
	return f
}

// Set sets the odds from here on.
func (f *Faulty) Set(odds Odds) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if odds.By == 0 {
		odds.By = 3 * time.Second
	}
	f.odds = odds
}

// Down makes nobody able to write, until it is called with false; reads go on.
func (f *Faulty) Down(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle()
	if f.down && !down {
		for key, l := range f.leases {
			l.until = f.now().Add(l.lasts)
			f.leases[key] = l
		}
	}
	f.down = down
}

// settle does what is due: late writes, and the ends of leases, in the order of keys. With the lock.
func (f *Faulty) settle() {
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

// save writes. With the lock.
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

// remove removes. With the lock.
func (f *Faulty) remove(key string, revision uint64) error {
	err := f.inner.Remove(context.Background(), key, revision)
	if err == nil {
		f.changes[key]++
		delete(f.leases, key)
	}
	return err
}

// View is the directory as one process has it. It implements rooms.Directory.
type View struct {
	faulty *Faulty
	cut    chan struct{}           // nil: it is not cut off; closed when it no longer is
	known  map[string]rooms.Record // what it knew when it was cut off
}

var _ rooms.Directory = (*View)(nil)

// View is the directory for one more process.
func (f *Faulty) View() *View { return &View{faulty: f} }

// Cut cuts the process off, until it is called with false: it cannot write, and reads what it knew.
func (v *View) Cut(cut bool) {
	f := v.faulty
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle()
	switch {
	case cut && v.cut == nil:
		v.cut, v.known = make(chan struct{}), make(map[string]rooms.Record)
		all, _ := f.inner.List(context.Background(), "")
		for _, r := range all {
			v.known[r.Key] = r
		}
	case !cut && v.cut != nil:
		close(v.cut)
		v.cut, v.known = nil, nil
	}
}

// unavailable is the error of what goes wrong.
func unavailable(why string) error {
	return fmt.Errorf("%w: %s", rooms.ErrUnavailable, why)
}

var errRefused = unavailable("the directory takes no writes")

// write does a write, or not, as luck has it. With the lock.
func (v *View) write(key string, do func() error) error {
	f := v.faulty
	f.settle()
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

// Load implements rooms.Directory.
func (v *View) Load(ctx context.Context, key string) (rooms.Record, error) {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	v.faulty.settle()
	if v.cut == nil {
		return v.faulty.inner.Load(ctx, key)
	}
	if r, ok := v.known[key]; ok {
		return r, nil
	}
	return rooms.Record{}, unavailable("this process is cut off")
}

// Save implements rooms.Directory.
func (v *View) Save(_ context.Context, key string, value []byte, revision uint64, lasts time.Duration) (done uint64, err error) {
	if err := rooms.CheckRecord(key, value); err != nil {
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

// Remove implements rooms.Directory.
func (v *View) Remove(_ context.Context, key string, revision uint64) error {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	return v.write(key, func() error { return v.faulty.remove(key, revision) })
}

// List implements rooms.Directory.
func (v *View) List(ctx context.Context, prefix string) ([]rooms.Record, error) {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	v.faulty.settle()
	if v.cut == nil {
		return v.faulty.inner.List(ctx, prefix)
	}
	var all []rooms.Record
	for key, r := range v.known {
		if strings.HasPrefix(key, prefix) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b rooms.Record) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

// Watch implements rooms.Directory: while the process is cut off it hears nothing.
func (v *View) Watch(ctx context.Context, prefix string) (<-chan rooms.Record, error) {
	if v.severed() != nil {
		return nil, unavailable("this process is cut off")
	}
	in, err := v.faulty.inner.Watch(ctx, prefix)
	if err != nil {
		return nil, err
	}
	out := make(chan rooms.Record)
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

// severed is closed when the process is not cut off any more; nil: it is not.
func (v *View) severed() <-chan struct{} {
	v.faulty.mu.Lock()
	defer v.faulty.mu.Unlock()
	return v.cut
}
