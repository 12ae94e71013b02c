package ecs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// tags are attachments that write down which of them ended.
func tags() (*ecs.Attachments[place, string], *[]string) {
	var ended []string
	return ecs.NewAttachments[place](func(e ecs.Entity, v *string) { ended = append(ended, *v) }), &ended
}

func wantEnded(t *testing.T, ended *[]string, want ...string) {
	t.Helper()
	if got := strings.Join(*ended, " "); got != strings.Join(want, " ") {
		t.Errorf("ended are %q, not %q", got, want)
	}
	*ended = (*ended)[:0]
}

// When an entity ends, for any reason, its attachment ends once. No other attachment ends.
func TestNetcodeE6_AttachmentsEndWithTheirEntities(t *testing.T) {
	w := newServer(guns)
	a, ended := tags()
	var all []ecs.Entity
	for i := range 5 {
		e := w.Spawn(place{int32(i), 0})
		all = append(all, e)
		a.Attach(w, e, fmt.Sprint(i))
	}
	a.Sweep(w)
	wantEnded(t, ended)
	*a.Of(all[4]) = "four"
	w.Despawn(all[3])
	w.Despawn(all[1])
	a.Sweep(w)
	wantEnded(t, ended, "1", "3")
	again := w.Spawn(place{}) // under the number of one that is gone
	if a.Len() != 3 || a.Of(again) != nil || a.Of(all[1]) != nil || *a.Of(all[4]) != "four" || *a.Of(all[2]) != "2" {
		t.Errorf("%d are left; %v", a.Len(), a.Of(again))
	}
	a.Attach(w, all[0], "other")
	wantEnded(t, ended, "0")
	if got := *a.Of(all[0]); got != "other" || a.Len() != 3 {
		t.Errorf("%q hangs there, one of %d", got, a.Len())
	}
	ecs.Remove[place](w, all[2])
	a.Sweep(w)
	wantEnded(t, ended, "2")
	refused(t, func() { a.Attach(w, all[1], "") }, "not alive")
	refused(t, func() { a.Attach(w, all[2], "") }, "has no")
}

// The attachment of a mispredicted spawn ends at the moment when the spawn is removed. A confirmed spawn keeps its attachment.
func TestNetcodeE6_MispredictedSpawnsTakeAttachmentsAlong(t *testing.T) {
	f := newFiring(t, true)
	a, ended := tags()
	f.orders[1], f.orders[2] = trigger{Fire: 1}, trigger{Fire: 1}
	f.play(1)
	a.Attach(f.w, f.last(), "right")
	right := f.last()
	f.play(1)
	a.Attach(f.w, f.last(), "wrong")
	wrong := f.last()
	f.replay(0)
	f.w.Netcode().Confirm(ecs.SpawnKey{Owner: shooter, Input: 1}, 7, true)
	a.Sweep(f.w)
	wantEnded(t, ended)
	f.orders[2] = trigger{}
	f.replay(1)
	a.Sweep(f.w)
	wantEnded(t, ended, "wrong")
	if a.Len() != 1 || a.Of(right) == nil || a.Of(wrong) != nil {
		t.Errorf("%d are left", a.Len())
	}
}

// Attachments also end with entities that are out of sight but whose handles are alive: those that Simulate has despawned, and
// spawns that the server seems not to have.
func TestNetcodeE6_DoubtedSpawnsTakeAttachmentsAlong(t *testing.T) {
	f, e := fired(t, 1, 1, trigger{Fire: 1})
	a, ended := tags()
	a.Attach(f.w, e, "doubted")
	f.w.Netcode().RejectSpawns(1)
	a.Sweep(f.w)
	wantEnded(t, ended, "doubted")
	if !f.w.Alive(e) || a.Of(e) != nil {
		t.Errorf("alive: %v; it has %v", f.w.Alive(e), a.Of(e))
	}
	refused(t, func() { a.Attach(f.w, e, "") }, "not in sight")
}

// After a rollback another entity can have the same handle. It does not get the attachment.
func TestNetcodeE6_AttachmentsKnowTheirEntityAfterARollback(t *testing.T) {
	w := newServer(guns)
	h := ecs.NewWorldHistory(w, 4)
	spawn := func(tick uint32, n int) (e ecs.Entity) {
		w.Netcode().SetInputSequence(shooter, tick)
		p := w.Spawn(components.Owner{Client: shooter}, place{}, trigger{Fire: int32(n)})
		ticks(w, tick, 1)
		e = ecs.Get[trigger](w, p).Last
		w.Despawn(p)
		return e
	}
	h.Capture(1)
	a, ended := tags()
	was := spawn(1, 1)
	a.Attach(w, was, "shell")
	h.Restore(1)
	if is := spawn(2, 1); is != was {
		t.Fatalf("the handle is %v, before %v", is, was)
	}
	a.Sweep(w)
	wantEnded(t, ended, "shell")

	h.Restore(1)
	first := w.Spawn(place{})
	a.Attach(w, first, "first")
	h.Restore(1)
	is := w.Spawn()
	if w.Spawn(place{}); is != first { // which takes the NetID
		t.Fatalf("the handle is %v, before %v", is, first)
	}
	ecs.Add(w, is, place{})
	a.Sweep(w)
	wantEnded(t, ended, "first")
}
