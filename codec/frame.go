package codec

import (
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A frame is one message, compressed where that helps:
//
//	+------+---------------------------------------------+
//	| kind | kind 0: the message as it is                |
//	| 1 B  | kind 1: one zstd frame with its content size |
//	+------+---------------------------------------------+
//
// The zstd frame has a content size, no checksum (the wire below authenticates)
// and no dictionary.
const (
	frameRaw  = 0
	frameZstd = 1

	// frameMin is the length below which zstd, 9 bytes of header and 4 µs, is not tried.
	frameMin = 64
)

// Compressor makes frames. It is safe for concurrent use, one call at a time
// going ahead; it holds about half a megabyte once used, so share one rather than
// keep one for each client.
type Compressor struct{ enc *zstd.Encoder }

// NewCompressor returns a Compressor at zstd's fastest level.
func NewCompressor() *Compressor {
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true),
	)
	if err != nil {
		panic(fmt.Sprintf("codec: zstd refuses constant options: %v", err))
	}
	return &Compressor{enc: enc}
}

// Append appends the frame of src to dst and returns it. The frame is never more
// than one byte longer than src: what zstd does not shrink is kept as it is. The
// two must not overlap. With room in dst for len(src)+1 bytes and zstd's own
// overhead (len(src)+64 is enough for messages of a few packets), nothing is
// allocated.
func (c *Compressor) Append(dst, src []byte) []byte {
	at := len(dst)
	if len(src) >= frameMin {
		out := c.enc.EncodeAll(src, append(dst, frameZstd))
		if len(out)-at <= len(src) {
			return out
		}
		dst = out[:at]
	}
	return append(append(dst, frameRaw), src...)
}

// Decompressor opens frames. It is safe for concurrent use, one call at a time
// going ahead.
type Decompressor struct {
	dec *zstd.Decoder
	max int
}

// NewDecompressor returns a Decompressor for messages of at most maxSize bytes.
// It panics when maxSize is not positive.
func NewDecompressor(maxSize int) *Decompressor {
	if maxSize <= 0 {
		panic(fmt.Sprintf("codec: NewDecompressor(%d): give the longest message in bytes, at least 1", maxSize))
	}
	dec, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		// zstd counts a window of 1 KiB for even the smallest frame.
		zstd.WithDecoderMaxMemory(uint64(max(maxSize, zstd.MinWindowSize))),
		zstd.WithDecodeAllCapLimit(true),
	)
	if err != nil {
		panic(fmt.Sprintf("codec: zstd refuses constant options: %v", err))
	}
	return &Decompressor{dec: dec, max: maxSize}
}

// Append appends the message in frame to dst and returns it. dst grows by the size
// that the frame states, once that has passed the limit; a frame that holds more
// than it states is refused at the block in which that shows, so that no frame
// costs more memory than a small multiple of the limit. With room in dst nothing
// is allocated. frame and dst must not overlap.
//
// Errors: [ErrShort] for an empty frame, [ErrTooLarge] for a message above the
// limit, [ErrMalformed] for anything that a [Compressor] does not write. dst is
// returned unchanged then.
func (d *Decompressor) Append(dst, frame []byte) ([]byte, error) {
	if len(frame) == 0 {
		return dst, ErrShort
	}
	kind, body := frame[0], frame[1:]
	switch kind {
	case frameRaw:
		if len(body) > d.max {
			return dst, fmt.Errorf("%w: frame of %d bytes, at most %d", ErrTooLarge, len(body), d.max)
		}
		return append(dst, body...), nil
	case frameZstd:
		return d.inflate(dst, body)
	}
	return dst, fmt.Errorf("%w: frame of unknown kind %d", ErrMalformed, kind)
}

func (d *Decompressor) inflate(dst, body []byte) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(body); err != nil {
		return dst, fmt.Errorf("%w: zstd header: %v", ErrMalformed, err)
	}
	if h.Skippable || !h.HasFCS || h.HasCheckSum || h.DictionaryID != 0 {
		return dst, fmt.Errorf("%w: zstd frame without a size, or with a checksum, a dictionary or nothing in it", ErrMalformed)
	}
	if h.FrameContentSize > uint64(d.max) {
		return dst, fmt.Errorf("%w: frame of %d bytes, at most %d", ErrTooLarge, h.FrameContentSize, d.max)
	}
	at, size := len(dst), int(h.FrameContentSize)
	grown := slices.Grow(dst, size)
	// The capacity handed to zstd is the exact size: it stops there.
	out, err := d.dec.DecodeAll(body, grown[at:at:at+size])
	if err != nil {
		return dst, fmt.Errorf("%w: zstd: %v", ErrMalformed, err)
	}
	if len(out) != size {
		return dst, fmt.Errorf("%w: zstd frame holds %d bytes and states %d", ErrMalformed, len(out), size)
	}
	grown = grown[:at+size]
	if size > 0 && &out[0] != &grown[at] {
		copy(grown[at:], out)
	}
	return grown, nil
}
