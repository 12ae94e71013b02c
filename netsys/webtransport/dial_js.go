package webtransport

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall/js"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// link is a session in a browser.
type link struct {
	session, reader, writer js.Value
	array                   js.Value // the class Uint8Array
	got                     chan js.Value
	ended                   chan struct{}
	once                    sync.Once
	err                     error // the reason, once ended is closed
	held                    atomic.Int64
	onRead, onEnd           js.Func
}

// connect opens a WebTransport session.
func connect(ctx context.Context, url string, hashes [][sha256.Size]byte) (conn websocket.Link, err error) {
	class := js.Global().Get("WebTransport")
	if class.IsUndefined() {
		return nil, errors.New("this browser has no WebTransport, or the page was not loaded over HTTPS or from localhost")
	}
	defer func() {
		if r := recover(); r != nil { // the browser rejects the URL
			thrown, ok := r.(js.Error)
			if !ok {
				panic(r)
			}
			err = errors.New(thrown.Get("message").String())
		}
	}()
	x := &link{array: js.Global().Get("Uint8Array"), got: make(chan js.Value, 1), ended: make(chan struct{})}
	options := map[string]any{"congestionControl": "low-latency"}
	if hashes != nil {
		var all []any
		for _, h := range hashes {
			all = append(all, map[string]any{"algorithm": "sha-256", "value": x.bytes(h[:])})
		}
		options["serverCertificateHashes"] = all
	}
	x.session = class.New(url, options)
	if err := await(ctx, x.session.Get("ready")); err != nil {
		x.session.Call("close")
		return nil, err
	}
	datagrams := x.session.Get("datagrams")
	x.reader = datagrams.Get("readable").Call("getReader")
	if datagrams.Get("createWritable").Type() == js.TypeFunction {
		x.writer = datagrams.Call("createWritable").Call("getWriter")
	} else {
		x.writer = datagrams.Get("writable").Call("getWriter")
	}
	x.onRead = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if args[0].Get("done").Bool() {
			x.end(io.EOF)
		} else {
			x.got <- args[0].Get("value") // never blocks: one read is requested at a time
		}
		return nil
	})
	x.onEnd = js.FuncOf(func(_ js.Value, args []js.Value) any {
		x.end(reason(args))
		return nil
	})
	x.session.Get("closed").Call("then", x.onEnd, x.onEnd)
	return x, nil
}

// bytes copies b to the browser's memory.
func (x *link) bytes(b []byte) js.Value {
	data := x.array.New(len(b))
	js.CopyBytesToJS(data, b)
	return data
}

// reason returns the error of a rejected promise.
func reason(args []js.Value) error {
	if len(args) > 0 && args[0].Type() == js.TypeObject && args[0].Get("message").Type() == js.TypeString {
		return errors.New(args[0].Get("message").String())
	}
	return errors.New("closed by the other end")
}

// await waits for a promise.
func await(ctx context.Context, promise js.Value) error {
	done := make(chan error, 1)
	kept := js.FuncOf(func(js.Value, []js.Value) any { done <- nil; return nil })
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- reason(args); return nil })
	promise.Call("then", kept, broken)
	select {
	case err := <-done:
		kept.Release()
		broken.Release()
		return err
	case <-ctx.Done(): // the promise may still call the functions
		return ctx.Err()
	}
}

// end closes the link with its first error. It keeps the functions, because promises may still call them.
func (x *link) end(err error) {
	x.once.Do(func() {
		x.err = err
		close(x.ended)
	})
}

func (x *link) Read(b []byte) (n int, err error) {
	select {
	case <-x.ended:
		return 0, x.err
	default:
	}
	x.reader.Call("read").Call("then", x.onRead, x.onEnd)
	select {
	case data := <-x.got:
		if n := data.Length(); n > len(b) {
			return 0, fmt.Errorf("webtransport: the server sent a datagram of %d bytes", n)
		}
		return js.CopyBytesToGo(b, data), nil
	case <-x.ended:
		return 0, x.err
	}
}

func (x *link) Write(b []byte) error {
	select {
	case <-x.ended:
		return x.err
	default:
	}
	n := int64(len(b))
	x.held.Add(n)
	var after js.Func
	after = js.FuncOf(func(js.Value, []js.Value) any {
		x.held.Add(-n)
		after.Release()
		return nil
	})
	x.writer.Call("write", x.bytes(b)).Call("then", after, after)
	return nil
}

func (x *link) Buffered() int { return int(x.held.Load()) }

func (x *link) Close() { x.Abort() }

func (x *link) Abort() {
	x.end(netsys.ErrClosed)
	defer func() { _ = recover() }() // a closed session throws
	x.session.Call("close")
}
