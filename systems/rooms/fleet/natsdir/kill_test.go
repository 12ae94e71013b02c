package natsdir

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// When the leader of three servers is killed, writes are refused for a while. Reads continue, no lease ends, and no written
// record is lost. Then everything continues, and leases restart.
func TestLeaderIsKilled(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	one, _ := opened(t, c.Config)
	two, clock := opened(t, c.Config)
	c.settled(one)
	ctx := t.Context()
	told, err := two.Watch(ctx, "room.")
	if err != nil {
		t.Fatal(err)
	}
	process := save(t, one, "process.one", "1", 0, 10*time.Second)
	written := make(map[string]uint64)
	for i := range 50 {
		key := fmt.Sprint("room.", i)
		written[key] = save(t, one, key, "1", 0, 0)
	}
	within(t, "two hears all", func() bool { all, _ := two.List(ctx, ""); return len(all) == 52 })

	c.kill(c.leader(one))
	var refused *Refused
	refusals, key, revision := 0, "", uint64(0)
	within(t, "writes go on", func() bool {
		// Reads do, all the time.
		if r, err := two.Load(ctx, "process.one"); err != nil || r.Revision != process {
			t.Fatalf("load: %+v, %v", r, err)
		}
		if all, err := two.List(ctx, "room."); err != nil || len(all) < 50 {
			t.Fatalf("list: %d, %v", len(all), err)
		}
		key = fmt.Sprint("room.late", refusals)
		var err error
		if revision, err = one.Save(ctx, key, []byte("1"), 0, 0); err == nil {
			return true
		}
		if !errors.Is(err, rooms.ErrUnavailable) || !errors.As(err, &refused) || refused.Again <= 0 || refused.Since.IsZero() {
			t.Fatalf("%v", err)
		}
		refusals++
		clock.turn(time.Hour) // for two no lease may end meanwhile
		return false
	})
	if refusals == 0 {
		t.Fatal("no write was refused: the one that was killed did not lead")
	}
	t.Logf("%d writes were refused: %v", refusals, refused)
	written[key] = revision
	for key, revision := range written {
		if r, err := one.Load(ctx, key); err != nil || r.Revision != revision {
			t.Fatalf("%s: %+v, %v, want revision %d", key, r, err, revision)
		}
	}
	for told := range told {
		if told.Gone {
			t.Fatalf("told of %+v", told)
		}
		if told.Key == key {
			break
		}
	}
	// The process is there, and has a whole lease again to say so.
	within(t, "two writes again", func() bool { down, _ := two.health.down(clock.get()); clock.turn(time.Second); return !down })
	two.reconnected()
	clock.turn(10*time.Second - 1)
	two.expire(ctx)
	process = save(t, one, "process.one", "2", process, 10*time.Second)
	within(t, "two hears of it", func() bool { r, _ := two.cache.load("process.one"); return r.Revision == process })
	clock.turn(10 * time.Second)
	two.expire(ctx)
	if _, err := one.Load(ctx, "process.one"); !errors.Is(err, fleet.ErrAbsent) {
		t.Fatalf("after its lease: %v", err)
	}
}
