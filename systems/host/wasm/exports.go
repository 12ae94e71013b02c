//go:build wasm

package wasm

import (
	"time"
	"unsafe"
)

// abi is the version of the list of exports.
const abi = 4

// served is the module behind the exports, which are plain functions without a receiver.
var served = module{machine: time.Now}

// Serve serves a game through the exports and never returns. Call it once, from main.
func Serve(g Game) {
	served.game, served.protocol = g, g.Protocol()
	select {}
}

//go:wasmexport tactus_abi
func tactusABI() int32 { return abi }

//go:wasmexport tactus_room
func tactusRoom(n int32) uint32 { return address(unsafe.SliceData(served.grow(n))) }

//go:wasmexport tactus_text
func tactusText() int32 { return int32(served.newest) }

//go:wasmexport tactus_lines
func tactusLines() int32 { return served.lines() }

//go:wasmexport tactus_open
func tactusOpen(now float64, server, token, login int32, who float64, flags int32) int32 {
	return served.open(now, server, token, login, who, flags)
}

//go:wasmexport tactus_failed
func tactusFailed() int32 { return int32(served.failed) }

//go:wasmexport tactus_push
func tactusPush(link int32, now float64, n int32) int32 { return toInt(served.push(link, now, n)) }

//go:wasmexport tactus_input
func tactusInput(h, n int32) int32 { return toInt(served.input(h, n)) }

//go:wasmexport tactus_advance
func tactusAdvance(h int32, now float64) int32 { return served.advance(h, now) }

//go:wasmexport tactus_frame
func tactusFrame(h int32, now float64) uint32 { return address(unsafe.SliceData(served.frame(h, now))) }

//go:wasmexport tactus_send
func tactusSend(h, what, which, n int32) int32 { return toInt(served.send(h, what, which, n)) }

//go:wasmexport tactus_out
func tactusOut(link int32) uint32 { return address(unsafe.SliceData(served.out(link))) }

//go:wasmexport tactus_sent
func tactusSent(link int32) { served.sent(link) }

//go:wasmexport tactus_ticket
func tactusTicket(h int32) int32 { return served.ticket(h) }

//go:wasmexport tactus_hash
func tactusHash(h int32) uint64 { return served.hash(h) }

//go:wasmexport tactus_replay
func tactusReplay(h, command int32, value float64) float64 { return served.control(h, command, value) }

//go:wasmexport tactus_end
func tactusEnd(h int32) int32 { return served.end(h) }

//go:wasmexport tactus_explain
func tactusExplain(reason int32) int32 { return served.explain(reason) }

//go:wasmexport tactus_away
func tactusAway(h int32) { served.away(h) }

//go:wasmexport tactus_rejoin
func tactusRejoin(h int32, now float64) int32 { return toInt(served.rejoin(h, now)) }

//go:wasmexport tactus_rate
func tactusRate(h, rate int32) { served.rate(h, rate) }

//go:wasmexport tactus_wants
func tactusWants(h int32) int32 { return toInt(served.wants(h)) }

//go:wasmexport tactus_token
func tactusToken(h, n int32) int32 { return toInt(served.token(h, n)) }

//go:wasmexport tactus_close
func tactusClose(h int32) { served.close(h) }

//go:wasmexport tactus_free
func tactusFree(h int32) { served.free(h) }
