package order

import "slices"

// Item is something that Key orders.
type Item struct {
	Key    uint64
	At, Of int32 // what it is, to the caller
}

// Sort puts items in the order of Key and, where that is the same, of At.
func Sort(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		switch {
		case a.Key < b.Key:
			return -1
		case a.Key > b.Key:
			return 1
		}
		return int(a.At) - int(b.At)
	})
}

// Scratch is memory that [By] uses again. The zero value is ready.
type Scratch struct{ items []Item }

// By puts s in the order of what key says of its elements; equal ones stay as they are to each
// other. It allocates only while s is longer than before.
func By[T any](x *Scratch, s []T, key func(*T) uint64) {
	x.items = x.items[:0]
	sorted := true
	for i := range s {
		k := key(&s[i])
		sorted = sorted && (i == 0 || x.items[i-1].Key <= k)
		x.items = append(x.items, Item{Key: k, At: int32(i)})
	}
	if sorted {
		return
	}
	Sort(x.items)
	for i := range s {
		// Round by round, each element goes where it belongs.
		first, to := s[i], i
		for from := int(x.items[to].At); from != to; from = int(x.items[to].At) {
			x.items[to].At = int32(to)
			if from == i {
				s[to] = first
				break
			}
			s[to], to = s[from], from
		}
	}
}
