//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
)

// Faults of processes and of NATS lose no room and no world, give no room two owners, and end by themselves. Eight players in
// parties of two play on three processes, and parties of new players come and go. A table shows what the players experience.
func TestFaults(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("plays for three minutes: set TACTUS_LONG=1")
	}
	var table bytes.Buffer
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(rows, "fault\tsessions lost\tlongest silence\troom lost\tworld anew\tparties came\tgave up\tslowest\ttwo owners\tnormal after")
	for _, f := range []struct {
		name string
		// strikes does the fault to the process in which the first player plays, and returns which processes there are to be.
		strike func(f *faulty, victim *process) []*process
		// plays says that no process is touched: everybody plays on.
		plays bool
	}{
		{"kill -9", func(f *faulty, victim *process) []*process {
			f.signal(victim, os.Kill)
			return f.others(victim)
		}, false},
		{"kill -9, restart under the same name", func(f *faulty, victim *process) []*process {
			f.signal(victim, os.Kill)
			<-victim.gone
			return append(f.others(victim), f.started(variable("name")+"="+victim.name))
		}, false},
		{"second process of the same name for 15 s", func(f *faulty, victim *process) []*process {
			second := f.started(variable("name") + "=" + victim.name)
			f.until(15*time.Second, func() {
				if f.get(nil, second.http, "/ready") == nil {
					f.t.Error("the second process of the name is ready")
				}
			})
			f.signal(second, os.Kill)
			return f.others(second)
		}, true},
		{"process with another key for 15 s", func(f *faulty, victim *process) []*process {
			file, key := filepath.Join(f.folder, "other"), netcode.GenerateKey(nil)
			if err := os.WriteFile(file, []byte(hex.EncodeToString(key[:])), 0o600); err != nil {
				f.t.Fatal(err)
			}
			foreign := f.started(variable("key") + "=" + file)
			f.until(15*time.Second, nil)
			f.signal(foreign, os.Kill)
			return f.others(foreign)
		}, true},
		{"NATS emptied", func(f *faulty, victim *process) []*process {
			f.restart("emptied", 0)
			return f.all()
		}, true},
		{"NATS down for 15 s", func(f *faulty, victim *process) []*process {
			f.restart("nats", 15*time.Second)
			return f.all()
		}, true},
		{"SIGSTOP for 12 s", func(f *faulty, victim *process) []*process {
			f.signal(victim, syscall.SIGSTOP)
			f.until(12*time.Second, nil)
			f.signal(victim, syscall.SIGCONT)
			return f.all()
		}, false},
	} {
		t.Run(f.name, func(t *testing.T) {
			x := newFaulty(t)
			victim, _, err := x.hosts(x.players[0])
			if err != nil {
				t.Fatal(err)
			}
			x.say("FAULT: %s, of %s", f.name, victim.name)
			x.mu.Lock()
			x.begin, x.came, x.gaveUp, x.slowest = time.Now(), 0, 0, 0
			x.mu.Unlock()
			x.expect(f.strike(x, victim))
			x.settle()
			r := x.report()
			_, _ = fmt.Fprintf(rows, "%s\t%s\n", f.name, r)
			if r.roomsLost > 0 || r.worlds > 0 || r.owners > 0 || f.plays && r.lost > 0 {
				t.Errorf("%+v", r)
			}
		})
	}
	_ = rows.Flush()
	t.Logf("\n%s", &table)
}

// faulty is a demonstration that is watched.
type faulty struct {
	*demo
	t *testing.T

	mu       sync.Mutex
	begin    time.Time  // of the fault
	expected []*process // nil: the fault lasts
	seen     map[*player]*seen
	owners   map[rooms.ID]bool // rooms that two processes had
	abnormal time.Time         // when it was not normal, for the last time
	why      string
	came     int           // parties of newcomers
	gaveUp   int           // likewise, after 25 s
	slowest  time.Duration // of them
}

// seen is what the test has observed of a player.
type seen struct {
	room          uint64
	walked        int64
	heard         uint64
	at            time.Time // when heard has changed
	silence       time.Duration
	rooms, worlds int // changes
	lossesAtBegin uint64
}

