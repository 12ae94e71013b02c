//go:build cgo

package capi

/*
#define TACTUS_TYPES_ONLY
#include "tactus.h"
#include <string.h>
*/
import "C"

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/examples/embed/c/capi/clients"
	"github.com/tactusgo/tactus/systems/host"
)

// abi is the number of the interface in tactus.h.
const abi = 3

// maxValue is the largest accepted size of a value from C in bytes. Values of games are shorter.
const maxValue = 1 << 20

// maxRecording is the largest accepted size of a recording in bytes.
const maxRecording = 1 << 30

// given converts memory from C to a slice. ok is false if the pointer or the size is invalid.
func given(p unsafe.Pointer, size C.size_t) (b []byte, ok bool) {
	if size > maxValue || p == nil && size > 0 {
		return nil, false
	}
	return unsafe.Slice((*byte)(p), int(size)), true
}

// text converts a C string; NULL becomes "".
func text(p *C.char) (s string, ok bool) {
	if p == nil {
		return "", true
	}
	n := C.strnlen(p, maxValue)
	return C.GoStringN(p, C.int(n)), n < maxValue
}

//export tactus_abi
func tactus_abi() C.int32_t { return abi }

//export tactus_lines
func tactus_lines() *C.char { return (*C.char)(unsafe.Pointer(lib().Lines())) }

//export tactus_now
func tactus_now() C.int64_t { return C.int64_t(lib().Now()) }

//export tactus_open
func tactus_open(options *C.tactus_options, why *C.tactus_failure) C.tactus_client {
	o, wrong := optionsOf(options)
	if wrong != "" {
		fail(why, host.Other, wrong)
		return 0
	}
	n, err := lib().Open(o)
	if err != nil {
		fail(why, host.ReasonOf(err), err.Error())
		return 0
	}
	return C.tactus_client(n)
}

// optionsOf converts options. wrong describes invalid options.
func optionsOf(c *C.tactus_options) (o clients.Options, wrong string) {
	if c == nil || c.size != C.sizeof_tactus_options {
		return o, "capi: options are NULL or of another size: zero them, and set size to sizeof(tactus_options)"
	}
	var okay [3]bool
	o.Server, okay[0] = text(c.server)
	o.Token, okay[1] = given(c.token, c.token_size)
	o.Login, okay[2] = given(c.login, c.login_size)
	if okay != [3]bool{true, true, true} {
		return o, "capi: a part of the options is NULL with a length, or too long"
	}
	if c.recording != nil {
		if c.recording_size > maxRecording {
			return o, "capi: the recording is too long"
		}
		o.Recording = C.GoBytes(c.recording, C.int(c.recording_size))
	}
	o.Player, o.Flags, o.Now = uint64(c.player), uint32(c.flags), int64(c.now)
	o.Connect = time.Duration(c.connect_millis) * time.Millisecond
	o.LastOf, o.Keep = uint32(c.last_of), time.Duration(c.keep)*time.Second
	return o, ""
}

// fail reports why there is no client.
func fail(to *C.tactus_failure, reason host.Reason, why string) {
	if to == nil {
		return
	}
	to.reason = C.int32_t(reason)
	mem := unsafe.Slice((*byte)(unsafe.Pointer(&to.text[0])), len(to.text))
	clients.Say(mem, why)
}

//export tactus_set_input
func tactus_set_input(client C.tactus_client, input unsafe.Pointer, size C.size_t) C.int32_t {
	b, ok := given(input, size)
	if !ok {
		return refuse(client)
	}
	return C.int32_t(lib().SetInput(uint32(client), b))
}

// refuse reports an invalid argument to a client.
func refuse(client C.tactus_client) C.int32_t { return C.int32_t(lib().Refuse(uint32(client))) }

//export tactus_advance
func tactus_advance(client C.tactus_client, now C.int64_t) C.int32_t {
	return C.int32_t(lib().Advance(uint32(client), int64(now)))
}

//export tactus_next
func tactus_next(client C.tactus_client) C.int64_t { return C.int64_t(lib().Next(uint32(client))) }

//export tactus_frame
func tactus_frame(client C.tactus_client, now C.int64_t) C.uintptr_t {
	return address(unsafe.Pointer(lib().Frame(uint32(client), int64(now))))
}

// address returns a pointer to pinned memory as a number. Go would check a pointer after the call, when another thread may already have
// moved the client on or closed it, and would end the process.
func address(p unsafe.Pointer) C.uintptr_t { return C.uintptr_t(uintptr(p)) }

//export tactus_send
func tactus_send(client C.tactus_client, which C.uint32_t, message unsafe.Pointer, size C.size_t) C.int32_t {
	return send(client, which, message, size, lib().Send)
}

//export tactus_raise
func tactus_raise(client C.tactus_client, which C.uint32_t, event unsafe.Pointer, size C.size_t) C.int32_t {
	return send(client, which, event, size, lib().Raise)
}

//export tactus_command
func tactus_command(client C.tactus_client, which C.uint32_t, command unsafe.Pointer, size C.size_t) C.int32_t {
	return send(client, which, command, size, lib().Command)
}

func send(client C.tactus_client, which C.uint32_t, value unsafe.Pointer, size C.size_t, to func(client, which uint32, value []byte) clients.Code) C.int32_t {
	b, ok := given(value, size)
	if !ok {
		return refuse(client)
	}
	return C.int32_t(to(uint32(client), uint32(which), b))
}

//export tactus_replay
func tactus_replay(client C.tactus_client, command C.int32_t, value C.double) C.double {
	return C.double(lib().Replay(uint32(client), int(command), float64(value)))
}

//export tactus_end
func tactus_end(client C.tactus_client) C.int32_t { return C.int32_t(lib().End(uint32(client))) }

//export tactus_text
func tactus_text(client C.tactus_client) C.uintptr_t {
	return address(unsafe.Pointer(lib().Text(uint32(client))))
}

//export tactus_close
func tactus_close(client C.tactus_client) C.int32_t {
	return C.int32_t(lib().Close(uint32(client)))
}

// Sizes and offsets in Go and C must be equal: a difference does not compile.
const (
	_ = -(unsafe.Sizeof(clients.View{}) ^ C.sizeof_tactus_view)
	_ = -(unsafe.Sizeof(clients.Table{}) ^ C.sizeof_tactus_table)
	_ = -(unsafe.Sizeof(host.News{}) ^ C.sizeof_tactus_news)
	_ = -(unsafe.Offsetof(clients.View{}.Stats) ^ unsafe.Offsetof(C.tactus_view{}.stats))
	_ = -(unsafe.Offsetof(clients.View{}.NewsCount) ^ unsafe.Offsetof(C.tactus_view{}.news_count))
	_ = -(unsafe.Offsetof(clients.View{}.Columns) ^ unsafe.Offsetof(C.tactus_view{}.columns_count))
	_ = -(unsafe.Offsetof(clients.Table{}.IDs) ^ unsafe.Offsetof(C.tactus_table{}.ids))
	_ = -(unsafe.Offsetof(host.News{}.Kind) ^ unsafe.Offsetof(C.tactus_news{}.kind))
)
