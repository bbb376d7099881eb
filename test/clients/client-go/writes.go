package main

import (
	"context"
	"time"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	nodeName  = "client-go-writes"
	leaseSpan = int32(40)
	namespace = "default"
)

// written is what the server answered to each write.
type written struct {
	Node     *core.Node          `json:"node"`
	Status   *core.Node          `json:"status"`
	Lease    *coordination.Lease `json:"lease"`
	Renewed  *coordination.Lease `json:"renewed"`
	Stale    string              `json:"stale"`
	Pod      *core.Pod           `json:"pod"`
	Event    *core.Event         `json:"event"`
	Evicted  bool                `json:"evicted"`
	NotFound bool                `json:"notFound"`
}

func makeWrites(client kubernetes.Interface) written {
	ctx := context.Background()
	made := written{}
	made.Node = must(client.CoreV1().Nodes().Create(ctx, aNode(), meta.CreateOptions{}))
	made.Status = must(client.CoreV1().Nodes().PatchStatus(ctx, nodeName, []byte(
		`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`)))
	writeLeases(ctx, client, &made)
	writePods(ctx, client, &made)
	made.Event = must(client.CoreV1().Events(namespace).Create(ctx, anEvent(made.Node), meta.CreateOptions{}))
	must(0, client.CoreV1().Nodes().Delete(ctx, nodeName, meta.DeleteOptions{
		Preconditions: meta.NewUIDPreconditions(string(made.Node.UID)),
	}))
	_, err := client.CoreV1().Nodes().Get(ctx, nodeName, meta.GetOptions{})
	made.NotFound = errors.IsNotFound(err)
	return made
}

func writeLeases(ctx context.Context, client kubernetes.Interface, made *written) {
	leases := client.CoordinationV1().Leases("kube-node-lease")
	made.Lease = must(leases.Create(ctx, aLease(), meta.CreateOptions{}))
	renewed := made.Lease.DeepCopy()
	renewed.Spec.RenewTime = &meta.MicroTime{Time: time.Date(2026, 1, 2, 3, 4, 6, 500_000_000, time.UTC)}
	made.Renewed = must(leases.Update(ctx, renewed, meta.UpdateOptions{}))
	if _, err := leases.Update(ctx, made.Lease, meta.UpdateOptions{}); err != nil {
		made.Stale = string(errors.ReasonForError(err))
	}
	must(0, leases.Delete(ctx, nodeName, meta.DeleteOptions{}))
}

// writePods binds a pod, evicts it and ends it as a kubelet does: grace 0, and only this uid.
func writePods(ctx context.Context, client kubernetes.Interface, made *written) {
	pods := client.CoreV1().Pods(namespace)
	made.Pod = must(pods.Create(ctx, aPod(), meta.CreateOptions{}))
	must(0, pods.Bind(ctx, &core.Binding{
		ObjectMeta: meta.ObjectMeta{Name: nodeName, Namespace: namespace},
		Target:     core.ObjectReference{Kind: "Node", Name: nodeName},
	}, meta.CreateOptions{}))
	must(0, pods.EvictV1(ctx, &policy.Eviction{ObjectMeta: meta.ObjectMeta{Name: nodeName, Namespace: namespace}}))
	evicted := must(pods.Get(ctx, nodeName, meta.GetOptions{}))
	made.Evicted = evicted.DeletionTimestamp != nil && evicted.Spec.NodeName == nodeName
	now := int64(0)
	must(0, pods.Delete(ctx, nodeName, meta.DeleteOptions{
		GracePeriodSeconds: &now,
		Preconditions:      &meta.Preconditions{UID: &evicted.UID},
	}))
}

func aNode() *core.Node {
	return &core.Node{
		ObjectMeta: meta.ObjectMeta{Name: nodeName, Labels: map[string]string{"made-by": "client-go"}},
		Spec:       core.NodeSpec{Taints: []core.Taint{{Key: "a", Value: "b", Effect: core.TaintEffectNoSchedule}}},
	}
}

func aLease() *coordination.Lease {
	holder, seconds := nodeName, leaseSpan
	return &coordination.Lease{
		ObjectMeta: meta.ObjectMeta{Name: nodeName},
		Spec: coordination.LeaseSpec{
			HolderIdentity:       &holder,
			LeaseDurationSeconds: &seconds,
			RenewTime:            &meta.MicroTime{Time: time.Date(2026, 1, 2, 3, 4, 5, 123_456_000, time.UTC)},
		},
	}
}

// Nobody ends it on its node.
func aPod() *core.Pod {
	return &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: nodeName, Labels: map[string]string{"unattended": "true"}},
		Spec:       core.PodSpec{Containers: []core.Container{{Name: "c", Image: "example.org/c:1"}}},
	}
}

func anEvent(node *core.Node) *core.Event {
	at := meta.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return &core.Event{
		ObjectMeta:     meta.ObjectMeta{GenerateName: nodeName + "."},
		InvolvedObject: core.ObjectReference{Kind: "Node", Name: nodeName, UID: types.UID(nodeName)},
		Reason:         "Tried", Message: "of " + string(node.UID), Type: core.EventTypeNormal,
		Source: core.EventSource{Component: "rollcall-test"}, FirstTimestamp: at, LastTimestamp: at, Count: 1,
	}
}
