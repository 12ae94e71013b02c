package order

import "slices"

// Item is an item to sort by Key.
type Item struct {
	Key    uint64
	At, Of int32 // values of the caller
}

// Sort sorts items by Key, and items with equal keys by At.
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

// Scratch is reusable memory for [By]. The zero value is ready to use.
type Scratch struct{ items []Item }

// By sorts s by key and is stable. It allocates only if s is longer than in previous calls.
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
		// Move each element to its place, one cycle of the permutation at a time.
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
