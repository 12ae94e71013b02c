package bind_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/host/bind"
)

type item struct {
	Kind uint8 `net:"enum 7"`
	Wear int16 `net:"-300..300"`
}

// everything has each kind of field that there is.
type everything struct {
	Flag   bool
	Small  int8                         `net:"-1..1"`
	Aim    uint16                       `net:"0..65535 step 256 angle"`
	Exact  float64                      `net:"raw"`
	Seed   uint64                       `net:"raw"`
	Signed int64                        `net:"raw"`
	X, Y   float32                      `net:"-512..512 step 0.01"`
	Keys   uint32                       `net:"flags 6"`
	Mood   uint8                        `net:"enum 5"`
	Target components.NetID             `net:"ref"`
	Mass   int32                        `net:"-512..512 step 0.0625 fixed 16"`
	Dir    [2]float32                   `net:"unit 10"`
	Spin   struct{ X, Y, Z, W float64 } `net:"quat 9"`
	cache  float32                      `net:"-"`
	Name   components.Text[[9]byte]
	Slots  [3]item
	Bag    components.List[item, [4]item]
	N      uint8     `net:"count"`
	Own    [5]uint16 `net:"0..999"`
	Deep   struct {
		M    uint16 `net:"count"`
		Rows [2]struct {
			Tags components.List[uint8, [3]uint8] `net:"0..9"`
			On   bool
		}
	}
}

type single struct {
	Points uint16 `net:"0..9"`
}
type login struct{ Name components.Text[[4]byte] }
type order struct {
	What uint8 `net:"0..3"`
}
type hello struct {
	Times uint8 `net:"0..3"`
}
type move struct {
	DX int8 `net:"-1..1"`
}

func protocol() *ecs.Protocol {
	p := ecs.NewProtocol("bound/1")
	ecs.Replicate[everything](p, ecs.Predicted)
	ecs.Singleton[single](p, 0)
	ecs.Input[move](p)
	ecs.Local[hello](p, 0)
	ecs.Join(p, func(*ecs.World, uint32, *login) {})
	ecs.Command(p, func(*ecs.World, uint32, *order) {})
	return p
}

// leaves visits the values of a struct that a model finds in memory, by path.
func leaves(path string, base unsafe.Pointer, fields []bind.Field, visit func(path string, value any)) {
	for _, f := range fields {
		leaf(path+"."+f.Name, unsafe.Add(base, f.Offset), &f.Type, visit)
	}
}

func leaf(path string, p unsafe.Pointer, t *bind.Type, visit func(path string, value any)) {
	count := func() int {
		if t.CountKind == reflect.Uint8 {
			return int(*(*uint8)(p))
		}
		return int(*(*uint16)(p))
	}
	switch t.Kind {
	case bind.Number:
		visit(path, numberAt(p, t.Number))
	case bind.Fields:
		leaves(path, p, t.Fields, visit)
	case bind.Text:
		visit(path, string(unsafe.Slice((*byte)(unsafe.Add(p, t.Data)), count())))
	case bind.List:
		visit(path, count())
		for i := range count() {
			leaf(fmt.Sprintf("%s[%d]", path, i), unsafe.Add(p, t.Data+i*t.Elem.Size), t.Elem, visit)
		}
	case bind.Array:
		for i := range t.Len {
			at := fmt.Sprintf("%s[%d]", path, i)
			if t.Elem == nil {
				size := map[reflect.Kind]int{reflect.Float32: 4, reflect.Float64: 8}[t.Number]
				visit(at, numberAt(unsafe.Add(p, i*size), t.Number))
			} else {
				leaf(at, unsafe.Add(p, i*t.Elem.Size), t.Elem, visit)
			}
		}
	}
}

func numberAt(p unsafe.Pointer, k reflect.Kind) any {
	types := map[reflect.Kind]reflect.Type{reflect.Bool: reflect.TypeFor[bool](), reflect.Int8: reflect.TypeFor[int8](), reflect.Uint8: reflect.TypeFor[uint8](),
		reflect.Int16: reflect.TypeFor[int16](), reflect.Uint16: reflect.TypeFor[uint16](), reflect.Int32: reflect.TypeFor[int32](), reflect.Uint32: reflect.TypeFor[uint32](),
		reflect.Int64: reflect.TypeFor[int64](), reflect.Uint64: reflect.TypeFor[uint64](), reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64]()}
	return reflect.NewAt(types[k], p).Elem().Interface()
}

