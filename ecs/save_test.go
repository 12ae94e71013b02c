package ecs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
)

// fieldType is a field of a component of a random protocol.
type fieldType struct {
	name   string
	kind   reflect.Kind
	was    string
	preset string
}

// componentType is a component of a random protocol.
type componentType struct {
	name, was string
	local     bool
	single    bool
	fields    []fieldType
}

// gameType is a random protocol.
type gameType []componentType

var kindTypes = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.Int8: reflect.TypeFor[int8](), reflect.Int16: reflect.TypeFor[int16](),
	reflect.Int32: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](), reflect.Uint8: reflect.TypeFor[uint8](),
	reflect.Uint16: reflect.TypeFor[uint16](), reflect.Uint32: reflect.TypeFor[uint32](), reflect.Uint64: reflect.TypeFor[uint64](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
}

var kindList = []reflect.Kind{
	reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
	reflect.Float32, reflect.Float64,
}

// typ returns the type of a component.
func (c componentType) typ() reflect.Type {
	fields := []reflect.StructField{{Name: "Unique" + c.name, Type: reflect.TypeFor[uint8](), Tag: `net:"raw"`}}
	for _, f := range c.fields {
		var tags, words []string
		if f.kind != reflect.Bool {
			tags = append(tags, `net:"raw"`)
		}
		if f.was != "" {
			words = append(words, "was "+f.was)
		}
		if f.preset != "" {
			words = append(words, "default "+f.preset)
		}
		if len(words) > 0 {
			tags = append(tags, fmt.Sprintf(`save:%q`, strings.Join(words, " ")))
		}
		fields = append(fields, reflect.StructField{Name: f.name, Type: kindTypes[f.kind], Tag: reflect.StructTag(strings.Join(tags, " "))})
	}
	return reflect.StructOf(fields)
}

// build registers the components.
func (g gameType) build() (*Protocol, map[string]reflect.Type) {
	p, types := NewProtocol("game"), make(map[string]reflect.Type)
	for _, c := range g {
		t := c.typ()
		if c.local {
			p.add(t, 0, nil, false)
		} else {
			replicate(p, t, 0, nil)
		}
		d := p.byType[t]
		d.Name = c.name
		if c.was != "" {
			d.was = []string{c.was}
		}
		if c.single {
			p.singletons = append(p.singletons, d)
		}
		types[c.name] = t
	}
	return p, types
}

func randomField(r *rand.Rand, name string) fieldType {
	return fieldType{name: name, kind: kindList[r.IntN(len(kindList))]}
}

func randomComponent(r *rand.Rand, name string) componentType {
	c := componentType{name: name, local: r.IntN(3) == 0}
	c.single = !c.local && r.IntN(4) == 0
	for i := range r.IntN(6) {
		c.fields = append(c.fields, randomField(r, fmt.Sprintf("F%d", i)))
	}
	return c
}

// changed returns the next version of a protocol.
func (g gameType) changed(r *rand.Rand) (next gameType) {
	for _, c := range g {
		if r.IntN(8) == 0 {
			continue
		}
		c.was = ""
		if r.IntN(6) == 0 {
			c.name, c.was = "Renamed"+c.name, c.name
		}
		if c.local && r.IntN(6) == 0 {
			c.local = false
		}
		var fields []fieldType
		for _, f := range c.fields {
			f.was, f.preset = "", ""
			switch r.IntN(8) {
			case 0:
				continue
			case 1:
				f.name, f.was = "New"+f.name, f.name
			case 2:
				for _, k := range r.Perm(len(kindList)) {
					if savedKind(f.kind).widensTo(savedKind(kindList[k])) {
						f.kind = kindList[k]
						break
					}
				}
			}
			fields = append(fields, f)
		}
		for i := range r.IntN(3) {
			f := randomField(r, fmt.Sprintf("Added%d%s", i, strings.Repeat("X", r.IntN(2))))
			if f.preset = "1"; r.IntN(2) == 0 {
				f.preset = ""
			}
			duplicate := false
			for _, o := range fields {
				duplicate = duplicate || o.name == f.name || o.was == f.name
			}
			if !duplicate {
				fields = append(fields, f)
			}
		}
		r.Shuffle(len(fields), func(i, k int) { fields[i], fields[k] = fields[k], fields[i] })
		c.fields = fields
		next = append(next, c)
	}
	for i := range r.IntN(3) {
		next = append(next, randomComponent(r, fmt.Sprintf("Extra%d%d", i, r.IntN(1000))))
	}
	r.Shuffle(len(next), func(i, k int) { next[i], next[k] = next[k], next[i] })
	return next
}

