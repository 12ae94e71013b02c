// Package lab is a page without a server: the arena's server, four clients and a bad link in one tab. The person changes the link
// and the model and sees what each client draws. [Write] writes it to a folder for any host of static files:
//
//	go run ./examples -static DIR
package lab
