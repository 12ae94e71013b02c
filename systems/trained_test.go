package systems

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/train"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// school is a plaza in which a few entities walk and change color.
type school struct {
	*game
	rng *rand.Rand
	all []ecs.Entity
}

func newSchool(t testing.TB, seed uint64, c ServerConfig) *school {
	s := &school{game: newGame(t, peopled, c), rng: rand.New(rand.NewPCG(seed, 1))}
	for n := range 150 {
		s.all = append(s.all, s.server.World().Spawn(place{X: float32(n), Y: float32(seed)}, tint{uint8(n)}))
	}
	return s
}

// teach runs a number of ticks.
func (s *school) teach(ticks int) {
	for range ticks {
		for range 10 {
			e := s.all[s.rng.IntN(40)]
			ecs.Get[place](s.server.World(), e).X += float32(s.rng.IntN(5)) / 10
			if s.rng.IntN(10) == 0 {
				ecs.Get[tint](s.server.World(), e).Color ^= 1
			}
		}
		s.step()
	}
}

// learned returns the statistics of a match with a seed.
func learned(t testing.TB, seed uint64) *delta.Trained {
	t.Helper()
	var out bytes.Buffer
	s := newSchool(t, seed, ServerConfig{Snapshots: Snapshots{SendRate: 20, Record: &out}})
	s.teach(600)
	r, err := delta.NewRecording(&out)
	if err != nil {
		t.Fatal(err)
	}
	priors := train.NewTrainer(r.Layout())
	var sends [][]delta.Group
	for {
		groups, err := r.Next(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sends = append(sends, groups)
	}
	if len(sends) != 200 {
		t.Fatalf("%d sends were recorded", len(sends))
	}
	for n := 4; n < len(sends); n++ {
		var parts []delta.Part
		for g := range sends[n-3] {
			parts = append(parts, delta.Part{Cur: &sends[n][g], Base: &sends[n-3][g], Slots: ^uint64(0)})
		}
		priors.Add(parts)
	}
	return delta.NewTrained(r.Layout(), priors.Prior())
}

// other returns statistics for another layout.
func other() *delta.Trained {
	return delta.NewTrained(delta.NewLayout([]*schema.Table{nil}, 3, 20), nil)
}

// A trained model that both ends have makes snapshots smaller. If the models differ, both ends use the built-in one, each logs
// this once with both hashes, and the match is the same.
func TestTrainedIsAgreedOn(t *testing.T) {
	t.Parallel()
	same, another := learned(t, 1), learned(t, 2)
	if same.Hash() == another.Hash() {
		t.Fatal("two matches teach the same")
	}
	file := same.Append(nil)
	file[len(file)/2] ^= 1
	plain := 0.0
	for _, test := range []struct {
		name           string
		server, client *delta.Trained
		used           bool
		logs           string
	}{
		{"none", nil, nil, false, ""},
		{"same", same, LoadTrained(same.Append(nil), nil), true, ""},
		{"different", same, another, false, "trained otherwise"},
		{"server alone", same, nil, false, "trained otherwise"},
		{"client alone", nil, same, false, "trained otherwise"},
		{"corrupt file", same, LoadTrained(file, nil), false, "trained otherwise"},
		{"other layout", other(), other(), false, "another protocol"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var logs [2]bytes.Buffer
			s := newSchool(t, 3, ServerConfig{Snapshots: Snapshots{Trained: test.server}, Logger: logTo(&logs[0])})
			for range 3 {
				s.join(ClientConfig{Session: ClientSession{Trained: test.client}, Gather: gatherPush(), Logger: logTo(&logs[1])}, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.05})
			}
			s.connect()
			s.teach(60)
			before := s.server.Stats()
			s.teach(150)
			after := s.server.Stats()
			size := float64(after.Snapshots.Bytes-before.Snapshots.Bytes) / float64(after.Updates-before.Updates)
			switch {
			case test.name == "none":
				plain = size
			case test.used && size > 0.97*plain:
				t.Errorf("%.1f bytes an update, %.1f without", size, plain)
			case !test.used && size != plain:
				t.Errorf("%.1f bytes an update, %.1f with what is built in", size, plain)
			}
			for side, want := range []int{1, 3} { // once for the server, once for each client
				if test.logs == "" {
					want = 0
				}
				out := logs[side].String()
				if n := strings.Count(out, "built in: "); n != want {
					t.Errorf("side %d tells %d times, want %d:\n%s", side, n, want, out)
				}
				for _, h := range []uint64{test.server.Hash(), test.client.Hash()} {
					if want > 0 && h != 0 && !strings.Contains(out, fmt.Sprintf("%016x", h)) {
						t.Errorf("side %d does not tell %016x:\n%s", side, h, out)
					}
				}
			}
			s.mustConverge()
			for _, c := range s.clients {
				if n := c.Stats().MalformedMessages; n != 0 {
					t.Errorf("%d messages refused", n)
				}
			}
		})
	}
}