// randomize gives a component random values.
func randomize(r *rand.Rand, v reflect.Value) {
	for i := 1; i < v.NumField(); i++ {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Bool:
			f.SetBool(r.IntN(2) == 0)
		case f.CanInt():
			f.SetInt(r.Int64() - math.MaxInt64/2)
		case f.CanUint():
			f.SetUint(r.Uint64())
		default:
			f.SetFloat(float64(float32(r.NormFloat64())))
		}
	}
}

// number returns a value as text that does not depend on its width.
func number(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Bool:
		return fmt.Sprint(v.Bool())
	case v.CanInt():
		return fmt.Sprint(v.Int())
	case v.CanUint():
		return fmt.Sprint(v.Uint())
	}
	return fmt.Sprint(v.Float())
}

func valueOf(w *World, e Entity, t reflect.Type) (reflect.Value, bool) {
	p := w.Netcode().Pointer(e, w.Protocol().Component(t))
	if p == nil {
		return reflect.Value{}, false
	}
	return reflect.NewAt(t, p).Elem(), true
}

func saveOf(t testing.TB, w *World) []byte {
	t.Helper()
	encode, err := w.Netcode().Save()
	if err != nil {
		t.Fatal(err)
	}
	return encode(nil)
}

// fill spawns and despawns random entities, and returns the live ones.
func fill(r *rand.Rand, w *World, g gameType, types map[string]reflect.Type) (live []Entity) {
	for _, c := range g {
		if c.single {
			for e, id := range netIDs(w) {
				if v, has := valueOf(w, e, types[c.name]); has && id > 0 {
					randomize(r, v)
				}
			}
		}
	}
	for range r.IntN(40) {
		var parts []any
		for _, c := range g {
			if !c.single && r.IntN(2) == 0 {
				v := reflect.New(types[c.name]).Elem()
				randomize(r, v)
				parts = append(parts, v.Interface())
			}
		}
		if r.IntN(2) == 0 {
			parts = append(parts, components.Owner{Client: r.Uint32N(4)})
		}
		live = append(live, w.Spawn(parts...))
	}
	for i := len(live) - 1; i >= 0; i-- {
		if r.IntN(4) == 0 {
			w.Despawn(live[i])
			live = append(live[:i], live[i+1:]...)
		}
	}
	for owner := range uint32(3) {
		w.Netcode().SetInputSequence(owner+1, r.Uint32())
	}
	w.Netcode().SetTick(r.Uint32() >> 4)
	return live
}

func netIDs(w *World) map[Entity]components.NetID {
	all := make(map[Entity]components.NetID)
	for t := range w.Netcode().Tables {
		for i, e := range t.Entities {
			all[e] = t.NetIDs[i]
		}
	}
	return all
}

// saveSeeds is the number of seeds of TestLoadInAnotherVersion.
const saveSeeds = 1000

// A save of a world loads in another version of its protocol: every value is the one of the same field, or its default, under
// the same handle. It loads in the version that wrote it without any difference.
func TestLoadInAnotherVersion(t *testing.T) {
	n := uint64(saveSeeds)
	if testing.Short() {
		n /= 10
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 31))
		var old gameType
		for i := range 1 + r.IntN(6) {
			old = append(old, randomComponent(r, fmt.Sprintf("C%d", i)))
		}
		p, types := old.build()
		w := NewWorld(p, Config{Seed: seed})
		live := fill(r, w, old, types)
		b := saveOf(t, w)

		again := NewWorld(p, Config{})
		fill(r, again, old, types)
		if err := again.Netcode().Load(b); err != nil {
			t.Fatalf("seed %d: its own save: %v", seed, err)
		}
		if text, differs := Differs(w, again); differs || again.Hash() != w.Hash() || again.Seed() != seed || again.Tick() != w.Tick() {
			t.Fatalf("seed %d: its own save: %v", seed, text)
		}
		if w.Spawn() != again.Spawn() {
			t.Fatalf("seed %d: the next spawn has another handle", seed)
		}

		next := old.changed(r)
		p2, types2 := next.build()
		v := NewWorld(p2, Config{})
		fill(r, v, next, types2)
		if err := v.Netcode().Load(b); err != nil {
			t.Fatalf("seed %d: %v\n%+v\n%+v", seed, err, old, next)
		}
		for _, e := range live {
			if !v.Alive(e) {
				t.Fatalf("seed %d: %v is dead", seed, e)
			}
			if owner := Get[components.Owner](w, e); owner != nil && *Get[components.Owner](v, e) != *owner {
				t.Fatalf("seed %d: %v has another owner", seed, e)
			}
		}
		for e := range netIDs(w) { // singletons, too
			checkVersion(t, seed, w, v, e, old, next, types, types2)
		}
		for _, e := range live {
			checkVersion(t, seed, w, v, e, old, next, types, types2)
		}
		for i, c := range Singletons(p2) {
			e, ok := v.ByNetID(components.NetID(1 + i))
			if !ok || v.Netcode().Pointer(e, c) == nil {
				t.Fatalf("seed %d: singleton %s is not entity %d", seed, c.Name, 1+i)
			}
		}
		seen := make(map[components.NetID]bool)
		for e, id := range netIDs(v) {
			if seen[id] || v.NetID(e) != id {
				t.Fatalf("seed %d: NetID %d", seed, id)
			}
			seen[id] = true
		}
		if id := v.NetID(v.Spawn(components.Owner{})); seen[id] || id == 0 {
			t.Fatalf("seed %d: a new entity has NetID %d", seed, id)
		}
	}
}

