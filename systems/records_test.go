package systems

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/predict"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// When a client forgets an entity, all records of the entity are cleared.
func TestForgottenEntityLeavesNoRecord(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Prediction: Prediction{Scope: func(*ecs.World, ecs.Entity) Scope { return ScopeCoSimulated }}}, netsys.Link{})
	g.connect()
	w := g.server.World()
	e := w.Spawn(place{}, shots{})
	id := uint32(w.NetID(e))
	g.until("the entity is known", func() bool { return c.mirror.Entities.Of(id) != nil })
	g.run(30)
	at := c.mirror.Entities.Of(id).Index
	used := func() (rooms, n int) {
		eachRecords(reflect.ValueOf(c).Elem(), map[uintptr]bool{}, func(l mirror.RecordList) {
			rooms++
			if !record(l, at).IsZero() {
				n++
			}
		})
		return rooms, n
	}
	if rooms, n := used(); rooms != 3 || n != rooms {
		t.Errorf("%d of %d rooms keep a record", n, rooms)
	}
	w.Despawn(e)
	g.until("the entity is forgotten", func() bool { return c.mirror.Entities.Of(id) == nil })
	if _, n := used(); n != 0 {
		t.Errorf("%d rooms keep the record of an entity that is forgotten", n)
	}
}

// rooms are packages that store records.
var rooms = []string{
	reflect.TypeFor[interpolate.System]().PkgPath(), reflect.TypeFor[predict.System]().PkgPath(), reflect.TypeFor[reconcile.System]().PkgPath(),
}

// eachRecords finds the records in a struct and in its parts, including structs of these packages. It visits each once.
func eachRecords(v reflect.Value, seen map[uintptr]bool, found func(mirror.RecordList)) {
	for _, f := range v.Fields() {
		if f.Kind() == reflect.Pointer && !f.IsNil() && f.Type().Elem().Kind() == reflect.Struct && slices.Contains(rooms, f.Type().Elem().PkgPath()) {
			f = f.Elem()
		}
		if f.Kind() != reflect.Struct {
			continue
		}
		f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr()))
		if l, ok := f.Interface().(mirror.RecordList); ok {
			if !seen[f.Pointer()] {
				found(l)
			}
			seen[f.Pointer()] = true
			continue
		}
		if slices.Contains(rooms, f.Type().Elem().PkgPath()) {
			if seen[f.Pointer()] {
				continue
			}
			seen[f.Pointer()] = true
		}
		eachRecords(f.Elem(), seen, found)
	}
}

// record returns the record at an index.
func record(l mirror.RecordList, i mirror.Index) reflect.Value {
	return reflect.ValueOf(l).Elem().Field(0).Index(int(i))
}
