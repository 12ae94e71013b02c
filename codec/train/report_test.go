package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
)

// film is a recording and what is in it.
type film struct {
	name   string
	layout *delta.Layout
	sends  [][]delta.Group
}

// shoot records sends of 64 entities, the values of which are chosen by put.
func shoot(t *testing.T, sends int, put func(send, k int) [2]int32) *film {
	t.Helper()
	table, err := schema.Compile(reflect.TypeFor[place](), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &film{name: filepath.Join(t.TempDir(), "match.rec"), layout: delta.NewLayout([]*schema.Table{table}, 3, 20)}
	file, err := os.Create(f.name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := delta.NewRecorder(file, f.layout)
	for send := range sends {
		groups := make([]delta.Group, 1)
		groups[0].Reset(uint32(send + 1))
		for k := range delta.GroupSize {
			v := put(send, k)
			copy(groups[0].Put(k, uint32(k+1), 1, 2), v[:])
		}
		if err := r.Record(groups); err != nil {
			t.Fatal(err)
		}
		f.sends = append(f.sends, groups)
	}
	return f
}

// goesOn moves entities on, each as fast as its slot says.
func goesOn(send, k int) [2]int32 {
	return [2]int32{int32(send*(k%7)) & 0xfff, int32(send * k / 40 % 100)}
}

// blocks returns what a training with these ages is about: for each send that is old enough, the group against
// those of so many sends before.
func (f *film) blocks(ages ...int) (all [][]delta.Part) {
	for n := range f.sends {
		age := ages[n%len(ages)]
		if n-age-1 < 0 {
			continue
		}
		p := delta.Part{Cur: &f.sends[n][0], Base: &f.sends[n-age][0], Slots: ^uint64(0)}
		if f.layout.Second() {
			p.Base2 = &f.sends[n-age-1][0]
		}
		all = append(all, []delta.Part{p})
	}
	return all
}

// mean returns how many bytes blocks take with a model.
func mean(m *delta.Model, only delta.Encoder, blocks [][]delta.Part) float64 {
	sum := 0
	for _, parts := range blocks {
		body, _ := only.Append(nil, m, parts)
		sum += len(body)
	}
	return float64(sum) / float64(len(blocks))
}

// The report states the lengths of the held-back blocks, with the built-in model and with the written one, for baselines of
// all ages.
func TestReportIsOfWhatWasHeldBack(t *testing.T) {
	for _, test := range []struct {
		flags string
		ages  []int
		sends int
		hold  float64
	}{
		{"-ages 1,3", []int{1, 3}, 100, 0.2},
		{"-ages 2 -hold 0.9", []int{2}, 60, 0.9},
		{"-ages 120 -hold 0.5", []int{120}, 160, 0.5},
	} {
		t.Run(test.flags, func(t *testing.T) {
			f := shoot(t, test.sends, func(send, k int) [2]int32 {
				return [2]int32{int32(send*send*(k%7)) & 0xfff, int32(send * k / 40 % 100)}
			})
			name := filepath.Join(t.TempDir(), "game.trained")
			var out, log bytes.Buffer
			if err := run(append([]string{"-in", f.name, "-out", name}, strings.Fields(test.flags)...), &out, &log); err != nil {
				t.Fatal(err)
			}
			written, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			trained, err := delta.ParseTrained(written)
			if err != nil {
				t.Fatal(err)
			}
			all := f.blocks(test.ages...)
			held := all[len(all)-int(float64(len(all))*test.hold):]
			learned := len(all) - len(held)
			for _, n := range []int{len(all), learned, len(held)} {
				if !strings.Contains(log.String(), fmt.Sprint(n)) {
					t.Errorf("log\n%s\nwant the number %d of blocks, to learn from or to measure", log.String(), n)
				}
			}
			plain := delta.NewTrained(f.layout, nil).Model(f.layout)
			want := fmt.Sprintf("bytes per block, mean of %d  %10s %10s\n", len(held), "built in", "trained")
			want += fmt.Sprintf("%-28s %10.1f ", "any coder", mean(plain, delta.Encoder{}, held))
			if !strings.HasPrefix(out.String(), want) {
				t.Errorf("it prints\n%s\nnot\n%s", out.String(), want)
			}
			zstd := delta.Encoder{Only: delta.ZstdOnly}
			if want := fmt.Sprintf("\n%-28s %10.1f ", "zstd and raw only", mean(plain, zstd, held)); !strings.Contains(out.String(), want) {
				t.Errorf("it prints\n%s\nnot\n%s", out.String(), want)
			}
			small, large := mean(trained.Model(f.layout), delta.Encoder{}, held), mean(plain, delta.Encoder{}, held)
			if small > large*0.98 {
				t.Errorf("blocks take %.1f bytes with the trained model, %.1f without", small, large)
			}
			if want := fmt.Sprintf(" %10.1f\n", small); !strings.Contains(out.String(), want) {
				t.Errorf("it prints\n%s\nbut blocks take%s with what it wrote", out.String(), want)
			}
		})
	}
}
