// Package host starts local matches with bots, for windows without a server.
package host
