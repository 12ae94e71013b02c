package systems

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

const snapshotVectorFile = "testdata/snapshot_messages.json"

var update = flag.Bool("update", false, "write the vectors to testdata")

// snapshotVectors are messages to a client, for other implementations of docs/spec/wire-format.md.
type snapshotVectors struct {
	Protocol []string // lines
	Welcome  string   // in hexadecimal
	Seed     uint64
	Ticks    uint16
	Sends    uint16
	Tick     uint32
	Messages []snapshotVector
}

// snapshotVector is a snapshot message.
type snapshotVector struct {
	Send, Input uint16
	Control     *controlVector `json:",omitempty"`
	Join        *joinVector    `json:",omitempty"`
	Timing      uint32         `json:",omitempty"`
	Blocks      []blockVector
	Hex         string
}

type controlVector struct {
	Epoch, Depth uint8
	Shift        int16
	Floor        uint32
}

type joinVector struct {
	Back, Pieces uint32
	Hides        bool `json:",omitempty"`
	Late         uint8
}

// blockVector is a block. Told has its entities in their order.
type blockVector struct {
	Own     bool    `json:",omitempty"`
	Piece   *uint32 `json:",omitempty"`
	Missing uint32  `json:",omitempty"`
	Age     uint32
	Second  bool `json:",omitempty"`
	Coder   uint8
	Set     *wire.Set `json:",omitempty"`
	Body    string
	Told    toldVector
}

type toldVector struct {
	Hidden   string `json:",omitempty"`
	Entities []entityVector
}

type entityVector struct {
	Slot   int
	ID     uint32
	Mask   uint64
	Record []int32
}

// coffer is an owner-only component.
type coffer struct {
	Coins uint16 `net:"raw"`
}

// course is a component that moves along lines.
type course struct {
	X float32 `net:"-64..64 step 0.0078125 axis x lines 0.0625"`
	Y float32 `net:"-64..64 step 0.0078125 axis y lines 0.0625"`
}

func bazaar() *ecs.Protocol {
	p := plazaParts("bazaar/1")
	ecs.Replicate[coffer](p, ecs.OwnerOnly)
	ecs.Replicate[course](p, ecs.Interpolated)
	ecs.Input[push](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{X: 3}, shots{Count: 5}, coffer{Coins: 77}, push{})
	})
	return p
}

// makeSnapshotVectors plays a match in which 24 entities are there when a client
// joins, and move, change, come and go while it plays.
func makeSnapshotVectors(t *testing.T, budget, ticks int, hides bool) *snapshotVectors {
	var others []ecs.Entity
	var g *game
	config, link, crowd := ServerConfig{Seed: 7, Snapshots: Snapshots{SendRate: 20, Budget: budget}}, netsys.Link{}, 24
	if hides { // one entity is in sight for a few ticks at a time, less than an acknowledgement takes
		config.Snapshots.Interest = seenIf(func(e ecs.Entity, _ uint32) bool { return e != others[5] || g.server.World().Tick()%16 < 4 })
		config.Snapshots.SendRate, link.Latency, crowd = 0, 60*time.Millisecond, 50
	}
	g = newGame(t, bazaar, config)
	for i := range crowd {
		others = append(others, g.server.World().Spawn(place{X: float32(i), Y: float32(i * i % 50)}, tint{Color: uint8(7 * i)}, course{Y: float32(i)}))
	}
	g.run(9)
	var messages [][]byte
	g.overhear(func(_ uint32, b []byte) { messages = append(messages, bytes.Clone(b)) })
	k := g.join(ClientConfig{Session: ClientSession{Random: netsys.SeededRandom(5)}}, link)
	for n := range ticks {
		w := g.server.World()
		for i, e := range others {
			if c := ecs.Get[course](w, e); c != nil {
				c.X += float32(i%5) / 16
				if n > 20 && i%3 == 0 {
					c.X -= float32(i%5) / 8
				}
			}
			if c := ecs.Get[place](w, e); c != nil && budget > 0 && n > ticks/2 { // more than fits
				c.X, c.Y = float32(n*(i+7)%50), float32(n*(i+3)%49)
			}
			if c := ecs.Get[tint](w, e); c != nil && (n+i)%11 == 0 {
				c.Color = uint8((n + i) % 200)
			}
		}
		switch n {
		case 18:
			w.Despawn(others[3])
		case 24:
			others = append(others, w.Spawn(place{X: -9}, tint{}))
		}
		if hides {
			decide(w, others[5])
		}
		g.step()
	}
	v := &snapshotVectors{Protocol: g.protocol().Lines(), Welcome: hex.EncodeToString(k.link.endpoint.Welcome())}
	m, err := wire.ReadWelcome(k.link.endpoint.Welcome())
	if err != nil {
		t.Fatal(err)
	}
	v.Seed, v.Ticks, v.Sends, v.Tick = m.Seed, m.TickRate, m.SendRate, m.Tick
	reader := newVectorReader(t, m)
	for _, b := range messages {
		v.Messages = append(v.Messages, reader.read(b))
	}
	return v
}

