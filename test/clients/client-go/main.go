// Shared informers of nodes, pods and leases, as controllers have them, on the cluster of KUBECONFIG.
//
// Answers commands from standard input with one line of JSON each: "store" is what the informers hold, "writes" makes one write
// of each kind that typed clients make, with the content type that they choose themselves.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func clientFor(requests *requestLog) kubernetes.Interface {
	config := must(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	config.QPS = -1
	config.Wrap(requests.wrap)
	return must(kubernetes.NewForConfig(rest.AddUserAgent(config, "rollcall-test")))
}

func main() {
	requests := &requestLog{counts: map[string]int{}}
	client := clientFor(requests)
	watched := startInformers(client)
	answers := json.NewEncoder(os.Stdout)
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		switch commands.Text() {
		case "store":
			must(0, answers.Encode(watched.snapshot(requests)))
		case "writes":
			must(0, answers.Encode(makeWrites(client)))
		default:
			must(0, fmt.Errorf("unknown command %q", commands.Text()))
		}
	}
}
