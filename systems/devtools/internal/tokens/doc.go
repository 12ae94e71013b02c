// Package tokens gets the connect tokens of bots: from a file with [Read], or from a login service with [LogIn].
package tokens
