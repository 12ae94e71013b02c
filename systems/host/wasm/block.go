package wasm

import "unsafe"

// head is the number of words before the singletons, and tableHead the number of words before the columns of a table.
const (
	head      = 10
	tableHead = 6
)

// write populates the block of the newest frame. comps is the number of the game's components.
func (p *player) write(comps int) {
	tables, news := p.Tables(), p.News()
	n := head + comps + len(tables)*(tableHead+comps)
	if n > cap(p.block) {
		p.block = make([]uint32, 0, 2*n)
	}
	values, stats := p.NewsBytes(), p.Stats()
	b := append(p.block[:0], uint32(n), p.Generation(), uint32(len(tables)), uint32(len(news)), 0, 0, uint32(len(values)),
		address(stats), uint32(unsafe.Sizeof(*stats)/8), uint32(comps))
	if len(news) > 0 {
		b[4] = address(&news[0])
	}
	if len(values) > 0 {
		b[5] = address(&values[0])
	}
	for i := range comps {
		b = append(b, uint32(uintptr(p.Single(i))))
	}
	for i := range tables {
		t := &tables[i]
		b = append(b, uint32(t.Mask), uint32(t.Mask>>32), uint32(t.Rows), uint32(toInt(t.Simulated)), 0, address(unsafe.SliceData(t.Handles)))
		if t.NetIDs != nil {
			b[len(b)-2] = address(unsafe.SliceData(t.NetIDs))
		}
		for _, c := range t.Columns {
			b = append(b, uint32(uintptr(c)))
		}
	}
	p.block = b
}

// address returns the address of p in the module's memory.
func address[T any](p *T) uint32 { return uint32(uintptr(unsafe.Pointer(p))) }

func toInt(ok bool) int32 {
	if ok {
		return 1
	}
	return 0
}
