// Package flow decides what a bad link does to each datagram, by random numbers of its own: [Flow].
package flow