// vectorReader reads messages to a client as the document says. Package snapshot decodes only the bodies of blocks.
type vectorReader struct {
	t       *testing.T
	world   *delta.Model
	own     *delta.Model
	sets    map[uint32][]entityVector // by send, in the order of masks and ids
	ownSets map[uint32][]entityVector // the same of owner state
	newest  uint32
	decoder delta.Decoder
}

func newVectorReader(t *testing.T, m wire.Welcome) *vectorReader {
	tables := wire.Tables(bazaar())
	n, rate := int(m.TickRate/m.SendRate), int(m.SendRate)
	return &vectorReader{
		t: t, world: delta.NewModel(delta.NewLayout(tables, n, rate), nil), own: delta.NewModel(delta.NewRawLayout(tables, n, rate), nil),
		sets: map[uint32][]entityVector{}, ownSets: map[uint32][]entityVector{}, newest: m.Tick / uint32(n),
	}
}

// varint reads a varint, and u16 a number of two bytes.
func (x *vectorReader) varint(b *[]byte) (v uint32) {
	for shift := 0; ; shift += 7 {
		c := (*b)[0]
		*b = (*b)[1:]
		if v |= uint32(c&0x7f) << shift; c < 0x80 {
			return v
		}
	}
}

func u16(b *[]byte) uint16 {
	v := uint16((*b)[0]) | uint16((*b)[1])<<8
	*b = (*b)[2:]
	return v
}

func u8(b *[]byte) uint8 {
	v := (*b)[0]
	*b = (*b)[1:]
	return v
}

func (x *vectorReader) read(b []byte) snapshotVector {
	v := snapshotVector{Hex: hex.EncodeToString(b)}
	flags := u8(&b)
	if flags&^0x70 != 2 {
		x.t.Fatalf("flags %#x", flags)
	}
	v.Send, v.Input = u16(&b), u16(&b)
	if flags&0x10 != 0 {
		v.Control = &controlVector{Epoch: u8(&b), Depth: u8(&b), Shift: int16(u16(&b)), Floor: x.varint(&b)}
	}
	send := x.newest + uint32(int32(int16(v.Send-uint16(x.newest))))
	x.newest = max(x.newest, send)
	joined := send
	if flags&0x20 != 0 {
		v.Join = &joinVector{Back: x.varint(&b)}
		pieces := x.varint(&b)
		v.Join.Pieces, v.Join.Hides = pieces>>1, pieces&1 != 0
		if v.Join.Back > 0 {
			v.Join.Late = u8(&b)
		}
		joined -= v.Join.Back
	}
	if flags&0x40 != 0 {
		v.Timing = x.varint(&b)
	}
	age := uint32(0)
	for len(b) > 0 {
		var k blockVector
		k, b = x.block(b, age, send, joined)
		age = k.Age
		v.Blocks = append(v.Blocks, k)
	}
	return v
}

func (x *vectorReader) block(b []byte, age, send, joined uint32) (blockVector, []byte) {
	flags := u8(&b)
	v := blockVector{Coder: flags & 3, Second: flags&4 != 0, Own: flags>>6 == 3, Age: age}
	switch flags >> 6 {
	case 1:
		v.Missing = x.varint(&b)
	case 2:
		piece := x.varint(&b)
		v.Piece = &piece
	}
	if flags&8 == 0 {
		v.Age = x.varint(&b)
	}
	size := len(b)
	if flags&16 == 0 {
		size = int(x.varint(&b))
	}
	if flags&32 != 0 {
		v.Set = &wire.Set{}
	}
	if v.Own {
		x.body(&v, b[:size], send, x.own, x.ownSets)
	} else {
		x.body(&v, b[:size], joined, x.world, x.sets)
	}
	return v, b[size:]
}

