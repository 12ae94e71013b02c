package rota

import (
	"slices"
	"time"
)

// Rota is things in an order, and when each has something to do. Whoever goes through it passes over the times of all,
// which lie side by side, and touches only the things whose time has come. The zero value is empty.
type Rota[T Member] struct {
	All     []T
	due     []time.Duration
	touched byte
}

// Member is one of a [Rota].
type Member interface {
	// Placed tells where the thing is in the rota; below 0, that it is not there any more.
	Placed(at int)
	// Touch reads what there will be to do with, so that the memory of several things comes at the same time. What it
	// returns means nothing.
	Touch() byte
}

// ahead is how many times are looked at before the things whose time has come are done.
const ahead = 64

// Add appends a thing that has something to do at once.
func (r *Rota[T]) Add(x T) {
	x.Placed(len(r.All))
	r.All, r.due = append(r.All, x), append(r.due, 0)
}

// Remove takes the i-th thing out.
func (r *Rota[T]) Remove(i int) {
	r.All[i].Placed(-1)
	r.All, r.due = slices.Delete(r.All, i, i+1), slices.Delete(r.due, i, i+1)
	for ; i < len(r.All); i++ {
		r.All[i].Placed(i)
	}
}

// Wake makes the time of the i-th thing come; below 0 it is none.
func (r *Rota[T]) Wake(i int) {
	if i >= 0 {
		r.due[i] = 0
	}
}

// Due calls do with the things whose time has come, in their order. What it returns is when that is next; below 0 that
// stays as it is.
func (r *Rota[T]) Due(at time.Duration, do func(x T) time.Duration) {
	for i, due := range r.due {
		if i%ahead == 0 {
			r.touch(at, i)
		}
		if at < due {
			continue
		}
		if next := do(r.All[i]); next >= 0 {
			r.due[i] = next
		}
	}
}

// touch touches the things from the i-th on whose time has come.
func (r *Rota[T]) touch(at time.Duration, i int) {
	for end := min(i+ahead, len(r.due)); i < end; i++ {
		if at >= r.due[i] {
			r.touched += r.All[i].Touch()
		}
	}
}