// What a model finds in memory is what Go does, for each kind of field and any values.
func TestFieldsLieWhereTheModelSays(t *testing.T) {
	m := must(bind.Describe(protocol(), nil))
	s := m.Components[slices.IndexFunc(m.Components, func(s bind.Struct) bool { return s.Name == "everything" })]
	table := ecs.ComponentOf[everything](protocol()).Schema
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]int32, table.Words)
	for range 500 {
		var v everything
		for i := range words {
			words[i] = int32(rng.Uint32() >> rng.IntN(32))
		}
		table.Dequantize(unsafe.Pointer(&v), words, table.Words, 1)
		v.cache = 7
		got := map[string]any{}
		leaves("", unsafe.Pointer(&v), s.Fields, func(path string, value any) { got[path] = value })
		want := map[string]any{
			".Flag": v.Flag, ".Small": v.Small, ".Aim": v.Aim, ".Exact": v.Exact, ".Seed": v.Seed, ".Signed": v.Signed, ".X": v.X, ".Y": v.Y,
			".Keys": v.Keys, ".Mood": v.Mood, ".Target": uint32(v.Target), ".Mass": v.Mass, ".Dir[0]": v.Dir[0], ".Dir[1]": v.Dir[1],
			".Spin[0]": v.Spin.X, ".Spin[1]": v.Spin.Y, ".Spin[2]": v.Spin.Z, ".Spin[3]": v.Spin.W,
			".Name": v.Name.String(), ".Bag": v.Bag.Len(), ".Own": int(v.N), ".Deep": int(v.Deep.M),
		}
		for i, x := range v.Slots {
			want[fmt.Sprintf(".Slots[%d].Kind", i)], want[fmt.Sprintf(".Slots[%d].Wear", i)] = x.Kind, x.Wear
		}
		for i := range v.Bag.Len() {
			x := v.Bag.At(i)
			want[fmt.Sprintf(".Bag[%d].Kind", i)], want[fmt.Sprintf(".Bag[%d].Wear", i)] = x.Kind, x.Wear
		}
		for i := range int(v.N) {
			want[fmt.Sprintf(".Own[%d]", i)] = v.Own[i]
		}
		for i := range int(v.Deep.M) {
			row := &v.Deep.Rows[i]
			want[fmt.Sprintf(".Deep[%d].On", i)], want[fmt.Sprintf(".Deep[%d].Tags", i)] = row.On, row.Tags.Len()
			for k := range row.Tags.Len() {
				want[fmt.Sprintf(".Deep[%d].Tags[%d]", i, k)] = *row.Tags.At(k)
			}
		}
		for path, w := range want {
			if !reflect.DeepEqual(got[path], w) {
				t.Fatalf("%s is %v (%T), the model finds %v (%T)", path, w, w, got[path], got[path])
			}
		}
		if len(got) != len(want) {
			t.Fatalf("the model finds %d values, there are %d: %v", len(got), len(want), got)
		}
	}
}

// A model has all parts of a game, by their numbers, and what the tags say.
func TestDescribe(t *testing.T) {
	p := protocol()
	r := channel.NewRegistry(channel.Config{})
	var b host.Book
	host.Message(&b, channel.Register[hello](r, "event"))
	host.Outcome[order](&b)
	m := must(bind.Describe(p, &b))
	var names []string
	for _, s := range m.Components {
		names = append(names, s.Name)
		if c := p.Replicated()[s.Number]; c.Name != s.Name || c.Mode != s.Mode || s.Size != int(c.Schema.Size) || s.Single != (s.Name == "single") {
			t.Errorf("%+v", s)
		}
	}
	if got := strings.Join(names, " "); got != "Owner SpawnKey everything single" {
		t.Errorf("components %s", got)
	}
	if m.Input.Name != "move" || m.Login.Name != "login" || m.Commands[0].Name != "order" || m.Outcomes[0].Name != "order" || m.Messages[0].Name != "hello" ||
		!m.Messages[0].Told || !m.Messages[0].Sent || m.Outcomes[0].Sent || len(m.Events) > 0 || m.Hash != p.Hash() || m.Name != "bound/1" {
		t.Errorf("%+v", m)
	}
	for _, f := range m.Components[2].Fields {
		switch f.Name {
		case "cache":
			t.Error("what is not replicated is described")
		case "Mood":
			if f.Type.Of.Form != schema.FormEnum || f.Type.Of.Max != 4 {
				t.Errorf("%+v", f.Type.Of)
			}
		case "Mass":
			if f.Type.Of.Fixed != 16 {
				t.Errorf("%+v", f.Type.Of)
			}
		}
	}
	if again := must(bind.Describe(protocol(), &b)); text(again.Components[2].Fields) != text(m.Components[2].Fields) || !slices.Equal(m.Lines, again.Lines) {
		t.Error("another description of the same game")
	}
}

// text is what a description says of fields.
func text(fields []bind.Field) (s string) {
	for _, f := range fields {
		s += fmt.Sprint(f.Name, f.Offset, f.Type.Kind, f.Type.Size, f.Type.Number, f.Type.Len, f.Type.Data, f.Type.CountKind, "(", text(f.Type.Fields), ")")
		if f.Type.Elem != nil {
			s += text([]bind.Field{{Type: *f.Type.Elem}})
		}
	}
	return s
}

func TestDiffers(t *testing.T) {
	for _, x := range []struct {
		was, is string
		line    int
		a, b    string
	}{{was: "a b c", is: "a b c"}, {"a b c", "a x c", 2, "b", "x"}, {"a b", "a b c", 3, "", "c"}, {"a b", "a", 2, "b", ""}, {}} {
		line, a, b, same := bind.Differs(strings.Fields(x.was), strings.Fields(x.is))
		if line != x.line || a != x.a || b != x.b || same != (x.line == 0) {
			t.Errorf("%q and %q: line %d, %q and %q, same %v", x.was, x.is, line, a, b, same)
		}
	}
}

func must(m *bind.Model, err error) *bind.Model {
	if err != nil {
		panic(err)
	}
	return m
}
