// Package pictures has the pictures of the documents, and no code. Chromium takes those of the worlds while they are played;
// prediction.svg and architecture.svg are drawn by hand. It needs Chromium:
//
//	go -C docs/pictures generate
package pictures

//go:generate env PICTURES=../../../docs/pictures go -C ../../examples/stage/browsers test -vet=off -count=1 -run TestPictures -timeout 30m .
