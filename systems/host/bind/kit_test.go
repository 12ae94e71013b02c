package bind_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/host/bind"
)

// Numbers has every kind of number.
type Numbers struct {
	A bool
	B uint8   `net:"raw"`
	C int8    `net:"raw"`
	D uint16  `net:"raw"`
	E int16   `net:"-300..300"`
	F uint32  `net:"raw"`
	G int32   `net:"raw"`
	H uint64  `net:"raw"`
	I int64   `net:"raw"`
	J int64   `net:"-8000000000..8000000000 step 100"`
	K uint64  `net:"0..40000000000 step 40"`
	L float32 `net:"raw"`
	M float64 `net:"raw"`
	N float32 `net:"-512..512 step 0.01"`
	O float64 `net:"-1..1 step 0.001"`
	P uint16  `net:"0..65535 step 256 angle"`
	Q float32 `net:"degrees 0.5"`
	T uint8   `net:"enum 5"`
	U uint16  `net:"flags 11"`
	V uint64  `net:"flags 40"`
	W uint32  `net:"ref"`
	X uint64  `net:"0..2000000000 step 1 edge"`
	Z uint64  `net:"enum 3"`
}

// Turn is a rotation.
type Turn struct{ X, Y, Z, W float64 }

// Inside has an unreplicated field between replicated ones.
type Inside struct {
	A     uint8    `net:"0..9"`
	Cache uint64   `net:"-"`
	B     [3]int16 `net:"raw"`
	On    bool
	Rest  [3]uint64 `net:"-"`
}

// Shapes has structs, arrays, and fields of several numbers.
type Shapes struct {
	Tip   uint8                     `net:"raw"`
	Pos   struct{ X, Y float32 }    `net:"-64..64 step 0.01"`
	Dir   struct{ X, Y, Z float32 } `net:"unit 12"`
	Way   [2]float64                `net:"unit 12"`
	Spin  Turn                      `net:"quat 12"`
	Cells [3]uint16                 `net:"raw"`
	Grid  [2][3]int8                `net:"raw"`
	Parts [3]Inside
	Deep  [2]struct{ In [2]Inside }
	_     [3]uint8
	Bits  [5]bool
	Free  [4]struct {
		X uint8 `net:"-"`
	}
	End uint8 `net:"raw"`
}

// Slot has a text.
type Slot struct {
	Item uint16 `net:"0..500"`
	Name components.Text[[7]byte]
	Mood uint8 `net:"enum 3"`
}

// Lists has lists and texts.
type Lists struct {
	Name   components.Text[[16]byte]
	Slots  components.List[Slot, [4]Slot]
	Marks  components.List[int32, [5]int32] `net:"raw"`
	Odd    uint8                            `net:"raw"`
	N      uint8                            `net:"count"`
	Few    [3]uint8                         `net:"0..200"`
	After  uint8                            `net:"raw"`
	Wide   uint16                           `net:"count"`
	Said   [21]byte                         `net:"text"`
	Labels [2]components.Text[[5]byte]
	Rows   [2]components.List[uint16, [3]uint16]                                                  `net:"raw"`
	Nest   components.List[components.List[uint8, [2]uint8], [2]components.List[uint8, [2]uint8]] `net:"raw"`
	Big    components.List[uint64, [2]uint64]                                                     `net:"raw"`
	Own    struct {
		M    uint16 `net:"count"`
		Rows [2]struct {
			Tags components.List[uint8, [3]uint8] `net:"0..9"`
			On   bool
		}
	}
	Gap struct {
		M     uint8 `net:"count"`
		_     [5]uint8
		Marks [2]uint8 `net:"raw"`
	}
	Names components.List[components.Text[[4]byte], [3]components.Text[[4]byte]]
}

// Login is the login of a player.
type Login struct {
	Name components.Text[[4]byte]
	Side uint8 `net:"enum 2"`
}

// The same as messages.
type (
	NumbersNote Numbers
	ShapesNote  Shapes
	ListsNote   Lists
)

// Plain is floats and nothing else.
type Plain struct {
	X, Y, Z float32 `net:"raw"`
}

// Shout is an event of clients, Bang one of the server.
type (
	Shout struct {
		A uint8 `net:"raw"`
	}
	Bang struct {
		B uint8 `net:"raw"`
	}
)

// Press is the input of a player.
type Press struct {
	Keys uint8  `net:"flags 3"`
	Fire bool   `net:"edge"`
	Aim  uint16 `net:"0..65535 step 1 angle"`
}

