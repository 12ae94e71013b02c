// Command c is the arena's client as a library for C: libarena, with the functions of capi/tactus.h. make builds it, and
// play, a program in C that plays; see README.md.
//
//	go build -buildmode=c-shared -trimpath -ldflags='-s -w' -o libarena.so .
//
// Another game's library is this file with another protocol and another config.
package main

func main() {} // never runs in a library