// newFaulty returns a fleet in which eight players play.
func newFaulty(t *testing.T) *faulty {
	t.Helper()
	x := &faulty{demo: started(t), t: t, seen: make(map[*player]*seen), owners: make(map[rooms.ID]bool)}
	for i := range 8 {
		p := &player{demo: x.demo, name: fmt.Sprint("player-", i+1), party: fmt.Sprint("party-", i/2+1), asks: i}
		x.players = append(x.players, p)
		x.beside.Go(func() { p.play(x.ctx) })
	}
	if err := x.demo.until("all play", func() bool { return all(x.players, (*player).walks) }); err != nil {
		t.Fatal(err)
	}
	x.expect(x.all())
	for _, p := range x.players {
		x.seen[p] = &seen{room: p.room.Load(), at: time.Now(), lossesAtBegin: p.losses.Load()}
	}
	x.beside.Go(func() { x.every(50*time.Millisecond, x.watchPlayers) })
	x.beside.Go(func() { x.every(100*time.Millisecond, x.watchRooms) })
	x.beside.Go(func() { x.every(500*time.Millisecond, x.watchLobbies) })
	x.beside.Go(x.newcomers)
	x.settle()
	x.until(6*time.Second, nil) // longer than the interval between two saves
	return x
}

func (x *faulty) every(interval time.Duration, f func()) {
	for x.ctx.Err() == nil {
		f()
		pause(x.ctx, interval)
	}
}

// until lets the fault last, and does f again and again.
func (x *faulty) until(d time.Duration, f func()) {
	for end := time.Now().Add(d); time.Now().Before(end) && x.ctx.Err() == nil; pause(x.ctx, 200*time.Millisecond) {
		if f != nil {
			f()
		}
	}
}

func (x *faulty) signal(p *process, s os.Signal) {
	x.expect(nil)
	if err := p.Process.Signal(s); err != nil {
		x.t.Error(err)
	}
}

// started starts a process with variables of its own, and waits until it serves.
func (x *faulty) started(variables ...string) *process {
	x.expect(nil)
	p, err := x.start(variables...)
	if err != nil {
		x.t.Fatal(err)
	}
	select {
	case <-p.serving:
	case <-x.ctx.Done():
	}
	return p
}

// restart starts NATS again, with the files in a folder.
func (x *faulty) restart(folder string, after time.Duration) {
	x.expect(nil)
	u, err := url.Parse(x.nats.Config().URL)
	if err != nil {
		x.t.Fatal(err)
	}
	port, _ := strconv.Atoi(u.Port())
	password, _ := u.User.Password()
	x.nats.Close()
	x.until(after, func() { // which the liveness probe asks: processes do not end because NATS has
		for _, p := range x.all() {
			if err := x.get(nil, p.http, "/rooms"); err != nil {
				x.t.Errorf("%s: %v", p.name, err)
			}
		}
	})
	if x.nats, err = natsdir.Embedded(natsdir.Embedding{Port: port, Password: password, Folder: filepath.Join(x.folder, folder)}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *faulty) others(than *process) []*process {
	return slices.DeleteFunc(x.all(), func(p *process) bool { return p == than })
}

// expect says which processes are to be normal; none while the fault lasts.
func (x *faulty) expect(all []*process) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expected, x.abnormal, x.why = all, time.Now(), "the fault lasts"
}

// settle waits until all has been normal for five seconds.
func (x *faulty) settle() {
	x.t.Helper()
	since := func() (time.Duration, string) {
		x.mu.Lock()
		defer x.mu.Unlock()
		return time.Since(x.abnormal), x.why
	}
	for end := time.Now().Add(patience); ; pause(x.ctx, 100*time.Millisecond) {
		is, why := since()
		if is > 5*time.Second {
			return
		}
		if time.Now().After(end) || x.ctx.Err() != nil {
			x.t.Fatalf("not normal: %s", why)
		}
	}
}

// bad notes that something is not normal right now.
func (x *faulty) bad(format string, v ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.abnormal, x.why = time.Now(), fmt.Sprintf(format, v...)
}

// watchPlayers records how long players receive nothing, and whether they keep their positions.
func (x *faulty) watchPlayers() {
	for _, p := range x.players {
		x.mu.Lock()
		s, now := x.seen[p], time.Now()
		if heard := p.heard.Load(); heard != 0 && heard != s.heard {
			s.heard, s.at = heard, now
		}
		silent := now.Sub(s.at)
		s.silence = max(s.silence, silent)
		if walked := p.walked.Load(); walked != 0 {
			if walked < s.walked/2 {
				s.worlds++
			}
			s.walked = walked
			if room := p.room.Load(); room != s.room {
				s.room = room
				s.rooms++
			}
		}
		x.mu.Unlock()
		if silent > time.Second {
			x.bad("%s hears nothing", p.name)
		}
	}
}

// get asks a process for JSON. Without a place for it the status alone counts.
func (x *faulty) get(to any, address, path string) error {
	ctx, stop := context.WithTimeout(x.ctx, time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return err
	}
	got, b, err := doRequest(r)
	switch {
	case err != nil:
		return err
	case got.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", path, got.Status)
	case to == nil:
		return nil
	}
	return json.Unmarshal(b, to)
}

