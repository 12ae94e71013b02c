package host

// Kind says what a [News] is.
type Kind uint8

const (
	// NewsGone: a row is in the view no more; NetID and Row name it. Its memory is somebody else's.
	NewsGone Kind = iota
	// NewsCame: a row is in the view since this frame.
	NewsCame
	// NewsLeft: an entity has left the world of the client, which is ahead of the view; Which is the systems.Reason.
	NewsLeft
	// NewsEntered: one has come into it; Which is the systems.Reason.
	NewsEntered
	// NewsLoaded: all of the state with which the client joins has arrived.
	NewsLoaded
	// NewsMessage: the server sent a message, of type Which of the [Book].
	NewsMessage
	// NewsEvent: the server told of an event, of type Which.
	NewsEvent
	// NewsBegan: an outcome seems to have happened, of type Which; Number tells it from others.
	NewsBegan
	// NewsCommitted: it is final.
	NewsCommitted
	// NewsCancelled: it did not happen.
	NewsCancelled
	// NewsRefused: the server did not accept something; Which is the systems.RefusalCause, Number the input or how many
	// there were too many, and the value is the reason as text.
	NewsRefused
)

// News is something that happened since the frame before. It has no padding, and lies in memory as it stands here.
type News struct {
	// Row is the entity's row handle, that of Table.Handles: of NewsCame and NewsGone.
	Row uint64
	// NetID is the entity that it is about; 0 for none, and for predicted spawns.
	NetID uint32
	// Tick is the tick of the server, or, of outcomes, the one that raised it as the model counts them.
	Tick uint32
	// Number is what Kind says.
	Number uint32
	// At and Size say where the value lies in what [Host.NewsBytes] returns, in bytes; At is a multiple of 8.
	At, Size uint32
	// Which is the type in the [Book], or what Kind says.
	Which uint16
	// Kind is what happened.
	Kind Kind
	_    uint8
}

// chronicle collects news until the next frame.
type chronicle struct {
	told, coming           []News
	toldBytes, comingBytes []byte
	most, mostBytes        int
	lost                   uint64
}

// grain is what values begin at a multiple of.
const grain = 8

// add takes in news with its value, which is copied.
func (c *chronicle) add(n News, value []byte) {
	at := (len(c.comingBytes) + grain - 1) &^ (grain - 1)
	if len(c.coming) == c.most || at+len(value) > c.mostBytes {
		c.lost++
		return
	}
	n.At, n.Size = uint32(at), uint32(len(value))
	c.coming = append(c.coming, n)
	if len(value) > 0 {
		for len(c.comingBytes) < at {
			c.comingBytes = append(c.comingBytes, 0)
		}
		c.comingBytes = append(c.comingBytes, value...)
	}
}

// turn makes what was collected what is told.
func (c *chronicle) turn() {
	c.told, c.coming = c.coming, c.told[:0]
	c.toldBytes, c.comingBytes = c.comingBytes, c.toldBytes[:0]
}

// News is what happened between the frame before and the newest, in order. It is valid until the next call, and empty
// before the first frame.
func (h *Host) News() []News { return h.news.told }

// NewsBytes are the values of all [Host.News], which say where theirs is.
func (h *Host) NewsBytes() []byte { return h.news.toldBytes }

// Value is the value of n, of [Host.News]: a message, event or outcome as it lies in memory, or text. It is nil where there
// is none.
func (h *Host) Value(n News) []byte {
	b := h.news.toldBytes
	if uint64(n.At)+uint64(n.Size) > uint64(len(b)) {
		return nil
	}
	return b[n.At : n.At+n.Size : n.At+n.Size]
}