// body reads the set and the body of a block.
func (x *vectorReader) body(v *blockVector, body []byte, send uint32, model *delta.Model, sets map[uint32][]entityVector) {
	flags, set := uint8(0), wire.Set{}
	if v.Set != nil {
		flags = u8(&body)
	}
	if flags&8 != 0 {
		id := uint32(0)
		for n := x.varint(&body); n > 0; n-- {
			id += x.varint(&body)
			set.Less = append(set.Less, id)
		}
		sets[send-v.Age] = slices.DeleteFunc(sets[send-v.Age], func(e entityVector) bool { return slices.Contains(set.Less, e.ID) })
	}
	if flags&2 != 0 {
		for n := x.varint(&body); n > 0; n-- {
			set.Runs = append(set.Runs, x.varint(&body))
		}
	}
	if flags&1 != 0 {
		for n := x.varint(&body); n > 0; n-- {
			k := x.varint(&body)
			set.News = append(set.News, wire.NewEntity{After: k >> 1, Spawned: k&1 != 0})
		}
	}
	if flags&4 != 0 {
		id := uint32(0)
		for n := x.varint(&body); n > 0; n-- {
			k := x.varint(&body)
			id += k >> 1
			set.Gone = append(set.Gone, wire.GoneEntity{ID: id, Hidden: k&1 != 0})
		}
	}
	if v.Set != nil {
		*v.Set = set
	}
	v.Body = hex.EncodeToString(body)
	// Which entities of the baseline are in the block, and where the new ones are among them.
	var union []*entityVector
	runs, in, left := set.Runs, true, uint32(0)
	if len(runs) > 0 {
		left, runs = runs[0], runs[1:]
	} else {
		left = ^uint32(0)
	}
	base := sets[send-v.Age]
	for i := 0; i < len(base) && v.Age > 0; {
		if left == 0 {
			if in, left = !in, ^uint32(0); len(runs) > 0 {
				left, runs = runs[0], runs[1:]
			}
			continue
		}
		if in {
			union = append(union, &base[i])
		}
		left--
		i++
	}
	at := 0
	for _, n := range set.News {
		at += int(n.After)
		union = slices.Insert(union, at, nil)
		at++
	}
	find := func(of []entityVector, e *entityVector) *entityVector {
		for i := range of {
			if of[i].ID == e.ID && of[i].Mask == e.Mask {
				return &of[i]
			}
		}
		return nil
	}
	put := func(g *delta.Group, k int, e *entityVector) {
		if e == nil {
			g.Clear(k, false)
			return
		}
		copy(g.Put(k, e.ID, e.Mask, len(e.Record)), e.Record)
	}
	var parts []delta.Part
	for i, e := range union {
		k := i % 64
		if k == 0 {
			p := delta.Part{Cur: &delta.Group{Send: send}}
			if v.Age > 0 {
				p.Base = &delta.Group{Send: send - v.Age}
			}
			if v.Second {
				p.Base2 = &delta.Group{Send: send - v.Age - 1}
			}
			parts = append(parts, p)
		}
		p := &parts[i/64]
		p.Slots |= 1 << k
		if v.Age > 0 {
			put(p.Base, k, e)
		}
		if v.Second {
			if e != nil {
				e = find(sets[send-v.Age-1], e)
			}
			put(p.Base2, k, e)
		}
	}
	if len(parts) > 0 {
		if err := x.decoder.Decode(body, delta.Coder(v.Coder), model, parts); err != nil {
			x.t.Fatal(err)
		}
	}
	told := toldVector{Entities: []entityVector{}}
	for i := range union {
		p, k := parts[i/64].Cur, i%64
		if p.Alive>>k&1 != 0 {
			told.Entities = append(told.Entities, entityVector{i, p.IDs[k], p.Masks[k], p.Record(k)})
		} else if p.Hidden>>k&1 != 0 {
			told.Hidden += fmt.Sprintf("%d ", union[i].ID)
		}
	}
	v.Told = told
	sets[send] = append(sets[send], told.Entities...)
	slices.SortFunc(sets[send], func(a, b entityVector) int { return cmp.Or(cmp.Compare(a.Mask, b.Mask), cmp.Compare(a.ID, b.ID)) })
}

// bytes encodes a message again, with the functions of the server.
func (v *snapshotVector) bytes(t *testing.T) []byte {
	h := wire.SnapshotHeader{Send: v.Send, Input: v.Input, Timing: v.Timing}
	if c := v.Control; c != nil {
		h.Control, h.Epoch, h.Depth, h.Shift, h.Floor = true, c.Epoch, c.Depth, c.Shift, c.Floor
	}
	if j := v.Join; j != nil {
		h.Join, h.Back, h.Pieces, h.Hides, h.Joined = true, j.Back, j.Pieces, j.Hides, j.Late
	}
	b := wire.AppendSnapshotHeader(nil, &h)
	age := uint32(0)
	for i, k := range v.Blocks {
		body, err := hex.DecodeString(k.Body)
		if err != nil {
			t.Fatal(err)
		}
		head := wire.BlockHead{Own: k.Own, Age: k.Age, Two: k.Second, Missing: k.Missing, Coder: delta.Coder(k.Coder), Set: k.Set != nil}
		if k.Piece != nil {
			head.Piece, head.Number = true, *k.Piece
		}
		if k.Set != nil {
			body = append(k.Set.Append(nil), body...)
		}
		b = append(head.Append(b, age, len(body), i == len(v.Blocks)-1), body...)
		age = k.Age
	}
	return b
}

