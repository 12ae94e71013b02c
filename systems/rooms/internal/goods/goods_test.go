package goods

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type slot struct {
	Item  uint16
	Count int8
}

// bag has all that a component may have.
type bag struct {
	Slots [3]slot
	Gold  int64
	Share float64
	Half  float32
	Open  bool
}

// marker has nothing.
type marker struct{}

func protocol() *ecs.Protocol {
	p := ecs.NewProtocol("goods/1")
	ecs.Local[bag](p, 0)
	ecs.Local[marker](p, 0)
	ecs.Replicate[components.Health](p, 0)
	return p
}

// What is lifted off an entity is not there any more, and is given to another one as it was, by way of bytes.
func TestGoodsMove(t *testing.T) {
	set := Set{Of[bag](), Of[marker](), Of[components.Health]()}
	for i := range set {
		if err := set[i].Check(protocol()); err != nil {
			t.Fatal(err)
		}
	}
	w := ecs.NewWorld(protocol(), ecs.Config{})
	full := bag{[3]slot{{7, -1}, {}, {65535, 127}}, -1 << 60, 0.1, 1e-30, true}
	e := w.Spawn(full, marker{})
	if has := set.Has(w, e); len(has) != 2 || set.Takes(has) != nil || set[1:].Takes(has) == nil {
		t.Errorf("has %v", has)
	}
	items := set.Lift(w, e)
	if ecs.Has[bag](w, e) || ecs.Has[marker](w, e) || len(items) != 2 || len(set.Lift(w, e)) != 0 {
		t.Errorf("lifted %v", items)
	}
	b := Bundle{Passage: 1 << 63, Here: true, Items: items}
	got, err := Parse(b.Append(nil))
	if err != nil || !reflect.DeepEqual(got, b) || strings.Join(got.Names(), " ") != "bag marker" {
		t.Fatalf("%+v: %v", got, err)
	}
	other := ecs.NewWorld(protocol(), ecs.Config{})
	to := other.Spawn(bag{Gold: 5})
	set.Give(other, to, got.Items)
	if x := ecs.Get[bag](other, to); x == nil || *x != full || !ecs.Has[marker](other, to) {
		t.Errorf("given %+v", x)
	}
}

// What another build calls the same is not taken for it.
func TestGoodsOfAnotherShape(t *testing.T) {
	here := Of[bag]()
	type bag struct {
		Slots [3]slot
		Gold  uint64
		Share float64
		Half  float32
		Open  bool
	}
	there := Of[bag]()
	if err := here.Suits(&there); !errors.Is(err, ErrComponent) {
		t.Error(err)
	}
	if err := here.Suits(&here); err != nil {
		t.Error(err)
	}
	item := Item{"bag", there.sum(), make([]byte, there.Size)}
	if err := (Set{here}).Takes([]Item{item}); !errors.Is(err, ErrComponent) {
		t.Error(err)
	}
	w := ecs.NewWorld(protocol(), ecs.Config{})
	e := w.Spawn(marker{})
	if (Set{here}).Give(w, e, []Item{item}); len(Set{here}.Has(w, e)) != 0 {
		t.Error("it was given what it does not know")
	}
}

// Bundles that nobody writes.
func TestBundlesThatNobodyWrites(t *testing.T) {
	b := (&Bundle{Items: []Item{{"bag", 1, []byte("abc")}}}).Append(nil)
	for cut := range len(b) {
		if _, err := Parse(b[:cut]); !errors.Is(err, ErrBundle) {
			t.Errorf("%d of %d bytes: %v", cut, len(b), err)
		}
	}
	long := (&Bundle{Items: []Item{{"bag", 1, make([]byte, maxSize+1)}}}).Append(nil)
	many := bytes.Clone(b)
	many[head-1] = MaxItems + 1
	where := bytes.Clone(b)
	where[head-2] = 2
	for name, b := range map[string][]byte{"too long": long, "too many": many, "somewhere": where, "more": append(b, 0)} {
		if _, err := Parse(b); !errors.Is(err, ErrBundle) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzBundle: what can be read can be written and means the same.
func FuzzBundle(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrBundle) {
				t.Fatal(err)
			}
			return
		}
		if again := x.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x came back as %x", b, again)
		}
	})
}
