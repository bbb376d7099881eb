/**
 * What `kubectl explain` shows about types and fields, in our own words, with what Rollcall does about them. Keys
 * are message and field; field `''` is the type itself, message `'*'` is every message. Other fields have no
 * description.
 */
import { POD_DESCRIPTIONS } from './pod-descriptions.ts';

/** Descriptions by message and field. */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const META: Descriptions = {
  '*': {
    apiVersion: 'Group and version of the form in which the object is written, such as "v1" or "apps/v1".',
    kind: 'What the object is, such as "Node". It cannot change.',
    metadata: 'Name, labels and the other metadata that every object has.',
  },
  'apis.meta.v1.Time': { '': 'An instant in whole seconds, as RFC 3339 text in UTC.' },
  'apis.meta.v1.MicroTime': { '': 'An instant with six digits after the second, as RFC 3339 text in UTC.' },
  'api.resource.Quantity': {
    '': 'A number with an optional suffix: decimal (m, k, M, G, …), binary (Ki, Mi, Gi, …) or an exponent. "500m" is half, "1Ki" is 1024.',
  },
  'util.intstr.IntOrString': { '': 'A whole number, or a text such as a percentage or the name of a port.' },
  'apis.meta.v1.ObjectMeta': {
    '': 'What every stored object has beside its own fields.',
    annotations: 'Texts by key, for tools and people. They cannot be selected by.',
    creationTimestamp: 'When the server stored the object first. Set by the server.',
    deletionGracePeriodSeconds:
      'Seconds that the object gets between the request to delete it and its end. Set by the server.',
    deletionTimestamp:
      'When the object is to be gone. Set by the server when a deletion is asked for; nothing takes it back.',
    finalizers:
      'Names of those who have something to do before the object goes. It stays, marked for deletion, until the list is empty.',
    generateName:
      'Start of a name that the server completes with five random characters where no name is given.',
    generation: 'Counts the changes of the desired state (spec). Set by the server.',
    labels: 'Short texts by key, by which objects are selected.',
    managedFields: 'Who set which field, for server-side apply. Kept by the server.',
    name: 'Names the object among those of its kind and namespace. It cannot change.',
    namespace:
      'The namespace that the object lives in; empty for kinds that have none, such as nodes. It cannot change.',
    ownerReferences: 'Objects that this one belongs to. At most one of them is its controller.',
    resourceVersion:
      'Names this state of the object. Send it back with a change, and the change is refused if the object was changed meanwhile. Compare it for equality only.',
    selfLink: 'No longer filled in.',
    uid: 'Names this object for ever: another one of the same name gets another uid. Set by the server.',
  },
  'apis.meta.v1.OwnerReference': {
    '': 'Names the owner of an object.',
    apiVersion: 'Group and version of the owner.',
    blockOwnerDeletion: 'Whether a deletion of the owner in the foreground waits for this object.',
    controller: 'Whether the owner is the one that manages this object.',
    kind: 'Kind of the owner.',
    name: 'Name of the owner.',
    uid: 'uid of the owner: a successor of the same name owns nothing.',
  },
  'apis.meta.v1.LabelSelector': {
    '': 'Selects objects by labels. All conditions must hold; an empty selector selects everything.',
    matchExpressions: 'Conditions on labels by operator.',
    matchLabels: 'Labels that an object must have with exactly these values.',
  },
  'apis.meta.v1.LabelSelectorRequirement': {
    key: 'Key of the label.',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'Values for In and NotIn; empty for the others.',
  },
};

