package host

// Kind is the kind of a [News] item.
type Kind uint8

const (
	// NewsGone: a row has left the view. NetID and Row identify it. Other rows may already use its memory.
	NewsGone Kind = iota
	// NewsCame: a row is new in this frame.
	NewsCame
	// NewsLeft: an entity has left the client's world, which is ahead of the view. Which is a systems.Reason.
	NewsLeft
	// NewsEntered: an entity has entered the client's world. Which is a systems.Reason.
	NewsEntered
	// NewsLoaded: the whole initial state has arrived.
	NewsLoaded
	// NewsMessage: the server sent a message of type Which of the [Book].
	NewsMessage
	// NewsEvent: the server sent an event of type Which.
	NewsEvent
	// NewsBegan: a provisional outcome of type Which began. Number identifies the outcome.
	NewsBegan
	// NewsCommitted: the outcome is final.
	NewsCommitted
	// NewsCancelled: the outcome did not happen.
	NewsCancelled
	// NewsRefused: the server refused an input or a command. Which is a systems.RefusalCause. Number is the
	// input's sequence, or the number of inputs above the limit. The value is the reason as text.
	NewsRefused
)

// News is an event since the previous frame. It has no padding; its memory layout is the order of its fields.
type News struct {
	// Row is the row's handle in Table.Handles. Only NewsCame and NewsGone set it.
	Row uint64
	// NetID is the entity concerned. It is 0 for none and for predicted spawns.
	NetID uint32
	// Tick is the server's tick. For outcomes it is the tick that raised the outcome.
	Tick uint32
	// Number depends on Kind.
	Number uint32
	// At and Size locate the value in [Host.NewsBytes], in bytes. At is a multiple of 8.
	At, Size uint32
	// Which is the number of the type in the [Book], or depends on Kind.
	Which uint16
	// Kind says what happened.
	Kind Kind
	_    uint8
}

// newsQueue collects news until the next frame.
type newsQueue struct {
	current, pending           []News
	currentBytes, pendingBytes []byte
	most, mostBytes            int
	lost                       uint64
	skip                       bool // drops what happens, while a replay seeks
}

// valueAlign is the alignment of values in bytes.
const valueAlign = 8

// add appends n with a copy of its value, or counts n as lost if the limits are reached.
func (c *newsQueue) add(n News, value []byte) {
	if c.skip && n.Kind != NewsLoaded {
		return
	}
	at := (len(c.pendingBytes) + valueAlign - 1) &^ (valueAlign - 1)
	if len(c.pending) == c.most || at+len(value) > c.mostBytes {
		c.lost++
		return
	}
	n.At, n.Size = uint32(at), uint32(len(value))
	c.pending = append(c.pending, n)
	if len(value) > 0 {
		for len(c.pendingBytes) < at {
			c.pendingBytes = append(c.pendingBytes, 0)
		}
		c.pendingBytes = append(c.pendingBytes, value...)
	}
}

// publish publishes the collected news and starts an empty list.
func (c *newsQueue) publish() {
	c.current, c.pending = c.pending, c.current[:0]
	c.currentBytes, c.pendingBytes = c.pendingBytes, c.currentBytes[:0]
}

// News returns the news between the previous frame and the newest, in order. The slice is valid until the next call. It is
// empty before the first frame.
func (h *Host) News() []News { return h.news.current }

// NewsBytes returns the values of all [Host.News]. News.At and News.Size locate each value.
func (h *Host) NewsBytes() []byte { return h.news.currentBytes }

// Value returns the value of a news item: a message, event or outcome in memory layout, or text. It returns nil if n is
// invalid.
func (h *Host) Value(n News) []byte {
	b := h.news.currentBytes
	if uint64(n.At)+uint64(n.Size) > uint64(len(b)) {
		return nil
	}
	return b[n.At : n.At+n.Size : n.At+n.Size]
}