func logTo(out *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(out, nil)) }

// A server serves clients with its trained model and clients without it at the same time.
func TestTrainedAndUntrainedTogether(t *testing.T) {
	t.Parallel()
	trained := learned(t, 1)
	s := newSchool(t, 3, ServerConfig{Snapshots: Snapshots{Trained: trained, Budget: 400}})
	for n := range 4 {
		c := ClientConfig{Gather: gatherPush()}
		if n%2 == 0 {
			c.Session.Trained = trained
		}
		s.join(c, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.2})
	}
	s.connect()
	s.teach(300)
	s.mustConverge()
	for i, c := range s.clients {
		if n := c.Stats().MalformedMessages; n != 0 {
			t.Errorf("client %d refused %d messages", i, n)
		}
	}
}

// LoadTrained logs a damaged file and returns nil.
func TestLoadTrained(t *testing.T) {
	good := other().Append(nil)
	for cut := range good {
		var out bytes.Buffer
		if got := LoadTrained(good[:cut], logTo(&out)); got != nil || !strings.Contains(out.String(), "left out") {
			t.Fatalf("%d bytes of %d: %v, %s", cut, len(good), got, out.String())
		}
	}
	if got := LoadTrained(good, nil); got.Hash() != other().Hash() {
		t.Errorf("hash %x", got.Hash())
	}
}

// limited is a writer that fails after a number of bytes.
type limited int

var errFull = errors.New("disk full")

func (l *limited) Write(b []byte) (int, error) {
	if *l -= limited(len(b)); *l < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// A recording that fails ends, is logged once, and does not disturb the match.
func TestRecordingFails(t *testing.T) {
	for _, room := range []limited{0, 5000} {
		var out bytes.Buffer
		s := newSchool(t, 1, ServerConfig{Snapshots: Snapshots{SendRate: 20, Record: &room}, Logger: logTo(&out)})
		s.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
		s.connect()
		s.teach(300)
		s.mustConverge()
		if n := strings.Count(out.String(), "recording ended"); n != 1 || !strings.Contains(out.String(), "disk full") {
			t.Errorf("told %d times:\n%s", n, out.String())
		}
	}
}

// Owner-only components are not recorded.
func TestRecordingHasNoPrivateState(t *testing.T) {
	var out bytes.Buffer
	protocol := func() *ecs.Protocol {
		p := plazaParts("plaza/secret")
		ecs.Replicate[secret](p, ecs.OwnerOnly)
		ecs.Input[push](p)
		return p
	}
	g := newGame(t, protocol, ServerConfig{Snapshots: Snapshots{SendRate: 20, Record: &out}})
	g.server.World().Spawn(components.Owner{Client: 1}, place{}, secret{1 << 20})
	g.run(30)
	r, err := delta.NewRecording(&out)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := r.Next(nil)
	if err != nil || groups[0].Alive == 0 {
		t.Fatalf("%v, %d groups", err, len(groups))
	}
	if mask := groups[0].Masks[trailing(groups[0].Alive)]; mask&wire.Private(protocol()) != 0 {
		t.Errorf("components %#x", mask)
	}
}

type secret struct {
	Gold uint32 `net:"0..16777215"`
}