// protocol has all of them.
func protocol(name string) (*ecs.Protocol, *host.Book) {
	p := ecs.NewProtocol(name)
	ecs.Replicate[Numbers](p, ecs.Predicted)
	ecs.Replicate[Shapes](p, 0)
	ecs.Replicate[Plain](p, ecs.Interpolated)
	ecs.Singleton[Lists](p, 0)
	ecs.Input[Press](p)
	ecs.Join(p, func(*ecs.World, uint32, *Login) {})
	ecs.Command(p, func(*ecs.World, uint32, *Slot) {})
	r := channel.NewRegistry(channel.Config{})
	b := &host.Book{}
	host.Message(b, channel.Register[NumbersNote](r, "event"))
	host.Message(b, channel.Register[ShapesNote](r, "event"))
	host.Message(b, channel.Register[ListsNote](r, "event"))
	host.Event[Shout](b, event.FromClients)
	host.Event[Bang](b, event.FromServer)
	host.Outcome[Plain](b)
	return p, b
}

var mood = bind.Enum{Name: "Mood", Fields: []string{"Lists.Slots.Mood", "ListsNote.Slots.Mood", "Slot.Mood"},
	Values: []bind.Value{{Name: "Calm", Number: 0}, {Name: "Glad", Number: 1}, {Name: "Wild", Number: 2}}}

// written writes the bindings of a protocol to a temporary folder and returns the folder.
func written(t *testing.T, p *ecs.Protocol, b *host.Book) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := bind.Write(bind.Config{Folder: folder, Name: "kit", Protocol: p, Book: b, Enums: []bind.Enum{mood}, Header: true}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// leaf is a value in a component: its path in Go, and its text.
type leaf struct {
	Path, What, Value string
}

// leaves lists the values of a component at p by its table, which knows nothing of bindings.
func leaves(t *schema.Table, p unsafe.Pointer) (all []leaf) {
	for i := range t.Fields {
		f := &t.Fields[i]
		at := unsafe.Add(p, f.Offset)
		size := map[reflect.Kind]uintptr{reflect.Float32: 4, reflect.Float64: 8}[f.Kind]
		switch f.Form {
		case schema.FormText:
			n, head := int(*(*uint8)(at)), uintptr(1)
			if strings.HasSuffix(f.Path, "Said") {
				n, head = int(*(*uint16)(at)), 2
			}
			all = append(all, leaf{f.Path, "text", string(unsafe.Slice((*byte)(unsafe.Add(at, head)), n))})
		case schema.FormUnit, schema.FormQuat:
			for k := range f.Len {
				path := f.Path + "." + "XYZW"[k:k+1]
				if f.Path == "Way" {
					path = f.Path + "[" + strconv.Itoa(k) + "]"
				}
				all = append(all, leaf{path, "float", bits(number(f.Kind, unsafe.Add(at, uintptr(k)*size)))})
			}
		case schema.FormCount:
			path := f.Path
			if path == "N" { // the count of a list that is no struct of its own
				path = "Few"
			}
			all = append(all, leaf{path, "count", fmt.Sprint(number(f.Kind, at))})
		default:
			v := number(f.Kind, at)
			l := leaf{f.Path, "int", fmt.Sprint(v)}
			switch {
			case f.Kind == reflect.Bool:
				l.What = "bool"
			case f.Kind == reflect.Float32 || f.Kind == reflect.Float64:
				l.What, l.Value = "float", bits(v)
			}
			all = append(all, l)
		}
	}
	return all
}

// number returns the number of a kind at p.
func number(k reflect.Kind, p unsafe.Pointer) any {
	kinds := map[reflect.Kind]reflect.Type{reflect.Bool: reflect.TypeFor[bool](), reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
		reflect.Int8: reflect.TypeFor[int8](), reflect.Int16: reflect.TypeFor[int16](), reflect.Int32: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](),
		reflect.Uint8: reflect.TypeFor[uint8](), reflect.Uint16: reflect.TypeFor[uint16](), reflect.Uint32: reflect.TypeFor[uint32](), reflect.Uint64: reflect.TypeFor[uint64]()}
	return reflect.NewAt(kinds[k], p).Elem().Interface()
}

// bits returns the bits of a float, converted to float64, as hexadecimal digits.
func bits(v any) string {
	f := reflect.ValueOf(v).Float()
	return fmt.Sprintf("%016x", math.Float64bits(f))
}