// The committed messages decode to the values beside them, and encode to the same bytes. Run with -update after an intended
// change.
func TestSnapshotVectors(t *testing.T) {
	if *update {
		all := []*snapshotVectors{
			makeSnapshotVectors(t, 0, 40, false), makeSnapshotVectors(t, 200, 80, false), makeSnapshotVectors(t, 0, 60, true), makeSnapshotVectors(t, 200, 80, true),
		}
		file, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range []string{`{"Protocol"`, `{"Send"`, `{"Slot"`} {
			file = bytes.ReplaceAll(file, []byte(head), []byte("\n"+head))
		}
		if err := os.WriteFile(snapshotVectorFile, append(file, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(snapshotVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []snapshotVectors
	if err := json.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range all {
		checkSnapshotVectors(t, &v, seen)
	}
	for _, want := range []string{"join with this send", "join with an older send", "own", "own, with a baseline", "a baseline", "set", "set with runs", "set with news", "set with gone entities", "hidden", "no control"} {
		if !seen[want] {
			t.Errorf("among the vectors is none of: %s", want)
		}
	}
}

// The message that the document explains is the committed message that it names.
func TestSnapshotVectorOfTheDocument(t *testing.T) {
	page, err := os.ReadFile("../docs/spec/wire-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "This is a whole message")
	var spelled strings.Builder
	for line := range strings.Lines(rest) {
		if b, _, hex := strings.Cut(strings.TrimPrefix(line, "    "), "  "); hex && strings.HasPrefix(line, "    ") {
			spelled.WriteString(strings.ReplaceAll(b, " ", ""))
		} else if spelled.Len() > 0 {
			break
		}
	}
	file, err := os.ReadFile(snapshotVectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []snapshotVectors
	if err := json.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	if want := all[0].Messages[2].Hex; !ok || spelled.String() != want {
		t.Errorf("spelled out is %s, not %s", &spelled, want)
	}
}

func checkSnapshotVectors(t *testing.T, v *snapshotVectors, seen map[string]bool) {
	b, err := hex.DecodeString(v.Welcome)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.ReadWelcome(b)
	if err != nil || m.Seed != v.Seed || m.TickRate != v.Ticks || m.SendRate != v.Sends || m.Tick != v.Tick || !bytes.Equal(m.Append(nil), b) {
		t.Fatalf("welcome %+v: %v", m, err)
	}
	if lines := bazaar().Lines(); !slices.Equal(v.Protocol, lines) {
		t.Errorf("the vectors are of %q, not of %q", v.Protocol, lines)
	}
	reader := newVectorReader(t, m)
	for _, want := range v.Messages {
		msg, err := hex.DecodeString(want.Hex)
		if err != nil {
			t.Fatal(err)
		}
		got := reader.read(msg)
		x, _ := json.Marshal(got)
		y, _ := json.Marshal(want)
		if !bytes.Equal(x, y) {
			t.Errorf("send %d reads as\n%s, not as\n%s", want.Send, x, y)
		}
		if again := want.bytes(t); !bytes.Equal(again, msg) {
			t.Errorf("send %d is written as\n%x, not as\n%x", want.Send, again, msg)
		}
		var r codec.ByteReader
		r.Reset(msg)
		if h, err := wire.ReadSnapshotHeader(&r); err != nil || h.Send != want.Send {
			t.Errorf("send %d: the client reads %+v: %v", want.Send, h, err)
		}
		seen["no control"] = seen["no control"] || want.Control == nil
		seen["join with this send"] = seen["join with this send"] || want.Join != nil && want.Join.Back == 0
		seen["join with an older send"] = seen["join with an older send"] || want.Join != nil && want.Join.Back > 0
		for _, k := range want.Blocks {
			seen["own"] = seen["own"] || k.Own
			seen["own, with a baseline"] = seen["own, with a baseline"] || k.Own && k.Age > 0
			seen["a baseline"] = seen["a baseline"] || !k.Own && k.Age > 0
			if k.Set != nil {
				seen["set"] = true
				seen["set with runs"] = seen["set with runs"] || len(k.Set.Runs) > 0
				seen["set with news"] = seen["set with news"] || len(k.Set.News) > 0
				seen["set with gone entities"] = seen["set with gone entities"] || len(k.Set.Gone) > 0
			}
			seen["hidden"] = seen["hidden"] || k.Told.Hidden != ""
		}
	}
}
