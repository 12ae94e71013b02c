package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/frames"
)

// delay is the number of frames until the sender receives an acknowledgement.
const delay = 6

// classes are the possible ages of baselines in frames.
var classes = []int{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// variant is a configuration of the sender.
type variant struct {
	name   string
	about  string
	parent bool
	prior  bool
	only   delta.Coders
	loss   float64
}

var variants = []variant{
	{name: "", about: "trained prior, smallest coder", parent: true, prior: true},
	{name: "zstd_only", about: "without the range coder", parent: true, prior: true, only: delta.ZstdOnly},
	{name: "no_parent", about: "without the reference to the cube that they stick to", prior: true},
	{name: "untrained", about: "the built-in prior", parent: true},
	{name: "lossy", about: "30 % of packets and of acknowledgements are lost", parent: true, prior: true, loss: 0.3},
}

// result has the figures of a variant.
type result struct {
	Frames        int     `json:"frames"`
	BytesPerFrame float64 `json:"bytes_per_frame"`
	EncodeUs      float64 `json:"encode_us"`
	DecodeUs      float64 `json:"decode_us"`
	EncodeAllocs  float64 `json:"encode_allocs"`
	Exact         bool    `json:"exact"`

	differ int // cubes whose captured words differ from the trace; reported once for all variants
}

// kept is the number of frames that the receiver stores.
const kept = 256

// link is the sender, the wire and the receiver of one variant.
type link struct {
	v     variant
	stage *stage
	model *delta.Model
	enc   delta.Encoder
	dec   delta.Decoder
	rng   *rand.Rand

	parts []delta.Part
	buf   []byte
	held  [kept][]delta.Group // decoded groups of the receiver, by frame
	got   []bool              // frames that arrived
	acked []bool              // frames whose acknowledgement arrived

	encodeNs, decodeNs []int64 // by frame
	bytes              int
	exact              bool
	differ             int
}

func newLink(v variant, t *trace, m *delta.Model) *link {
	l := &link{
		v: v, stage: newStage(t, v.parent), model: m, rng: rand.New(rand.NewPCG(1, 0)), exact: true,
		got: make([]bool, t.frames()), acked: make([]bool, t.frames()),
	}
	l.enc.Only = v.only
	return l
}

// run sends the whole trace.
func (l *link) run() error {
	for i := range l.got {
		f := l.stage.step()
		l.differ += l.stage.differ(f)
		if i < delay {
			// Both sides have the first frames.
			l.got[i] = true
			l.copyToReceiver(i, f.Groups)
			continue
		}
		l.receiveAck(i)
		if err := l.send(i, f); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
	}
	return nil
}

// receiveAck processes the acknowledgement that arrives at frame i, for the frames
// up to i − delay.
func (l *link) receiveAck(i int) {
	if l.lost() {
		return
	}
	for k := max(0, i-2*kept); k <= i-delay; k++ {
		l.acked[k] = l.got[k]
	}
}

func (l *link) lost() bool { return l.v.loss > 0 && l.rng.Float64() < l.v.loss }

// baselines returns the baselines of frame i, or −1 for none. It prefers two
// acknowledged frames in a row, unless the newest acknowledged frame is less than
// two thirds as old.
func (l *link) baselines(i int) (base, base2 int) {
	base, base2 = -1, -1
	for _, age := range classes {
		k := i - age
		if k < 0 || !l.acked[k] || base >= 0 && 2*age > 3*(i-base) {
			continue
		}
		if l.stage.layout.Second() && k > 0 && l.acked[k-1] {
			return k, k - 1
		}
		if base < 0 {
			base = k
		}
	}
	return base, base2
}

// send encodes frame i, and decodes it if it arrives.
func (l *link) send(i int, f *frames.Frame) error {
	base, base2 := l.baselines(i)
	l.prepare(f.Groups, l.frame(base), l.frame(base2))
	began := time.Now()
	buf, coder := l.enc.Append(l.buf[:0], l.model, l.parts)
	l.encodeNs = append(l.encodeNs, time.Since(began).Nanoseconds())
	l.buf = buf
	l.bytes += len(buf)
	if l.lost() {
		return nil
	}
	l.got[i] = true
	at := i % kept
	if len(l.held[at]) < len(f.Groups) {
		l.held[at] = make([]delta.Group, len(f.Groups))
	}
	for g := range f.Groups {
		l.held[at][g].Reset(f.Send)
	}
	l.prepare(l.held[at], l.receiverFrame(base), l.receiverFrame(base2))
	began = time.Now()
	err := l.dec.Decode(buf, coder, l.model, l.parts)
	l.decodeNs = append(l.decodeNs, time.Since(began).Nanoseconds())
	for g := range f.Groups {
		l.exact = l.exact && equalGroups(&f.Groups[g], &l.held[at][g])
	}
	return err
}

// prepare sets the parts of a block with the whole world.
func (l *link) prepare(cur, base, base2 []delta.Group) {
	l.parts = l.parts[:0]
	for g := range cur {
		p := delta.Part{Cur: &cur[g], Slots: ^uint64(0)}
		if base != nil {
			p.Base = &base[g]
		}
		if base2 != nil {
			p.Base2 = &base2[g]
		}
		l.parts = append(l.parts, p)
	}
}

// frame returns frame i of the sender, or nil if i is −1.
func (l *link) frame(i int) []delta.Group {
	if i < 0 {
		return nil
	}
	return l.stage.ring.At(uint32(i + 1)).Groups
}

// receiverFrame returns frame i of the receiver, or nil if i is −1.
func (l *link) receiverFrame(i int) []delta.Group {
	if i < 0 {
		return nil
	}
	return l.held[i%kept]
}

// copyToReceiver stores a copy of frame i on the receiver.
func (l *link) copyToReceiver(i int, from []delta.Group) {
	gs := make([]delta.Group, len(from))
	for g := range from {
		gs[g] = from[g]
		gs[g].Words = slices.Clone(from[g].Words)
	}
	l.held[i%kept] = gs
}

// equalGroups reports whether two groups have the same state.
func equalGroups(a, b *delta.Group) bool {
	if a.Alive != b.Alive || a.Hidden != b.Hidden || a.Known != b.Known {
		return false
	}
	for k := range delta.GroupSize {
		if a.Alive>>k&1 != 0 && (a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] || !slices.Equal(a.Record(k), b.Record(k))) {
			return false
		}
	}
	return true
}

