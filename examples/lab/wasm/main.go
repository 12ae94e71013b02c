//go:build wasm

// Command wasm is the half of the page in examples/lab that plays the match. The page is its clock, changes the links and draws.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"syscall/js"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/lab/match"
	"github.com/tactusgo/tactus/systems/policy"
)

func main() {
	var m *match.Match
	answer := func(err error) any {
		if err != nil {
			return err.Error()
		}
		return nil
	}
	export := func(f func(args []js.Value) any) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) })
	}
	var names []any
	for _, preset := range policy.Presets() {
		names = append(names, preset.String())
	}
	var cover []any
	for _, b := range game.Cover {
		cover = append(cover, []any{b.X, b.Y, b.W, b.H})
	}
	js.Global().Call("begin", map[string]any{
		"models": names, "cover": cover, "size": game.Size, "radius": game.Radius,
		// start(model) starts a match, and returns an error or null.
		"start": export(func(args []js.Value) any {
			made, err := match.New(args[0].String())
			if err == nil {
				m = made
			}
			return answer(err)
		}),
		// link(roundTrip, jitter, loss, all) takes seconds and a share.
		"link": export(func(args []js.Value) any {
			m.SetLink(args[0].Float(), args[1].Float(), args[2].Float(), args[3].Bool())
			return nil
		}),
		// act(buttons, angle, pilot) sets the input of the person.
		"act": export(func(args []js.Value) any {
			m.Hands.Buttons, m.Hands.Aim = uint8(args[0].Int()), uint16(int64(args[1].Float()*65536/(2*math.Pi)))
			m.Pilot = args[2].Bool()
			return nil
		}),
		// pass(seconds) returns an error or null.
		"pass": export(func(args []js.Value) any { return answer(m.Advance(args[0].Float())) }),
		// rows(buffer) copies rows to a Uint8Array and returns the number of bytes.
		"rows": export(func(args []js.Value) any { return js.CopyBytesToJS(args[0], m.Rows()) }),
		// figures(seconds) returns a list with an object for each client.
		"figures": export(func(args []js.Value) any {
			all, err := json.Marshal(m.Figures(args[0].Float()))
			if err != nil {
				return answer(err)
			}
			return js.Global().Get("JSON").Call("parse", string(all))
		}),
	})
	fmt.Println("the laboratory runs")
	select {}
}
