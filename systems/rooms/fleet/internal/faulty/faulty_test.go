package faulty_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/fleettest"
	"github.com/tactusgo/tactus/systems/rooms/fleet/internal/faulty"
)

// clock is virtual time.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newDirectory(odds faulty.Odds) (*faulty.Directory, *clock) {
	c := &clock{time.Unix(1000, 0)}
	return faulty.New(fleet.NewMemory(c.now), c.now, 1, odds), c
}

// Without faults, it is a conforming directory.
func TestWithoutFaults(t *testing.T) {
	fleettest.Directory(t, func(*testing.T) fleettest.Store {
		f, c := newDirectory(faulty.Odds{})
		v := f.View()
		return fleettest.Store{Directory: v, Pass: func(d time.Duration) {
			c.at = c.at.Add(d)
			_, _ = v.Load(context.Background(), "")
		}}
	})
}

// While nobody can write, no lease expires. Afterwards each lease restarts.
func TestNoLeaseRunsOutWhileNobodyCanWrite(t *testing.T) {
	f, c := newDirectory(faulty.Odds{})
	v, ctx := f.View(), context.Background()
	if _, err := v.Save(ctx, "process.a", []byte("1"), 0, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(9 * time.Second)
	f.Down(true)
	c.at = c.at.Add(time.Hour)
	if _, err := v.Save(ctx, "process.b", nil, 0, 0); !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatal(err)
	}
	if _, err := v.Load(ctx, "process.a"); err != nil {
		t.Fatal(err)
	}
	f.Down(false)
	c.at = c.at.Add(10*time.Second - 1)
	if _, err := v.Load(ctx, "process.a"); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(1)
	if _, err := v.Load(ctx, "process.a"); !errors.Is(err, fleet.ErrAbsent) {
		t.Fatal(err)
	}
}

// A disconnected process reads its last records, writes nothing and gets no changes. The others continue.
func TestCutOff(t *testing.T) {
	f, _ := newDirectory(faulty.Odds{})
	a, b, ctx := f.View(), f.View(), t.Context()
	told, err := a.Watch(ctx, "room.")
	if err != nil {
		t.Fatal(err)
	}
	first, err := a.Save(ctx, "room.a", []byte("1"), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r := <-told; string(r.Value) != "1" {
		t.Fatalf("%+v", r)
	}
	a.Cut(true)
	second, err := b.Save(ctx, "room.a", []byte("2"), first, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Save(ctx, "room.b", nil, 0, 0); err != nil {
		t.Fatal(err)
	}
	if r, err := a.Load(ctx, "room.a"); err != nil || string(r.Value) != "1" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := a.Load(ctx, "room.b"); !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatal(err)
	}
	if all, err := a.List(ctx, "room."); len(all) != 1 || err != nil {
		t.Fatal(all, err)
	}
	if err := a.Remove(ctx, "room.a", second); !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatal(err)
	}
	if _, err := a.Watch(ctx, ""); !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatal(err)
	}
	select {
	case r := <-told:
		t.Fatalf("told %+v", r)
	default:
	}
	a.Cut(false)
	if r := <-told; string(r.Value) != "2" {
		t.Fatalf("%+v", r)
	}
	if r, err := a.Load(ctx, "room.a"); err != nil || r.Revision != second {
		t.Fatalf("%+v, %v", r, err)
	}
}

// A refused write may have been done, may be done later, or never. It is done later only if nobody has written since.
func TestRefusedWrites(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		odds            faulty.Odds
		at, after, over string // what is there at once, later, and later where somebody else has written
	}{
		"refused": {faulty.Odds{Refused: 1}, "", "", "2"},
		"lost":    {faulty.Odds{Lost: 1}, "1", "1", "1"},
		"late":    {faulty.Odds{Late: 1, By: 5 * time.Second}, "", "1", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, somebody := range []bool{false, true} {
				f, clock := newDirectory(c.odds)
				v := f.View()
				want := func(want string) {
					t.Helper()
					if r, _ := v.Load(ctx, "room.a"); string(r.Value) != want {
						t.Errorf("%q, want %q", r.Value, want)
					}
				}
				if _, err := v.Save(ctx, "room.a", []byte("1"), 0, 0); !errors.Is(err, rooms.ErrUnavailable) {
					t.Fatal(err)
				}
				want(c.at)
				if somebody {
					f.Set(faulty.Odds{})
					_, _ = v.Save(ctx, "room.a", []byte("2"), 0, 0)
				}
				clock.at = clock.at.Add(5 * time.Second)
				if somebody {
					want(c.over)
				} else {
					want(c.after)
				}
			}
		})
	}
}
