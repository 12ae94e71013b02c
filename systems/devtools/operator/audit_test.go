package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

var birth = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Many of one kind push out their own kind alone.
func TestAuditIsBounded(t *testing.T) {
	var log text
	a := NewAudit(&log)
	a.acted(Entry{At: birth, Who: "ada", What: "lock", Outcome: Done})
	a.refused(Entry{At: birth, What: "end", Outcome: Refused, Code: "unauthorized"}, netip.MustParseAddr("192.0.2.1"))
	const many = 3 * mostNotices
	for range many {
		a.Told(rooms.Notice{At: birth, Event: rooms.RoomCreated, Room: 7, Err: errors.New(strings.Repeat("é", mostDetail)), Stack: strings.Repeat("s", 3*mostStack)})
	}
	all := a.Entries(0, 0, 1<<20)
	if len(all) != mostNotices+2 || all[len(all)-1].What != "lock" || all[len(all)-2].What != "end" || all[0].Number != many+2 {
		t.Fatalf("%d entries, the newest %d", len(all), all[0].Number)
	}
	for i := range all[1:] {
		if all[i].Number <= all[i+1].Number {
			t.Fatal("not the newest first")
		}
	}
	if e := all[0]; len(e.Detail) != mostDetail || len(e.Stack) != mostStack || e.Outcome != Told || e.Room != 7 {
		t.Errorf("%d bytes of detail, %d of stack: %v", len(e.Detail), len(e.Stack), e.Outcome)
	}
	for range mostActions + 5 {
		a.acted(Entry{At: birth, Who: "bob", What: "kick", Outcome: Done})
	}
	if n := len(a.Entries(0, 0, 1<<20)); n != mostNotices+mostActions+1 {
		t.Errorf("%d entries", n)
	}
	if some := a.Entries(many, 7, 5); len(some) != 2 || some[0].Number != many+2 {
		t.Errorf("%d entries above %d", len(some), many)
	}
	a.Flush()
	written, lost := 0, uint64(0)
	for s := range strings.Lines(log.String()) {
		var l line
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			t.Fatal(err)
		}
		written++
		lost += l.Lost
	}
	if want := many + 2 + mostActions + 5; written+int(lost) != want {
		t.Errorf("%d lines and %d lost, want %d", written, lost, want)
	}
}

// A repeated refusal is one entry, and a line at 1, 10 and 100. Refusals from many networks do not exceed the limit of
// entries, and do not displace actions of operators.
func TestStrangers(t *testing.T) {
	var log text
	a := NewAudit(&log)
	a.acted(Entry{At: birth, Who: "ada", What: "lock", Outcome: Done})
	guess := func(i int, network string) {
		a.refused(Entry{At: birth.Add(time.Duration(i) * time.Millisecond), From: network + ":1", What: "end", Outcome: Refused, Code: "unauthorized"}, netip.MustParseAddr(network))
	}
	for i := range 500 {
		guess(i, "192.0.2.1")
	}
	if all := a.Entries(0, 0, 100); len(all) != 2 || all[0].Times != 500 || all[0].At != birth.Add(499*time.Millisecond) {
		t.Errorf("%+v", all)
	}
	a.Flush()
	if n := strings.Count(log.String(), "unauthorized"); n != 3 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
	for i := range 5000 {
		guess(500+i, fmt.Sprintf("10.0.%d.%d", i/256, i%256))
	}
	all := a.Entries(0, 0, 1<<20)
	sum := 0
	for _, e := range all {
		sum += e.Times
	}
	if len(all) != mostStrangers+1 || sum != 5500 || all[len(all)-1].Who != "ada" {
		t.Errorf("%d entries of %d refusals", len(all), sum)
	}
	a.Flush()
	if n := strings.Count(log.String(), "unauthorized"); n > mostStrangers+10 {
		t.Errorf("%d lines of 5500 refusals", n)
	}
	// A minute later it is news again.
	guess(5500+int(sameFor/time.Millisecond), "192.0.2.1")
	if e := a.Entries(0, 0, 1)[0]; e.Times != 1 || e.From != "192.0.2.1:1" {
		t.Errorf("%+v", e)
	}
}

// A slow writer delays no room: events of rooms are dropped and counted, and actions of operators wait until they are written.
func TestSlowWriter(t *testing.T) {
	r, w := io.Pipe()
	a := NewAudit(w)
	const many = 3 * mostQueued
	for range many { // nobody reads yet, and this does not wait
		a.Told(rooms.Notice{At: birth, Event: rooms.RoomCreated})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.acted(Entry{At: birth, Who: "ada", What: "lock", Outcome: Done})
		a.Flush()
		_ = w.Close()
	}()
	d := json.NewDecoder(r)
	written, lost, acted := 0, uint64(0), false
	for {
		var l line
		if err := d.Decode(&l); err != nil {
			break
		}
		written++
		lost += l.Lost
		acted = acted || l.Who == "ada"
	}
	<-done
	if !acted || lost == 0 || written+int(lost) != many+1 {
		t.Errorf("%d lines and %d lost of %d; Ada: %v", written, lost, many+1, acted)
	}
}
