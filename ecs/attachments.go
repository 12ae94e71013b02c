package ecs

import (
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/components"
)

// Attachments are values that a game attaches to the entities that it draws, such as a sprite, a sound, a trail or a line
// in a list. They are outside of the world, so replays and rollbacks do not change them. An attachment ends when its entity
// ends for any reason: the server destroyed it, it is out of sight, or it was mispredicted.
//
// C is the component that the entities must have. An attachment also ends when its entity loses C. Under a server that
// rewinds, the NetID of an undone spawn can even be reused for a different entity.
//
//	sprites := ecs.NewAttachments[Bullet](func(_ ecs.Entity, s *Sprite) { s.Remove() })
//
//	// in each frame, after the client has updated its view
//	sprites.Sweep(view)
//	for e, b := range ecs.All[bulletRow](view) {
//		s := sprites.Of(e)
//		if s == nil {
//			s = sprites.Attach(view, e, NewSprite())
//		}
//		s.MoveTo(b.Pos)
//	}
//
// Attachments belong to one world and its goroutine.
type Attachments[C, T any] struct {
	vanish func(e Entity, v *T)
	places keyedTable[int32] // by the number of the handle, in attached
	held   []attachment[C, T]
}

// attachment identifies its entity by NetID and key too, because a different entity can have the handle after a rollback.
type attachment[C, T any] struct {
	entity Entity
	netID  components.NetID
	key    SpawnKey
	value  T
}

// NewAttachments returns empty Attachments. They call vanish once for each attachment that ends; vanish may be nil and must
// not use the Attachments.
func NewAttachments[C, T any](vanish func(e Entity, v *T)) *Attachments[C, T] {
	return &Attachments[C, T]{vanish: vanish}
}

// Attach attaches v to e. An earlier attachment of e ends. The pointer is valid until the next Attach or Sweep. Attach
// panics if e is not alive in w or has no C.
func (a *Attachments[C, T]) Attach(w *World, e Entity, v T) *T {
	if s := w.handles.at(e); s == nil || s.suspended {
		panic(fmt.Sprintf("ecs: Attach to %v, which is not alive in this world or not in sight: use the entities that All yields", e))
	}
	if !Has[C](w, e) {
		panic(fmt.Sprintf("ecs: Attach to %v, which has no %v: use the entities that All yields for this component", e, reflect.TypeFor[C]()))
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

// Of returns the value attached to e, or nil. It is valid until the next Attach or Sweep.
func (a *Attachments[C, T]) Of(e Entity) *T {
	if at := a.places.find(e.id); at != nil && a.held[*at].entity == e {
		return &a.held[*at].value
	}
	return nil
}

// Len returns the number of attachments.
func (a *Attachments[C, T]) Len() int { return len(a.held) }

// Sweep ends the attachments whose entities are no longer in w, in the order in which they were attached. Suspended
// entities, such as mispredicted spawns that the server has not confirmed, count as gone. If such an entity returns, it has
// no attachment.
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

// holds reports whether the entity still exists, and stores its NetID and key, which it may get later.
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

// keyOf returns the key of an entity, or the zero key.
func keyOf(w *World, e Entity) SpawnKey {
	if key := Get[SpawnKey](w, e); key != nil {
		return *key
	}
	return SpawnKey{}
}
