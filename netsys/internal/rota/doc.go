// Package rota says which of many things have something to do, without touching the others: [Rota].
package rota
