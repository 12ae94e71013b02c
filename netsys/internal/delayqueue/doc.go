// Package delayqueue keeps datagrams until their time has come: what is sent on a virtual network,
// and what a conditioner holds back. A [Queue] is bounded, and gives the same order in every run.
package delayqueue