// random returns a value of a table like those of the netcode, in its own memory. Unreplicated bytes are random.
func random(rng *rand.Rand, t *schema.Table) []byte {
	mem := make([]uint64, (t.Size+7)/8+1)
	for i := range mem {
		mem[i] = rng.Uint64()
	}
	p := unsafe.Pointer(&mem[0])
	b := unsafe.Slice((*byte)(p), t.Size)
	for i := range t.Fields {
		f := &t.Fields[i]
		at := unsafe.Add(p, f.Offset)
		switch {
		case f.Kind == reflect.Bool:
			*(*uint8)(at) = uint8(rng.IntN(2))
		case f.Form == schema.FormCount && f.Kind == reflect.Uint8:
			*(*uint8)(at) = uint8(rng.IntN(int(f.Max) + 1))
		case f.Form == schema.FormCount:
			*(*uint16)(at) = uint16(rng.IntN(int(f.Max) + 1))
		case f.Form == schema.FormText:
			body, n := unsafe.Slice((*byte)(unsafe.Add(at, 1)), f.Len), 0
			wide := strings.HasSuffix(f.Path, "Said")
			if wide {
				body = unsafe.Slice((*byte)(unsafe.Add(at, 2)), f.Len)
			}
			for rng.IntN(9) > 0 {
				r := []rune("aZ 0\"\\\n\x00ßé€\ufeff\u2028😀漢'$`")[rng.IntN(18)]
				if n+utf8.RuneLen(r) > len(body) {
					break
				}
				n += utf8.EncodeRune(body[n:], r)
			}
			if *(*uint8)(at) = uint8(n); wide {
				*(*uint16)(at) = uint16(n)
			}
		case rng.IntN(4) == 0 && f.Len == 1: // ends
			clear(unsafe.Slice((*byte)(at), reflectSize(f.Kind)))
			if rng.IntN(2) == 0 && f.Kind != reflect.Float32 && f.Kind != reflect.Float64 {
				for k := range reflectSize(f.Kind) {
					*(*byte)(unsafe.Add(at, k)) = 0xff
				}
			}
		case f.Kind == reflect.Float32 && f.Form == schema.FormGrid:
			*(*float32)(at) = float32(f.Min + rng.Float64()*(f.Max-f.Min))
		case f.Kind == reflect.Float64 && f.Form == schema.FormGrid:
			*(*float64)(at) = f.Min + rng.Float64()*(f.Max-f.Min)
		case f.Form == schema.FormGrid && f.Kind == reflect.Int64:
			*(*int64)(at) = int64(f.Min + rng.Float64()*(f.Max-f.Min))
		case f.Form == schema.FormGrid && f.Kind == reflect.Uint64:
			*(*uint64)(at) = uint64(f.Min + rng.Float64()*(f.Max-f.Min))
		}
	}
	t.Snap(p)
	return b
}

func reflectSize(k reflect.Kind) uintptr {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// sample is rows of a type.
type sample struct {
	Name  string
	Place int // of the component; −1: a value alone
	Rows  [][]leaf
	Hex   []string // the memory of each row
	table *schema.Table
	bytes [][]byte
}

// samples are rows of all types, by a seed.
func samples(seed uint64, p *ecs.Protocol, b *host.Book) (all []*sample) {
	rng := rand.New(rand.NewPCG(seed, 1))
	add := func(place int, t *schema.Table) {
		s := &sample{Name: t.Name, Place: place, table: t}
		for range 12 {
			row := random(rng, t)
			s.bytes = append(s.bytes, row)
			s.Hex = append(s.Hex, hex.EncodeToString(row))
			s.Rows = append(s.Rows, leaves(t, unsafe.Pointer(&row[0])))
		}
		all = append(all, s)
	}
	for i, c := range p.Replicated() {
		if slices.Contains([]string{"Numbers", "Shapes", "Lists", "Plain"}, c.Name) {
			add(i, c.Schema)
		}
	}
	for _, m := range b.Messages() {
		add(-1, m.Schema)
	}
	return all
}

// seeds are those of a test; a failure says which.
var seeds = []uint64{1, 2, 3}

// tool returns a program that a test needs.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("needs %s", name)
	}
	return path
}

// put writes a file of a test.
func put(t *testing.T, folder, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// equal compares values that came from elsewhere with Go's.
func equal(t *testing.T, where string, got, want []leaf) {
	t.Helper()
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("%s: %q, want %q", where, fmt.Sprint(got[min(i, len(got)-1)]), fmt.Sprint(w))
		}
	}
}
