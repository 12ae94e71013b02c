// Package hostname keeps web sites from posing as a server of ours. A site owns its name and can
// make it lead anywhere, to 127.0.0.1 too (DNS rebinding): its page and our server are then of
// one origin to the browser, and what protects servers from pages of other sites says nothing.
// But the browser says which name it asked for. An address is nobody's to redirect, nor is
// localhost; any other name has to be configured.
//
// [Guard] decides so for every server of ours that browsers can reach: the WebSocket side of
// package eventloop, the inspector, the page of package web, rooms by HTTP, and examples/tokens.
// It also says which requests pages of other sites make, [Guard.Foreign], and whose address
// counts behind proxies, [Guard.Client].
package hostname
