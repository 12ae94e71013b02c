package components_test

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
)

// Slot is one place of a bag.
type Slot struct {
	Item  uint16 `net:"0..500"`
	Count uint8  `net:"0..99"`
}

// Bag has a name and up to eight slots. Neither of the two needs a tag.
type Bag struct {
	Name  components.Text[[16]byte]
	Slots components.List[Slot, [8]Slot]
}

func Example() {
	var b Bag
	fits := b.Name.Set("Ada's bag")
	fmt.Println(&b.Name, fits)

	b.Slots.Append(Slot{Item: 7, Count: 2})
	b.Slots.Append(Slot{Item: 9, Count: 1})
	for i, s := range b.Slots.All() { // pointers, to write to
		s.Count++
		fmt.Println(i, s.Item, s.Count)
	}
	b.Slots.Remove(0)
	fmt.Println(b.Slots.Len(), "of", b.Slots.Cap())
	// Output:
	// Ada's bag true
	// 0 7 3
	// 1 9 2
	// 1 of 8
}
