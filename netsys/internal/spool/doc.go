// Package spool keeps datagrams, copied, until their turn comes.
package spool