// allocs returns the allocations per frame when the newest frames are encoded again.
func (l *link) allocs() float64 {
	const n = 50
	last := len(l.got) - 1
	encode := func() {
		for i := last - n + 1; i <= last; i++ {
			l.prepare(l.frame(i), l.frame(i-delay), l.frame(i-delay-1))
			l.buf, _ = l.enc.Append(l.buf[:0], l.model, l.parts)
		}
	}
	if last < n+delay {
		return 0
	}
	encode()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	encode()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / n
}

// measure sends a trace in a number of rounds. The time of a frame is the fastest
// of all rounds, because other programs only slow it down.
func measure(v variant, t *trace, m *delta.Model, rounds int) (result, error) {
	var encode, decode []int64
	var r result
	for round := range rounds {
		l := newLink(v, t, m)
		if err := l.run(); err != nil {
			return r, err
		}
		if round == 0 {
			encode, decode = l.encodeNs, l.decodeNs
			n := t.frames() - delay
			r = result{Frames: n, BytesPerFrame: float64(l.bytes) / float64(n), EncodeAllocs: l.allocs(), Exact: true, differ: l.differ}
		}
		r.Exact = r.Exact && l.exact
		for i := range encode {
			encode[i] = min(encode[i], l.encodeNs[i])
		}
		for i := range decode {
			decode[i] = min(decode[i], l.decodeNs[i])
		}
	}
	r.EncodeUs, r.DecodeUs = mean(encode)/1000, mean(decode)/1000
	return r, nil
}

func mean(v []int64) float64 {
	sum := int64(0)
	for _, x := range v {
		sum += x
	}
	return float64(sum) / float64(max(1, len(v)))
}
