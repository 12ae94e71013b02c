package ecs

import (
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/components"
)

// Attachments are what a game hangs on the entities of a world that it shows: a
// sprite, a sound, a trail, a line in a list. They are not in the world, so no
// replay and no rollback touches them; and they end with what they hang on, however
// that ends: destroyed by the server, out of sight, or predicted and never there.
//
// C is the component for which they are there. An entity that loses it has become
// something else: under a server that rewinds even the NetID of a spawn that was
// taken back can come to stand for another entity.
//
//	sprites := ecs.NewAttachments[Bullet](func(_ ecs.Entity, s *Sprite) { s.Remove() })
//
//	// in each frame, when the client has brought its view up to date
//	sprites.Sweep(view)
//	for e, b := range ecs.All[bulletRow](view) {
//		s := sprites.Of(e)
//		if s == nil {
//			s = sprites.Attach(view, e, NewSprite())
//		}
//		s.MoveTo(b.Pos)
//	}
//
// Attachments belong to the goroutine of their world, and to one world.
type Attachments[C, T any] struct {
	vanish func(e Entity, v *T)
	places keyedTable[int32] // by the number of the handle, in attached
	held   []attachment[C, T]
}

// attachment also says what it hangs on beside the handle: after a rollback
// another entity can have that.
type attachment[C, T any] struct {
	entity Entity
	netID  components.NetID
	key    SpawnKey
	value  T
}

// NewAttachments calls vanish for each attachment that ends, once. It may be nil.
// It must not call these Attachments.
func NewAttachments[C, T any](vanish func(e Entity, v *T)) *Attachments[C, T] {
	return &Attachments[C, T]{vanish: vanish}
}

// Attach hangs v on e, in place of what hung there, which ends. The pointer is good
// until the next Attach or Sweep. It panics when e is not alive in w, or has no C.
func (a *Attachments[C, T]) Attach(w *World, e Entity, v T) *T {
	if s := w.handles.at(e); s == nil || s.suspended {
		panic(fmt.Sprintf("ecs: Attach to %v, which is not alive in this world, or out of scope; walk what is there with All", e))
	}
	if !Has[C](w, e) {
		panic(fmt.Sprintf("ecs: Attach to %v, which has no %v; walk what has one with All", e, reflect.TypeFor[C]()))
	}
	held := attachment[C, T]{entity: e, netID: w.NetID(e), key: keyOf(w, e), value: v}
	if at := a.places.find(e.id); at != nil {
		old := &a.held[*at]
		a.end(old)
		*old = held
		return &old.value
	}
	*a.places.put(e.id) = int32(len(a.held))
	a.held = append(a.held, held)
	return &a.held[len(a.held)-1].value
}

// Of is what hangs on e, nil for nothing. It is good until the next Attach or
// Sweep.
func (a *Attachments[C, T]) Of(e Entity) *T {
	if at := a.places.find(e.id); at != nil && a.held[*at].entity == e {
		return &a.held[*at].value
	}
	return nil
}

// Len is how many there are.
func (a *Attachments[C, T]) Len() int { return len(a.held) }

// Sweep ends the attachments whose entities are not in w any more, in the order in
// which they were attached. An entity that a client takes back until the server has
// spoken counts as gone; should it return, it is one without an attachment.
func (a *Attachments[C, T]) Sweep(w *World) {
	kept := 0
	for i := range a.held {
		x := &a.held[i]
		if !x.holds(w) {
			a.places.remove(x.entity.id)
			a.end(x)
			continue
		}
		if kept < i {
			a.held[kept] = *x
			*a.places.put(x.entity.id) = int32(kept)
		}
		kept++
	}
	clear(a.held[kept:])
	a.held = a.held[:kept]
}

func (a *Attachments[C, T]) end(x *attachment[C, T]) {
	if a.vanish != nil {
		a.vanish(x.entity, &x.value)
	}
}

// holds reports whether the entity is there still, and takes note of its names: it
// may get one later.
func (x *attachment[C, T]) holds(w *World) bool {
	s := w.handles.at(x.entity)
	if s == nil || s.suspended {
		return false
	}
	key := keyOf(w, x.entity)
	if !Has[C](w, x.entity) || x.netID != 0 && s.netID != x.netID || x.key != (SpawnKey{}) && key != x.key {
		return false
	}
	x.netID, x.key = s.netID, key
	return true
}

// keyOf is the key of an entity; zero for none.
func keyOf(w *World, e Entity) SpawnKey {
	if key := Get[SpawnKey](w, e); key != nil {
		return *key
	}
	return SpawnKey{}
}
