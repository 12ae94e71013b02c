package rooms

import (
	"bytes"
	"errors"
	"reflect"
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

func carryProtocol() *ecs.Protocol {
	p := ecs.NewProtocol("goods/1")
	ecs.Local[bag](p, 0)
	ecs.Local[marker](p, 0)
	ecs.Replicate[components.Health](p, 0)
	return p
}

// A detached component is removed from its entity, is encoded, and is attached to another entity unchanged.
func TestCarriedComponentsMove(t *testing.T) {
	set := carrySet{Carries[bag](), Carries[marker](), Carries[components.Health]()}
	for i := range set {
		if err := set[i].check(carryProtocol()); err != nil {
			t.Fatal(err)
		}
	}
	w := ecs.NewWorld(carryProtocol(), ecs.Config{})
	full := bag{[3]slot{{7, -1}, {}, {65535, 127}}, -1 << 60, 0.1, 1e-30, true}
	e := w.Spawn(full, marker{})
	if has := set.itemsOf(w, e); len(has) != 2 || set.checkItems(has) != nil || set[1:].checkItems(has) == nil {
		t.Errorf("has %v", has)
	}
	items := set.detach(w, e)
	if ecs.Has[bag](w, e) || ecs.Has[marker](w, e) || len(items) != 2 || len(set.detach(w, e)) != 0 {
		t.Errorf("lifted %v", items)
	}
	b := bundle{transfer: 1 << 63, local: true, items: items}
	got, err := parseBundle(b.appendTo(nil))
	if err != nil || !reflect.DeepEqual(got, b) {
		t.Fatalf("%+v: %v", got, err)
	}
	other := ecs.NewWorld(carryProtocol(), ecs.Config{})
	to := other.Spawn(bag{Gold: 5})
	set.attach(other, to, got.items)
	if x := ecs.Get[bag](other, to); x == nil || *x != full || !ecs.Has[marker](other, to) {
		t.Errorf("given %+v", x)
	}
}

// A component of another build with the same name and another shape is refused.
func TestCarriedComponentsOfAnotherShape(t *testing.T) {
	here := Carries[bag]()
	type bag struct {
		Slots [3]slot
		Gold  uint64
		Share float64
		Half  float32
		Open  bool
	}
	there := Carries[bag]()
	if err := here.checkSame(&there); !errors.Is(err, ErrCarries) {
		t.Error(err)
	}
	if err := here.checkSame(&here); err != nil {
		t.Error(err)
	}
	item := carriedItem{"bag", there.hash(), make([]byte, there.size)}
	if err := (carrySet{here}).checkItems([]carriedItem{item}); !errors.Is(err, ErrCarries) {
		t.Error(err)
	}
	w := ecs.NewWorld(carryProtocol(), ecs.Config{})
	e := w.Spawn(marker{})
	if (carrySet{here}).attach(w, e, []carriedItem{item}); len(carrySet{here}.itemsOf(w, e)) != 0 {
		t.Error("it was given what it does not know")
	}
}

// Invalid bundles are refused.
func TestBundlesThatNobodyWrites(t *testing.T) {
	b := (&bundle{items: []carriedItem{{"bag", 1, []byte("abc")}}}).appendTo(nil)
	for cut := range len(b) {
		if _, err := parseBundle(b[:cut]); !errors.Is(err, errBundle) {
			t.Errorf("%d of %d bytes: %v", cut, len(b), err)
		}
	}
	long := (&bundle{items: []carriedItem{{"bag", 1, make([]byte, maxCarrySize+1)}}}).appendTo(nil)
	many := bytes.Clone(b)
	many[bundleHead-1] = maxCarryItems + 1
	where := bytes.Clone(b)
	where[bundleHead-2] = 2
	for name, b := range map[string][]byte{"too long": long, "too many": many, "somewhere": where, "more": append(b, 0)} {
		if _, err := parseBundle(b); !errors.Is(err, errBundle) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzBundle checks that a decoded bundle can be encoded again with the same meaning.
func FuzzBundle(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := parseBundle(b)
		if err != nil {
			if !errors.Is(err, errBundle) {
				t.Fatal(err)
			}
			return
		}
		if again := x.appendTo(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x came back as %x", b, again)
		}
	})
}