// checkVersion compares the components of an entity in both versions.
func checkVersion(t *testing.T, seed uint64, w, v *World, e Entity, old, next gameType, types, types2 map[string]reflect.Type) {
	t.Helper()
	for _, c := range next {
		var from *componentType
		for i := range old {
			if old[i].name == c.name || old[i].name == c.was {
				from = &old[i]
			}
		}
		if from == nil {
			continue
		}
		was, had := valueOf(w, e, types[from.name])
		is, has := valueOf(v, e, types2[c.name])
		if had != has {
			t.Fatalf("seed %d: %v: %s: had %v, has %v", seed, e, c.name, had, has)
		}
		if !had {
			continue
		}
		for _, f := range c.fields {
			want := "0"
			if f.preset != "" {
				want = f.preset
			}
			if f.kind == reflect.Bool {
				want = fmt.Sprint(want == "1")
			}
			for _, o := range from.fields {
				if o.name == f.was || f.was == "" && o.name == f.name {
					want = number(was.FieldByName(o.name))
				}
			}
			if got := number(is.FieldByName(f.name)); got != want {
				t.Fatalf("seed %d: %v: %s.%s is %s, want %s", seed, e, c.name, f.name, got, want)
			}
		}
	}
}

// oneField returns a protocol with one component.
func oneField(k reflect.Kind) gameType {
	return gameType{{name: "Health", fields: []fieldType{{name: "Max", kind: k}}}}
}

// A kind that cannot hold every saved value is refused, with names and kinds, and nothing changes.
func TestLoadRefusesOtherKinds(t *testing.T) {
	for _, from := range kindList {
		for _, to := range kindList {
			g := oneField(from)
			p, types := g.build()
			w := NewWorld(p, Config{})
			w.Spawn(reflect.New(types["Health"]).Elem().Interface())
			p2, types2 := oneField(to).build()
			v := NewWorld(p2, Config{Seed: 7})
			e := v.Spawn(reflect.New(types2["Health"]).Elem().Interface())
			err := v.Netcode().Load(saveOf(t, w))
			if savedKind(from).widensTo(savedKind(to)) {
				if err != nil {
					t.Errorf("%v to %v: %v", from, to, err)
				}
				continue
			}
			want := fmt.Sprintf("component Health, field Max: %v in the save, %v in this protocol", from, to)
			if !errors.Is(err, ErrState) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v to %v: %v", from, to, err)
			}
			if !v.Alive(e) || v.Seed() != 7 {
				t.Errorf("%v to %v: the world has changed", from, to)
			}
		}
	}
}

// The save of another game is refused with both names.
func TestLoadRefusesOtherGames(t *testing.T) {
	w, v := NewWorld(NewProtocol("chess/1"), Config{}), NewWorld(NewProtocol("go/1"), Config{})
	if err := v.Netcode().Load(saveOf(t, w)); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), `it is of "chess/1", and this is "go/1"`) {
		t.Error(err)
	}
}

// purse is a resource that saves contain.
type purse struct{ coins byte }

func (p *purse) MarshalBinary() ([]byte, error) {
	if p.coins == 99 {
		return nil, errors.New("sealed")
	}
	return []byte{p.coins}, nil
}

func (p *purse) UnmarshalBinary(b []byte) error {
	if len(b) != 1 {
		return errors.New("no purse")
	}
	p.coins = b[0]
	return nil
}

