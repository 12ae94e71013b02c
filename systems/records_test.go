package systems

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// What rooms keep of an entity is gone from all of them when the client forgets it.
func TestForgottenEntityLeavesNoRecord(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{Scope: func(*ecs.World, ecs.Entity) Scope { return ScopeCoSimulated }}, netsys.Link{})
	g.connect()
	w := g.server.World()
	e := w.Spawn(place{}, shots{})
	id := uint32(w.NetID(e))
	g.until("the entity is known", func() bool { return c.mirror.Entities.Of(id) != nil })
	g.run(30)
	at := c.mirror.Entities.Of(id).Index
	used := func() (rooms, n int) {
		eachRecords(reflect.ValueOf(c).Elem(), func(l mirror.RecordList) {
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

// eachRecords finds the records in a struct, in those that it is made of, and in those of a
// room that is a package.
func eachRecords(v reflect.Value, found func(mirror.RecordList)) {
	for i := range v.NumField() {
		f := v.Field(i)
		if room := reflect.TypeFor[interpolate.System]().PkgPath(); f.Kind() == reflect.Pointer && v.Type().PkgPath() != "" &&
			f.Type().Elem().PkgPath() == room && f.Type().Elem().Kind() == reflect.Struct && v.Type().Name() != "states" {
			f = f.Elem()
		}
		if f.Kind() != reflect.Struct {
			continue
		}
		f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr()))
		if l, ok := f.Interface().(mirror.RecordList); ok {
			found(l)
			continue
		}
		eachRecords(f.Elem(), found)
	}
}

// record is the record of an index.
func record(l mirror.RecordList, i mirror.Index) reflect.Value {
	return reflect.ValueOf(l).Elem().Field(0).Index(int(i))
}
