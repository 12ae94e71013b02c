package snapshot_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Item is an element of a list.
type Item struct {
	Kind  uint8  `net:"enum 5"`
	Count uint16 `net:"0..999"`
}

// Kinds has a field of every kind that travels.
type Kinds struct {
	Name   components.Text[[16]byte]
	Bag    components.List[Item, [4]Item]
	Target components.NetID `net:"ref"`
	State  uint8            `net:"enum 3"`
	Traits uint16           `net:"flags 9"`
	Facing float32          `net:"degrees 0.5"`
	Dir    [3]float32       `net:"unit 10"`
	Rot    [4]float32       `net:"quat 9"`
	Money  float64          `net:"-512..512 step 0.0625"`
	Big    int64            `net:"raw"`
	On     bool
}

func kinds(p *ecs.Protocol) {
	ecs.Replicate[Kinds](p, ecs.Interpolated)
	p.Authority("stir", func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ K *Kinds }](w) {
			if (w.Tick()+uint32(w.NetID(e)))%20 == 0 {
				stir(w, e, r.K)
			}
		}
	})
}

// stir changes every field at random.
func stir(w *ecs.World, e ecs.Entity, k *Kinds) {
	draw := w.Rand(e)
	names := []string{"", "Ada", "Ägypten", "sixteen bytes ok", "longer than sixteen bytes"}
	k.Name.Set(names[draw.IntN(len(names))])
	if draw.IntN(3) == 0 {
		k.Bag.Clear()
	}
	k.Bag.Append(Item{Kind: uint8(draw.IntN(5)), Count: uint16(draw.IntN(1000))})
	k.Target = components.NetID(1 + draw.IntN(40)) // some are not there, or not yet
	k.State, k.Traits, k.On = uint8(draw.IntN(3)), uint16(draw.IntN(512)), draw.IntN(2) == 0
	k.Facing = float32(draw.Float64() * 360)
	s, c := math.Sincos(draw.Float64() * 2 * math.Pi)
	k.Dir = [3]float32{float32(c), float32(s), 0}
	s, c = math.Sincos(draw.Float64() * math.Pi)
	k.Rot = [4]float32{float32(s), 0, 0, float32(c)}
	k.Money = draw.Float64()*512 - 256
	k.Big = int64(draw.Uint64())
}

// Every kind of field arrives as it was sent over a bad link, with entities that spawn and despawn. A reference finds its
// entity as soon as the client has it.
func TestFieldsOfEveryKindArrive(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		config := fieldtest.Config(seed, 2, systemstest.RoundTrip(100*time.Millisecond, 30*time.Millisecond, 0.15))
		config.Protocol = fieldtest.ProtocolWith(kinds)
		config.Populate = func(w *ecs.World) {
			for range 20 {
				w.Spawn(Kinds{})
			}
		}
		crowd := systemstest.New(t, config)
		crowd.Connect()
		crowd.OnServerTick(func() {
			if w := crowd.Server.World(); crowd.Server.Tick()%50 == 0 && crowd.Server.Tick() < 400 {
				w.Spawn(Kinds{})
			}
		})
		crowd.Run(10 * time.Second)
		fieldtest.MustConverge(crowd)
		server := crowd.Server.World()
		for _, k := range crowd.Clients {
			for e, r := range ecs.All[struct{ K Kinds }](k.World()) {
				se, _ := server.ByNetID(k.World().NetID(e))
				truth := ecs.Get[Kinds](server, se)
				if r.K.Target != truth.Target || r.K.State >= 3 {
					continue // changed again since the newest snapshot
				}
				_, there := server.ByNetID(r.K.Target)
				if _, known := k.World().ByNetID(r.K.Target); known != there {
					t.Errorf("%v: entity %d refers to %d, which is there %v and known %v", k, k.World().NetID(e), r.K.Target, there, known)
				}
			}
		}
	})
}