const NODE: Descriptions = {
  'core.v1.Node': {
    '': 'A machine that runs pods. Its heartbeats are renewals of its Lease in kube-node-lease, writes of its status, or plain heartbeats.',
    spec: 'Desired state of the node.',
    status: 'Last reported state of the node.',
  },
  'core.v1.NodeSpec': {
    '': 'Desired state of a node.',
    configSource: 'No longer used; the server drops it.',
    externalID: 'No longer used.',
    podPreemptionPolicy:
      'How pods of the node give way to others. Of later versions of Kubernetes than 1.34; kept, not acted on.',
    podCIDR: 'Range of addresses for the pods of the node; the first of podCIDRs.',
    podCIDRs: 'Ranges of addresses for the pods of the node, at most one for IPv4 and one for IPv6.',
    providerID: 'Id of the machine at its cloud provider, as <provider>://<id>. It can be set once.',
    taints: 'Marks that keep pods away unless they tolerate them. A change replaces the whole list.',
    unschedulable:
      'Whether new pods are kept away: what kubectl cordon sets. The control plane adds a taint for it.',
  },
  'core.v1.Taint': {
    '': 'A mark on a node that keeps away, or drives away, every pod that does not tolerate it.',
    effect:
      'What happens to pods that do not tolerate the taint: NoSchedule lets no new ones onto the node, PreferNoSchedule avoids it where possible, NoExecute also evicts those that run there.',
    key: 'Names the taint, such as node.kubernetes.io/unreachable. Key and effect together are unique on a node.',
    timeAdded:
      'When the taint was put on the node. Filled in for NoExecute taints; toleration time runs from it.',
    value: 'A value that belongs to the key.',
  },
  'core.v1.NodeStatus': {
    '': 'Last reported state of a node. Written by the node itself, and by the control plane when its heartbeats stop.',
    addresses: 'Addresses under which the node can be reached.',
    allocatable: 'The part of the capacity that is available to pods, by resource.',
    capacity: 'Total resources of the node, such as cpu, memory and pods.',
    conditions: 'State of the node, one entry for each aspect. Pods depend on the condition Ready.',
    config: 'No longer used.',
    daemonEndpoints: "Ports of the node's agents.",
    declaredFeatures: 'Features that the kubelet says it has, in order.',
    features: 'What the container runtime can do.',
    images: 'Container images that are on the node.',
    nodeInfo: 'Versions and ids that the node reported of itself.',
    phase: 'No longer used.',
    runtimeHandlers: 'Handlers of the container runtime.',
    volumesAttached: 'Volumes that are attached to the node.',
    volumesInUse: 'Volumes that are mounted on the node, so that they must not be detached.',
  },
  'core.v1.NodeCondition': {
    '': 'One aspect of the state of a node.',
    lastHeartbeatTime: 'When the node last reported this condition.',
    lastTransitionTime: 'When the status last changed.',
    message: 'The reason in a sentence.',
    reason: 'Why the status is what it is, in one word, such as KubeletReady or NodeStatusUnknown.',
    status: 'True, False, or Unknown when the node has sent no heartbeat for longer than the grace period.',
    type: 'The aspect: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable or one of your own.',
  },
  'core.v1.NodeAddress': {
    '': 'One address of a node.',
    address: 'The address or name itself.',
    type: 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.',
  },
  'core.v1.NodeDaemonEndpoints': { kubeletEndpoint: 'Where the kubelet listens.' },
  'core.v1.DaemonEndpoint': { Port: 'Number of the port.' },
  'core.v1.NodeSystemInfo': {
    '': 'Versions and ids that a node reported of itself.',
    architecture: 'Architecture of the processor, such as amd64.',
    bootID: 'Id that the machine gets at each boot.',
    containerRuntimeVersion: 'Name and version of the container runtime.',
    kernelVersion: 'Version of the kernel.',
    kubeProxyVersion: 'No longer used.',
    kubeletVersion: 'Version of the kubelet.',
    machineID: 'Id of the machine, as its operating system knows it.',
    operatingSystem: 'linux or windows.',
    osImage: 'Name of the operating system.',
    systemUUID: 'Id of the machine, as its firmware knows it.',
  },
  'core.v1.ContainerImage': {
    names: 'Names under which the image is known.',
    sizeBytes: 'Size of the image in bytes.',
  },
  'core.v1.AttachedVolume': {
    devicePath: 'Path of the device on the node.',
    name: 'Name of the volume.',
  },
  'coordination.v1.Lease': {
    '': 'A claim that must be renewed. In kube-node-lease each node has one of its own name; its renewals are the heartbeats of the node.',
    spec: 'Who holds it, since when and for how long.',
  },
  'coordination.v1.LeaseSpec': {
    '': 'Who holds a Lease, since when and for how long.',
    acquireTime: 'When the current holder acquired it.',
    holderIdentity: 'Who holds it; for the Lease of a node its name.',
    leaseDurationSeconds: 'Seconds after renewTime for which others must wait before they take it.',
    leaseTransitions: 'How often the holder changed.',
    preferredHolder: 'Who should get it next, where a strategy is set.',
    renewTime:
      'When the holder renewed it last, by its own clock. Rollcall counts from when the renewal arrived.',
    strategy: 'How the next holder is chosen.',
  },
};

const OTHERS: Descriptions = {
  'core.v1.Namespace': {
    '': 'A scope for names: names are unique per kind within a namespace.',
    spec: 'Desired state of the namespace.',
    status: 'Whether the namespace is in use or being deleted.',
  },
  'core.v1.Event': {
    '': 'Something that happened to an object. Events are kept for an hour.',
    count: 'How often it happened.',
    eventTime: 'When it was first observed.',
    firstTimestamp: 'When it was recorded first.',
    involvedObject: 'The object that it is about.',
    lastTimestamp: 'When it was recorded last.',
    message: 'What happened, for people.',
    reason: 'Why it happened, in one word for machines.',
    source: 'The component that reports it.',
    type: 'Normal or Warning.',
  },
  'policy.v1.PodDisruptionBudget': {
    '': 'How many of a set of pods must stay up when pods are evicted on purpose.',
    spec: 'How many pods must stay available, and which.',
    status: 'How many may be evicted now.',
  },
  'policy.v1.PodDisruptionBudgetSpec': {
    maxUnavailable:
      'Pods, as a number or percentage, that may be down after an eviction. Excludes minAvailable.',
    minAvailable:
      'Pods, as a number or percentage, that must be up after an eviction. Excludes maxUnavailable.',
    selector: 'The pods that are counted.',
    unhealthyPodEvictionPolicy:
      'When pods that are not ready may be evicted: IfHealthyBudget or AlwaysAllow.',
  },
  'scheduling.v1.PriorityClass': {
    '': 'A name for a priority that pods can have.',
    description: 'For people: when to use the class.',
    globalDefault: 'Whether pods that name no class have this one. Only one class can be the default.',
    preemptionPolicy: 'PreemptLowerPriority, or Never: whether pods of this class may preempt others.',
    value: 'The priority. Higher numbers go first; ordinary classes have at most 1000000000.',
  },
  'storage.v1.VolumeAttachment': {
    '': 'The attachment of a volume to a node, requested or done.',
    spec: 'The volume, the node, and the driver that attaches it.',
    status: 'Whether it is attached.',
  },
  'storage.v1.CSINode': {
    '': 'What the CSI drivers of a node report about it. It has the name of the node.',
    spec: 'The drivers.',
  },
};

/** All descriptions. */
export const DESCRIPTIONS: Descriptions = { ...META, ...NODE, ...POD_DESCRIPTIONS, ...OTHERS };