// A saved resource is given to the resource that the loaded world sets, and is kept until then.
func TestSavedResources(t *testing.T) {
	p := NewProtocol("resources")
	w := NewWorld(p, Config{})
	SetResource(w, &purse{7})
	SetResource(w, &struct{}{})
	b := saveOf(t, w)
	for range 2 {
		w = NewWorld(p, Config{})
		if err := w.Netcode().Load(b); err != nil {
			t.Fatal(err)
		}
		b = saveOf(t, w)
	}
	SetResource(w, &purse{1})
	if got := Resource[purse](w).coins; got != 7 {
		t.Errorf("%d coins", got)
	}
	if SetResource(w, &purse{1}); Resource[purse](w).coins != 1 {
		t.Error("the saved value came twice")
	}
	SetResource(w, &purse{99})
	if _, err := w.Netcode().Save(); err == nil || !strings.Contains(err.Error(), "purse: sealed") {
		t.Errorf("a resource that cannot be saved: %v", err)
	}
}

// Fields that refer to entities follow those that make room for a new singleton.
func TestReferencesFollow(t *testing.T) {
	type rope struct {
		To   components.NetID `net:"ref"`
		Hand uint32           `net:"ref"`
		N    uint32           `net:"raw"`
	}
	type knot struct{ At components.NetID }
	type score struct {
		Red int32 `net:"raw" save:"default 5"`
	}
	p := NewProtocol("ropes")
	Replicate[rope](p, 0)
	Local[knot](p, 0)
	w := NewWorld(p, Config{})
	e := w.Spawn(rope{}, knot{})
	id := w.NetID(e)
	*Get[rope](w, e), *Get[knot](w, e) = rope{id, uint32(id), uint32(id)}, knot{id}

	p2 := NewProtocol("ropes")
	Singleton[score](p2, 0)
	Replicate[rope](p2, 0)
	Local[knot](p2, 0)
	v := NewWorld(p2, Config{})
	if err := v.Netcode().Load(saveOf(t, w)); err != nil {
		t.Fatal(err)
	}
	now := v.NetID(e)
	if now == id || Single[score](v).Red != 5 {
		t.Fatalf("NetID %d, score %+v", now, Single[score](v))
	}
	if r, k := *Get[rope](v, e), *Get[knot](v, e); r != (rope{now, uint32(now), uint32(id)}) || k.At != now {
		t.Errorf("%+v %+v, want NetID %d", r, k, now)
	}
}

func TestSaveTagsAreChecked(t *testing.T) {
	type unknown struct {
		A int8 `save:"old B"`
	}
	type odd struct {
		A int8 `save:"was"`
	}
	type wide struct {
		A int8 `save:"default 300"`
	}
	type outer struct {
		A struct{ B int8 } `save:"default 3"`
	}
	for _, add := range []func(*Protocol){
		func(p *Protocol) { Local[unknown](p, 0) }, func(p *Protocol) { Local[odd](p, 0) },
		func(p *Protocol) { Local[wide](p, 0) }, func(p *Protocol) { Local[outer](p, 0) },
	} {
		func() {
			defer func() {
				if err := fmt.Sprint(recover()); !strings.Contains(err, "bad save tag") {
					t.Errorf("accepted, or: %s", err)
				}
			}()
			add(NewProtocol("tags"))
		}()
	}
}

// The save of a version that renames twice, in nested fields and arrays.
func TestEarlierNames(t *testing.T) {
	type place struct{ X, Y int16 }
	type Ship struct {
		Pos  place
		Guns [2]struct{ Ammo uint8 }
	}
	w := NewWorld(func() *Protocol { p := NewProtocol("ships/1"); Local[Ship](p, 0); return p }(), Config{})
	s := Ship{Pos: place{3, -4}}
	s.Guns[1].Ammo = 200
	e := w.Spawn(s)
	type vessel struct {
		_     struct{} `save:"was Boat was Ship"`
		Where struct {
			East, Y int32 `save:"was X"`
		} `save:"was Place was Pos"`
		Guns [3]struct {
			Shells uint16 `save:"was Ammo"`
			Calm   bool   `save:"default true"`
		}
	}
	v := NewWorld(func() *Protocol { p := NewProtocol("ships/3"); Local[vessel](p, 0); return p }(), Config{})
	if err := v.Netcode().Load(saveOf(t, w)); err != nil {
		t.Fatal(err)
	}
	got := *Get[vessel](v, e)
	if got.Where.East != 3 || got.Where.Y != -4 || got.Guns[1].Shells != 200 || !got.Guns[2].Calm || !got.Guns[0].Calm {
		t.Errorf("%+v", got)
	}
}

