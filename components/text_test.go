package components_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tactusgo/tactus/components"
)

func ExampleText() {
	type Player struct {
		Name components.Text[[8]byte]
	}
	var p Player
	fmt.Println(p.Name.Set("Ada"), p.Name)
	fmt.Println(p.Name.Set("Ada Lovelace"), p.Name, p.Name.Len())
	// Output:
	// true Ada
	// false Ada Love 8
}

func TestTextCutsBetweenRunes(t *testing.T) {
	for _, c := range []struct {
		in, out string
		fits    bool
	}{
		{"", "", true},
		{"1234", "1234", true},
		{"12345", "1234", false},
		{"123ä", "123", false},
		{"12ä", "12ä", true},
		{"€€", "€", false},
		{"😀", "😀", true},
		{"1😀", "1", false},
		{"\xff\xfe", "??", true},
		{"1\xe2\x82", "1??", true},
		{"\x80\x80\x80\x80\x80", "????", false},
		{"a\x00b", "a\x00b", true},
	} {
		var x components.Text[[4]byte]
		x.Set("####")
		if fits := x.Set(c.in); fits != c.fits || x.String() != c.out || x.Len() != len(c.out) || string(x.AppendTo(nil)) != c.out {
			t.Errorf("%q: %q, fits %v", c.in, x.String(), fits)
		}
		var fresh components.Text[[4]byte]
		fresh.Set(c.out)
		if x != fresh {
			t.Errorf("%q: memory behind the end is not zero", c.in)
		}
	}
	var long components.Text[[255]byte]
	if long.Set(strings.Repeat("x", 256)) || long.Len() != 255 || long.Cap() != 255 {
		t.Errorf("%d of %d", long.Len(), long.Cap())
	}
}

func TestTextRefusesOtherArrays(t *testing.T) {
	for name, f := range map[string]func(){
		"pointers": func() { new(components.Text[*int]).Set("x") },
		"integers": func() { new(components.Text[[4]int32]).Set("x") },
		"256":      func() { new(components.Text[[256]byte]).Set("x") },
		"0":        func() { new(components.Text[[0]byte]).Set("x") },
		"list":     func() { new(components.List[int32, [4]int64]).Append(1) },
		"no array": func() { new(components.List[int32, *int32]).Append(1) },
		"sizeless": func() { new(components.List[struct{}, [4]struct{}]).Append(struct{}{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s := fmt.Sprint(recover()); !strings.Contains(s, "use an array of") {
					t.Errorf("%s", s)
				}
			}()
			f()
		})
	}
}

// The tags and the order of the fields make these types a text and a list on the wire.
func TestShapes(t *testing.T) {
	text := reflect.TypeFor[components.Text[[4]byte]]()
	if f := text.Field(0); f.Tag.Get("net") != "count" || f.Type.Kind() != reflect.Uint8 {
		t.Error("the length of a text")
	}
	if f := text.Field(1); f.Tag.Get("net") != "text" || f.Type.Len() != 4 || text.NumField() != 2 {
		t.Error("the bytes of a text")
	}
	list := reflect.TypeFor[components.List[int16, [4]int16]]()
	if f := list.Field(0); f.Tag.Get("net") != "count" || f.Type.Kind() != reflect.Uint16 {
		t.Error("the count of a list")
	}
	if f := list.Field(1); f.Name != "_" || f.Type != reflect.TypeFor[[0]int16]() {
		t.Error("what a list says of its elements")
	}
	if f := list.Field(2); f.Tag != "" || f.Type.Len() != 4 || list.NumField() != 3 {
		t.Error("the elements of a list")
	}
}

func TestTextAndListAllocateNothing(t *testing.T) {
	var x components.Text[[32]byte]
	var l components.List[uint32, [8]uint32]
	buf := make([]byte, 0, 64)
	sum := uint32(0)
	if n := testing.AllocsPerRun(100, func() {
		x.Set("no more than this")
		buf = x.AppendTo(buf[:0])
		l.Clear()
		for i := range uint32(9) {
			l.Append(i)
		}
		l.Remove(0)
		l.RemoveSwap(1)
		for _, v := range l.All() {
			sum += *v
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzText(f *testing.F) {
	f.Add("Ada Lovelace")
	f.Add("häßlich €😀\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var x components.Text[[9]byte]
		fits := x.Set(s)
		got := x.String()
		if !utf8.ValidString(got) || fits != (len(got) == len(s)) {
			t.Fatalf("%q: %q, fits %v", s, got, fits)
		}
		if utf8.ValidString(s) && (!strings.HasPrefix(s, got) || !fits && len(got) < 9-utf8.UTFMax+1) {
			t.Fatalf("%q: %q", s, got)
		}
		if y := x; !y.Set(got) || y != x {
			t.Fatalf("%q is not its own text", got)
		}
	})
}
