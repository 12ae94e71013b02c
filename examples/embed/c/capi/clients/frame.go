package clients

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// Table is a table of a [View], in the layout of struct tactus_table.
type Table struct {
	// These fields have the meaning of host.Table. Slices are pointers to their first elements.
	Mask            uint64
	Rows, Simulated uint32
	IDs             *components.NetID
	Handles         *ecs.Entity
	Columns         *unsafe.Pointer
}

// View is a frame, in the layout of struct tactus_view. All memory that it points to is pinned.
type View struct {
	// Generation is host.Host.Generation.
	Generation uint32
	// Tables is the number of tables.
	Tables uint32
	// Table points to the first table.
	Table *Table
	// Singles points to one pointer per column.
	Singles *unsafe.Pointer
	// News is the first of NewsCount.
	News *host.News
	// Values are ValuesSize bytes.
	Values *byte
	// NewsCount is the length of News, ValuesSize that of Values.
	NewsCount, ValuesSize uint32
	// Stats are StatsCount numbers.
	Stats *host.Stats
	// StatsCount and Columns are numbers of elements.
	StatsCount, Columns uint32
}

// frame is the memory that a view points to.
type frame struct {
	columns int
	tables  []Table
	singles []unsafe.Pointer
	state   held // columns, and the memory that points to them
	news    held
	want    []unsafe.Pointer
}

// held keeps memory pinned for C until the next hold.
type held struct {
	pins runtime.Pinner
	at   []unsafe.Pointer
}

// hold pins the wanted memory and unpins the previous memory.
func (k *held) hold(want []unsafe.Pointer) {
	if slices.Equal(k.at, want) {
		return
	}
	k.pins.Unpin()
	k.at = append(k.at[:0], want...)
	for _, p := range k.at {
		if p != nil {
			k.pins.Pin(p)
		}
	}
}

// drop lets go of everything.
func (f *frame) drop() {
	f.state.hold(nil)
	f.news.hold(nil)
}

// Frame updates the view to a time. It returns nil on an error.
func (c *Clients) Frame(n uint32, now int64) (v *View) {
	c.do(n, func(x *client) error {
		err := x.Host.Frame(c.time(now))
		if err == nil {
			x.read()
			v = x.view
		}
		return err
	})
	return v
}

// read populates the view from the host's newest frame.
func (x *client) read() {
	f, v := &x.frame, x.view
	f.tables, f.singles, f.want = f.tables[:0], f.singles[:0], f.want[:0]
	tables := x.Host.Tables()
	for i := range tables {
		t := &tables[i]
		f.tables = append(f.tables, Table{
			Mask: t.Mask, Rows: uint32(t.Rows), Simulated: flag(t.Simulated),
			IDs: unsafe.SliceData(t.NetIDs), Handles: unsafe.SliceData(t.Handles), Columns: unsafe.SliceData(t.Columns),
		})
		f.want = append(f.want, unsafe.Pointer(unsafe.SliceData(t.NetIDs)), unsafe.Pointer(unsafe.SliceData(t.Handles)), unsafe.Pointer(unsafe.SliceData(t.Columns)))
		f.want = append(f.want, t.Columns...)
	}
	for i := range f.columns {
		f.singles = append(f.singles, x.Host.Single(i))
	}
	f.want = append(append(f.want, unsafe.Pointer(unsafe.SliceData(f.tables)), unsafe.Pointer(unsafe.SliceData(f.singles))), f.singles...)
	f.state.hold(f.want)

	news, values := x.Host.News(), x.Host.NewsBytes()
	v.News, v.NewsCount, v.Values, v.ValuesSize = nil, uint32(len(news)), nil, uint32(len(values))
	f.want = f.want[:0]
	if len(news) > 0 {
		v.News = unsafe.SliceData(news)
		f.want = append(f.want, unsafe.Pointer(v.News))
	}
	if len(values) > 0 {
		v.Values = unsafe.SliceData(values)
		f.want = append(f.want, unsafe.Pointer(v.Values))
	}
	f.news.hold(f.want)

	v.Generation, v.Tables, v.Table = x.Host.Generation(), uint32(len(f.tables)), unsafe.SliceData(f.tables)
	v.Singles, v.Columns = unsafe.SliceData(f.singles), uint32(f.columns)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
