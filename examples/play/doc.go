// Command play is the arena's client, the same in a window and in a browser.
//
//	go -C examples/play run . arena                            # a match with bots of its own
//	go -C examples/play run . arena -connect 127.0.0.1:7777    # on a server, over UDP
//
// go run ./examples/arena builds it for browsers and serves it. Keys: W A S D or arrows
// move, the mouse aims and shoots, Enter chats, F3 shows the network. On a touch screen
// the left thumb moves, the right one aims and shoots, and a button brings up the keys to
// chat.
//
// The parts: online is the session, with a bad network on request; controls what the
// player does; scene what there is to see, from systems.Client.View; canvas, brushes and
// glyphs draw it; panel is the overlay. Where there is no screen, package screen says so.
package main
