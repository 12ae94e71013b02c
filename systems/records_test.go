package systems

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// Whoever comes to an index that was another entity's finds a clean record in every room.
func TestReusedIndexStartsCleanInEveryRoom(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	x := &c.mirror.indexes
	if len(x.Lists) != 3 {
		t.Errorf("%d rooms keep records", len(x.Lists))
	}
	a, b := x.Take(), x.Take()
	if a == b {
		t.Fatal("two entities share an index")
	}
	for _, l := range x.Lists {
		soil(record(l, a))
		soil(record(l, b))
	}
	x.Release(a)
	if x.Take() != a {
		t.Fatal("another index than the one that is free")
	}
	for _, l := range x.Lists {
		if r := record(l, a); !r.IsZero() {
			t.Errorf("%v", r)
		}
		if r := record(l, b); r.IsZero() {
			t.Errorf("the %v of an entity that lives is lost", r.Type())
		}
	}
}

// A client attaches the records of all its rooms.
func TestAllRecordsAreAttached(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	attached := make(map[mirror.RecordList]bool)
	for _, l := range c.mirror.indexes.Lists {
		attached[l] = true
	}
	eachRecords(reflect.ValueOf(c).Elem(), func(l mirror.RecordList) {
		if !attached[l] {
			t.Errorf("%T is attached to nothing", l)
		}
		delete(attached, l)
	})
	if len(attached) > 0 {
		t.Errorf("%d rooms whose records were not found", len(attached))
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

// soil writes something into each field of a record.
func soil(v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			soil(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			soil(v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetUint(1)
	}
}