// owned returns which rooms a process believes to have.
func (x *faulty) owned(p *process) (all []rooms.ID) {
	var a struct{ Rooms []rooms.Info }
	if x.get(&a, p.operator, "/api/rooms") != nil {
		return nil
	}
	for _, r := range a.Rooms {
		if !r.Orphaned && r.State != rooms.Ended {
			all = append(all, r.ID)
		}
	}
	return all
}

// watchRooms looks for rooms that two processes believe to have.
func (x *faulty) watchRooms() {
	var mu sync.Mutex
	var group sync.WaitGroup
	owners := make(map[rooms.ID]int)
	for _, p := range x.all() {
		group.Go(func() {
			of := x.owned(p)
			mu.Lock()
			defer mu.Unlock()
			for _, id := range of {
				owners[id]++
			}
		})
	}
	group.Wait()
	for id, n := range owners {
		if n > 1 {
			x.bad("room %v has %d owners", id, n)
			x.mu.Lock()
			x.owners[id] = true
			x.mu.Unlock()
		}
	}
}

// watchLobbies looks whether all processes are ready, and list the same rooms: all that there are.
func (x *faulty) watchLobbies() {
	x.mu.Lock()
	expected := x.expected
	x.mu.Unlock()
	if expected == nil {
		x.bad("the fault lasts")
		return
	}
	rooms := make(map[rooms.ID]string)
	for _, p := range expected {
		for _, id := range x.owned(p) {
			rooms[id] = p.name
		}
	}
	for _, p := range expected {
		if err := x.get(nil, p.http, "/ready"); err != nil {
			x.bad("%s is not ready: %v", p.name, err)
			continue
		}
		var a struct{ Rooms []struct{ ID string } }
		if err := x.get(&a, p.http, "/rooms"); err != nil {
			x.bad("%s lists nothing: %v", p.name, err)
			continue
		}
		listed := make(map[string]bool)
		for _, r := range a.Rooms {
			listed[r.ID] = true
		}
		for id, owner := range rooms {
			if !listed[id.String()] && owner != p.name {
				x.bad("%s does not list %v of %s", p.name, id, owner)
			}
		}
	}
}

// newcomers come in parties of two that ask different processes, walk and leave, one party after the other.
func (x *faulty) newcomers() {
	for i := 0; x.ctx.Err() == nil; i++ {
		ctx, leave := context.WithTimeout(x.ctx, 25*time.Second)
		began := time.Now()
		var group sync.WaitGroup
		var pair []*player
		for n := range 2 {
			p := &player{demo: x.demo, name: fmt.Sprint("newcomer-", 2*i+n+1), party: fmt.Sprint("newcomers-", i+1), asks: i + n}
			pair = append(pair, p)
			group.Go(func() { p.play(ctx) })
		}
		for !all(pair, (*player).walks) && ctx.Err() == nil {
			waited := time.Since(began)
			if waited > 5*time.Second {
				x.bad("newcomers have waited for %v", waited)
			}
			x.mu.Lock()
			x.slowest = max(x.slowest, waited)
			x.mu.Unlock()
			pause(ctx, 20*time.Millisecond)
		}
		x.mu.Lock()
		if ctx.Err() == nil {
			x.came++
		} else if x.ctx.Err() == nil {
			x.gaveUp++
		}
		x.mu.Unlock()
		leave()
		group.Wait()
		pause(x.ctx, 300*time.Millisecond)
	}
}

// result is the effect of a fault.
type result struct {
	lost              uint64 // sessions
	silence           time.Duration
	roomsLost, worlds int // players
	came, gaveUp      int // parties of newcomers
	slowest           time.Duration
	owners            int
	normal            time.Duration
}

func (r result) String() string {
	s := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	return fmt.Sprintf("%d of 8\t%s\t%d\t%d\t%d\t%d\t%s\t%d\t%s", r.lost, s(r.silence), r.roomsLost, r.worlds, r.came, r.gaveUp, s(r.slowest), r.owners, s(r.normal))
}

// report returns what has happened since the fault began.
func (x *faulty) report() (r result) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for p, s := range x.seen {
		r.lost += p.losses.Load() - s.lossesAtBegin
		r.silence = max(r.silence, s.silence)
		r.roomsLost += min(s.rooms, 1)
		r.worlds += min(s.worlds, 1)
	}
	r.came, r.gaveUp, r.slowest, r.owners, r.normal = x.came, x.gaveUp, x.slowest, len(x.owners), x.abnormal.Sub(x.begin)
	return r
}
