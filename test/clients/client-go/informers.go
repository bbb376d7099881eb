package main

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// watched is what the informers hold, and what an event handler that started with nothing would have made of their events.
type watched struct {
	mutex     sync.Mutex
	informers map[string]cache.SharedIndexInformer
	versions  map[string]map[string]string
	errors    []string
}

type snapshot struct {
	Objects map[string][]any `json:"objects"`
	// Keys of objects whose last event does not say what the store says.
	Drifted  []string       `json:"drifted"`
	Errors   []string       `json:"errors"`
	Requests map[string]int `json:"requests"`
}

// startInformers returns when all of them have seen everything that was there.
func startInformers(client kubernetes.Interface) *watched {
	factory := informers.NewSharedInformerFactory(client, 0)
	all := &watched{
		versions: map[string]map[string]string{},
		informers: map[string]cache.SharedIndexInformer{
			"nodes":  factory.Core().V1().Nodes().Informer(),
			"pods":   factory.Core().V1().Pods().Informer(),
			"leases": factory.Coordination().V1().Leases().Informer(),
		},
	}
	for name, informer := range all.informers {
		all.follow(name, informer)
	}
	factory.Start(context.Background().Done())
	factory.WaitForCacheSync(context.Background().Done())
	return all
}

func (w *watched) follow(name string, informer cache.SharedIndexInformer) {
	w.versions[name] = map[string]string{}
	must(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { w.note(name, object) },
		UpdateFunc: func(_, object any) { w.note(name, object) },
		DeleteFunc: func(object any) { w.forget(name, object) },
	}))
	must(0, informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.errors = append(w.errors, name+": "+err.Error())
	}))
}

func (w *watched) note(name string, object any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.versions[name][keyOf(object)] = versionOf(object)
}

func (w *watched) forget(name string, object any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.versions[name], keyOf(object))
}

func (w *watched) snapshot(requests *requestLog) snapshot {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	seen := snapshot{Objects: map[string][]any{}, Drifted: []string{}, Errors: w.errors, Requests: requests.copy()}
	for name, informer := range w.informers {
		objects := informer.GetStore().List()
		seen.Objects[name] = append([]any{}, objects...)
		seen.Drifted = append(seen.Drifted, drifted(name, objects, w.versions[name])...)
	}
	return seen
}

func drifted(name string, objects []any, versions map[string]string) []string {
	keys := []string{}
	for _, object := range objects {
		if versions[keyOf(object)] != versionOf(object) {
			keys = append(keys, name+" "+keyOf(object))
		}
	}
	if len(objects) != len(versions) {
		keys = append(keys, name)
	}
	return keys
}

func keyOf(object any) string {
	return must(cache.DeletionHandlingMetaNamespaceKeyFunc(object))
}

func versionOf(object any) string {
	return must(meta.Accessor(object)).GetResourceVersion()
}
