// Package host starts matches with bots, for windows that play one of their own.
package host
