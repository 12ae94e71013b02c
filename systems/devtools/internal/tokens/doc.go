// Package tokens gets the connect tokens of bots: from a file, [Read], or from a login service, [LogIn].
package tokens