// Bytes that end early, or with a byte more or another one, are refused without a change, or are a save.
func TestLoadOfDamagedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := gameType{randomComponent(r, "A"), randomComponent(r, "B"), {name: "One", single: true}}
	p, types := g.build()
	w := NewWorld(p, Config{})
	fill(r, w, g, types)
	b := saveOf(t, w)
	v := NewWorld(p, Config{})
	before := v.Hash()
	for n := range b {
		if err := v.Netcode().Load(b[:n]); !errors.Is(err, ErrState) || v.Hash() != before {
			t.Fatalf("%d bytes of %d: %v", n, len(b), err)
		}
	}
	if err := v.Netcode().Load(append(b, 0)); !errors.Is(err, ErrState) || v.Hash() != before {
		t.Fatalf("a byte too many: %v", err)
	}
	for n := range b {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := append([]byte(nil), b...)
			bad[n] ^= flip
			if err := NewWorld(p, Config{}).Netcode().Load(bad); err != nil && !errors.Is(err, ErrState) {
				t.Fatal(err)
			}
		}
	}
}

// FuzzLoad loads any bytes. Afterwards the world can be walked, changed, saved and captured.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := gameType{randomComponent(r, "A"), randomComponent(r, "B"), {name: "One", single: true, fields: []fieldType{{name: "F0", kind: reflect.Int8}}}}
		p, types := g.build()
		w := NewWorld(p, Config{})
		fill(r, w, g, types)
		f.Add(saveOf(f, w))
	}
	g := gameType{
		{name: "A", fields: []fieldType{{name: "F0", kind: reflect.Int64}, {name: "F1", kind: reflect.Bool, preset: "true"}}},
		{name: "C", was: "B", local: true, fields: []fieldType{{name: "F2", kind: reflect.Float64, was: "F0"}}},
		{name: "Two", single: true, fields: []fieldType{{name: "F0", kind: reflect.Uint8}}},
		{name: "One", single: true, fields: []fieldType{{name: "F0", kind: reflect.Int16}}},
	}
	p, types := g.build()
	p.frozen.Store(true)
	f.Fuzz(func(t *testing.T, b []byte) {
		w := NewWorld(p, Config{})
		if err := w.Netcode().Load(b); err != nil && !errors.Is(err, ErrState) {
			t.Fatal(err)
		}
		again := NewWorld(p, Config{})
		if err := again.Netcode().Load(saveOf(t, w)); err != nil {
			t.Fatalf("its own save: %v", err)
		}
		if _, differs := Differs(w, again); differs {
			t.Fatal("its own save is another one")
		}
		h := NewWorldHistory(w, 1)
		h.Capture(1)
		for e := range netIDs(w) {
			if Get[components.Owner](w, e) != nil {
				w.Despawn(e)
			}
		}
		w.Spawn(reflect.New(types["A"]).Elem().Interface())
		if err := h.Restore(1); err != nil {
			t.Fatal(err)
		}
	})
}

// A component that lost all its fields or got its first one loads, and so do the components after it.
func TestLoadOfEmptyComponents(t *testing.T) {
	type marked struct{}
	type counted struct {
		_ struct{} `save:"was marked"`
		N int16    `save:"default 4"`
	}
	type last struct{ N uint8 }
	type marked3 struct {
		_ struct{} `save:"was counted"`
	}
	world := func(first func(*Protocol)) *World {
		p := NewProtocol("empty")
		first(p)
		Local[last](p, 0)
		return NewWorld(p, Config{})
	}
	w := world(func(p *Protocol) { Local[marked](p, 0) })
	e, f := w.Spawn(marked{}, last{7}), w.Spawn(marked{}, last{8})
	for range 100 {
		w.Spawn(marked{})
	}
	v := world(func(p *Protocol) { Local[counted](p, 0) })
	if err := v.Netcode().Load(saveOf(t, w)); err != nil || Get[counted](v, e).N != 4 || Get[last](v, f).N != 8 {
		t.Errorf("a first field: %v", err)
	}
	w = world(func(p *Protocol) { Local[marked3](p, 0) })
	if err := w.Netcode().Load(saveOf(t, v)); err != nil || !Has[marked3](w, e) || Get[last](w, f).N != 8 {
		t.Errorf("no field left: %v", err)
	}
}
