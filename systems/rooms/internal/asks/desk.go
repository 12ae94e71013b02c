package asks

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

const (
	// mostBusy is how many records are answered at once.
	mostBusy = 8
	// keepTime is for how long it is remembered that a record was answered.
	keepTime = 2 * Lease
	// againTime is between two looks at what could not be written, and at what was not heard.
	againTime = 250 * time.Millisecond
	// patientTime is how long a call of the directory may take.
	patientTime = 5 * time.Second
)

// House is a process that is asked.
type House interface {
	// Epoch is that of the process, 0 while it may give no seats to other processes.
	Epoch() uint64
	// Answer does what is asked, once.
	Answer(ctx context.Context, b Batch) Answers
}

// Desk answers what other processes ask of one. It does each record once, whatever it hears of it, and however often the
// answer has to be written.
type Desk struct {
	directory ledger.Directory
	house     House
	prefix    string

	mu      sync.Mutex
	records map[string]*record
}

// record is one that was taken on.
type record struct {
	at     time.Time
	answer []byte // nil: it is being worked on, or written
}

// NewDesk makes the desk of a process.
func NewDesk(d ledger.Directory, process string, h House) *Desk {
	return &Desk{directory: d, house: h, prefix: Key(process, ""), records: make(map[string]*record)}
}

// Prefix is what keys of records for this process begin with.
func (d *Desk) Prefix() string { return d.prefix }

// Poll answers what there is to be answered, in the order of keys. It is for virtual time, in place of Run.
func (d *Desk) Poll(ctx context.Context, now time.Time) {
	d.forget(now)
	all, err := d.directory.List(ctx, d.prefix)
	if err != nil {
		return
	}
	for _, r := range all {
		d.Take(ctx, now, r)
	}
}

// Run answers what watch tells, until ctx ends; watch is called anew where what it returned has ended.
func (d *Desk) Run(ctx context.Context, now func() time.Time, watch func(ctx context.Context) (<-chan ledger.Record, error)) {
	var busy sync.WaitGroup
	defer busy.Wait()
	places := make(chan struct{}, mostBusy)
	again := time.NewTicker(againTime)
	defer again.Stop()
	var told <-chan ledger.Record
	take := func(r ledger.Record) {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		busy.Go(func() {
			defer func() { <-places }()
			call, stop := context.WithTimeout(ctx, patientTime)
			defer stop()
			d.Take(call, now(), r)
		})
	}
	for {
		if told == nil {
			told, _ = watch(ctx) // nil: again in a moment
		}
		select {
		case <-ctx.Done():
			return
		case r, ok := <-told:
			if !ok {
				told = nil
				select {
				case <-ctx.Done():
				case <-again.C:
				}
				continue
			}
			if !r.Gone {
				take(r)
			}
		case <-again.C:
			d.forget(now())
			for _, key := range d.unwritten() {
				if r, err := d.directory.Load(ctx, key); err == nil {
					take(r)
				} else if errors.Is(err, ledger.ErrAbsent) {
					d.written(key)
				}
			}
		}
	}
}

// Take does what a record asks for, unless that was done, and writes the answer.
func (d *Desk) Take(ctx context.Context, now time.Time, r ledger.Record) {
	if !strings.HasPrefix(r.Key, d.prefix) {
		return
	}
	b, asked, err := ParseBatch(r.Value)
	if err != nil {
		return // nobody waits for an answer to that; its lease ends it
	}
	if !asked {
		d.written(r.Key)
		return
	}
	epoch := d.house.Epoch()
	if epoch == 0 {
		return
	}
	d.mu.Lock()
	x := d.records[r.Key]
	first := x == nil
	if first {
		x = &record{at: now}
		d.records[r.Key] = x
	}
	answer := x.answer
	d.mu.Unlock()
	switch {
	case first:
		if answer = d.answer(ctx, b, epoch); answer == nil {
			return
		}
		d.mu.Lock()
		x.answer = answer
		d.mu.Unlock()
	case answer == nil:
		return // somebody does it, or it was done
	}
	_, err = d.directory.Save(ctx, r.Key, answer, r.Revision, Lease)
	if err == nil || errors.Is(err, ledger.ErrConflict) {
		d.written(r.Key) // a conflict: who has asked has gone
	}
}

// answer does what is asked of this process under its present claim.
func (d *Desk) answer(ctx context.Context, b Batch, epoch uint64) []byte {
	var a Answers
	if b.Epoch == epoch {
		a = d.house.Answer(ctx, b)
	} else {
		for range b.Asks {
			a.Answers = append(a.Answers, Answer{Refused: OldEpoch})
		}
	}
	value, err := a.Bytes()
	if err != nil {
		return nil
	}
	return value
}

// written notes that a record needs no answer any more.
func (d *Desk) written(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if x := d.records[key]; x != nil {
		x.answer = nil
	}
}

// unwritten are the keys of records whose answers could not be written.
func (d *Desk) unwritten() (keys []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(d.records)) {
		if d.records[key].answer != nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// forget forgets what nobody asks for any more.
func (d *Desk) forget(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.records, func(_ string, x *record) bool { return x.answer == nil && now.Sub(x.at) > keepTime })
}
