// Command waiter does nothing until it is told to end. It is all that is in the images of the end-to-end test: the
// sandbox of a pod needs no more, and neither does a container that only has to have been pulled.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, os.Interrupt)
	<-told
}
