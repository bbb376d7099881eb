/** The sentences of explanations. They name no instants: those stand beside them. */
import type { Change, Fact, FactName, Verdict } from '../../rules/explain/explanation.ts';

type Values = NonNullable<Fact['values']>;
type Words = (values: Values) => string;

const secondsOf = (ms: string | number | undefined): string => `${Number(ms) / 1000} s`;

const more = (names: string, waiting: string | number | undefined): string =>
  names.split(', ').length < Number(waiting) ? `${names}, …` : names;

const rateText = ({ rate = 0, state }: Values): string =>
  Number(rate) > 0
    ? `zone state ${state}: up to ${rate} nodes per second are tainted`
    : `zone state ${state}: no node is tainted`;

const budgetText = ({ budget, healthy, desired, allowed, why }: Values): string =>
  why === ''
    ? `budget ${budget}: ${healthy} pods are healthy, ${desired} are needed, ${allowed} may go`
    : `${why}`;

const tolerationText = ({ key, seconds, toleration }: Values): string => {
  const time = typeof seconds === 'number' ? `for ${seconds} s` : 'without an end';
  const by = toleration === `${key}:NoExecute` ? '' : `, as it tolerates ${toleration}`;
  return `tolerates ${key} ${time}${by}`;
};

/** The sentence of each fact. */
const FACTS: Readonly<Record<FactName, Words>> = {
  Hold: ({ name, by, reason, stops }) =>
    `Hold ${name}${by === '' ? '' : ` of ${by}`}${reason === '' ? '' : `: ${reason}`}; it stops ${stops}`,
  HoldUntil: () => 'it ends by itself',
  ReadyCondition: ({ status, reason, message }) => `Ready is ${status}, ${reason}: ${message}`,
  LastSignOfLife: () => 'last sign of life',
  Direct: () => 'no kubelet writes Ready: any heartbeat counts',
  NotDirect: () => 'its kubelet writes Ready: plain heartbeats do not count',
  ClockFloor: () => 'silence before this instant is not counted',
  HostWasAway: ({ ms }) =>
    `the host is back: it could not hear the node for ${secondsOf(Math.round(Number(ms)))} of its silence`,
  GracePeriod: ({ ms }) => `a node may be silent for ${secondsOf(ms)}`,
  AdaptiveGracePeriod: ({ ms, floorMs, ceilingMs }) =>
    `the node may be silent for ${secondsOf(ms)}: 1.5 times its longest silence and 10 s, between ${secondsOf(floorMs)} and ${secondsOf(ceilingMs)}`,
  SurvivedSilence: ({ ms, nowMs }) =>
    `it has ended a silence of ${secondsOf(ms)} by a beat, which counts as ${secondsOf(nowMs)} after its last one`,
  NoSurvivedSilence: ({ ms }) => `it has ended no long silence by a beat; it beats each ${secondsOf(ms)}`,
  StartupGracePeriod: ({ ms }) => `a new node has ${secondsOf(ms)} for its first report`,
  NoExecuteTaint: ({ key, value, by }) =>
    `taint ${key}${value === '' ? '' : `=${value}`}:NoExecute, set by ${by}`,
  SwapsTaint: ({ key }) => `its taint is replaced by ${key} without waiting for the zone`,
  PlaceInZone: ({ place, waiting }) => `number ${place} of ${waiting} that wait in the zone`,
  BehindOthers: ({ ahead, waiting }) => `behind at least ${ahead} of ${waiting} that wait in the zone`,
  NotCountedYet: () => 'no pass has counted its zone yet',
  ZoneRate: rateText,
  NextSlot: () => 'next token of the zone',
  AllZonesDown: () => 'all zones are down: no node is tainted, and taints of silence are removed',
  Cordoned: () => 'cordoned',
  NoScheduleTaint: ({ key, value, effect, because }) =>
    `taint ${key}${value === '' ? '' : `=${value}`}:${effect}${because === '' ? '' : `, because of ${because}`}`,
  OutOfServiceTaint: () => 'taint node.kubernetes.io/out-of-service: somebody says that the machine is off',
  SpeaksAgainstTaint: ({ doubt }) =>
    doubt === 'ready' ? 'but the node is ready' : 'but the node still sends heartbeats',
  ZoneCount: ({ notReady, size }) => `${notReady} of ${size} nodes are not ready, by the last pass`,
  WaitingNodes: ({ waiting, names }) =>
    `waiting for their taint: ${waiting} (${more(String(names), waiting)})`,
  UntilNormal: ({ nodes }) => `Normal again when ${nodes} more are ready`,
  UntilDisrupted: ({ nodes }) => `disrupted when ${nodes} more are not ready`,
  BoundTo: ({ node }) => `bound to node ${node}`,
  SchedulingGate: ({ name }) => `scheduling gate ${name}`,
  SchedulerName: ({ name }) => `its scheduler is ${name}`,
  SchedulerMessage: ({ message }) => `${message}`,
  Refusal: ({ nodes, of, reason, plugin }) =>
    `${nodes} of ${of} nodes: ${reason}${plugin === '' ? '' : ` (${plugin})`}`,
  PreemptionMessage: ({ message }) => `preemption: ${message}`,
  NominatedNode: ({ node }) => `nominated for node ${node}, where other pods leave for it`,
  NoTaints: () => 'its node has no NoExecute taint',
  ToleratedTaint: tolerationText,
  UntoleratedTaint: ({ key }) => `does not tolerate ${key}`,
  ToleranceSince: () => 'its toleration runs',
  DisruptionTarget: ({ reason, message }) => `${reason}: ${message}`,
  PodPhase: ({ phase }) => `its phase is ${phase}`,
  Budget: budgetText,
  SeveralBudgets: () => 'several budgets cover it, which evictions do not support',
  BudgetsIgnored: () => 'no budget holds a pod that is pending, has ended or is being deleted',
  DeletionBegan: () => 'its deletion began',
  GracePeriodOfPod: ({ seconds }) => `end of its grace period of ${seconds} s`,
  Finalizer: ({ name }) => `finalizer ${name}`,
  NodeCannotConfirm: ({ node }) =>
    `node ${node} is silent: its kubelet cannot confirm that the pod has ended`,
  NodeGone: ({ node }) => `node ${node} does not exist`,
  Quarantine: ({ ms }) => `end of the ${secondsOf(ms)} for which a node has to be gone`,
  NoNode: () => 'no node has to stop it',
  VolumeAttached: ({ claim, name }) => `the volume of claim ${claim} is attached: ${name}`,
  AttachmentWaits: ({ claim, driver }) => `the volume of claim ${claim} waits for the attacher of ${driver}`,
  VolumeElsewhere: ({ claim }) => `the volume of claim ${claim} is at another node, and only one may have it`,
  ClaimUnbound: ({ claim }) => `claim ${claim} is not bound to a volume`,
  Attachment: ({ name, volume, node }) => `volume ${volume} at node ${node}: ${name}`,
  VolumeWanted: () => 'no look has found that nobody wants it',
  VolumeUnwanted: () => 'no pod of the node wants it',
  VolumeInUse: () => 'the node has not said that it is unmounted',
  NodeAnswers: ({ node }) => `node ${node} is ready, so only its own word counts`,
  NeverTaken: () => 'no volume is taken from a node by time alone',
  VolumeGone: () => 'its PersistentVolume is gone, so nobody detaches it',
  DetachError: ({ message }) => `the attacher could not detach it: ${message}`,
  UnmountWait: () => 'end of the wait for a node that does not answer',
  DrainRequested: ({ by, reason }) => `drain requested by ${by}${reason === '' ? '' : `: ${reason}`}`,
  DrainDeletesFrom: () => 'from then on no budget is asked',
  DrainDeadline: () => 'its deadline',
  LifecycleCondition: ({ message }) => `${message}`,
  DrainCondition: ({ reason, message }) => `${reason}: ${message}`,
  DrainRefusal: ({ why }) => `the drain leaves it: ${why}`,
  Policies: ({ names }) => `policies that hold: ${names}`,
  PacedNotReady: ({ rate }) => `while its zone is disrupted, ${rate} nodes per second become Unknown`,
  PaceHolds: ({ state }) => `it is silent, but its zone is ${state}: it keeps its Ready until its turn`,
  HeldByPace: ({ nodes, rate }) =>
    `silent nodes that keep their Ready: ${nodes}; ${rate} per second become Unknown`,
  OutOfServiceProof: () => 'Rollcall has set it, because of a stored proof',
  Uninitialized: () => 'taint uninitialized: the node waits for its cloud',
  ShutdownTaint: () => 'the cloud has shut the machine down: taint shutdown',
  CloudNotice: ({ reason }) => `the cloud has announced its end: ${reason}`,
  MachineGoes: () => 'the machine goes',
  MaintenanceScheduled: () => 'maintenance of the machine begins',
  DrainPlanned: () => 'the node is drained from then on',
  ShutdownPhase: ({ phase, phases }) => `end of phase ${phase} of ${phases}`,
  ShutdownDeadline: () => 'until then the node ends its pods itself',
  ShutdownPods: ({ count, names }) =>
    Number(count) === 0 ? 'no pod is left that ends with it' : `pods that end with it: ${count}: ${names}`,
  TopologyPolicy: ({ policy, container }) =>
    `${container === '' ? 'the pod as a whole' : `container ${container}`}, by topology policy ${policy}`,
  TopologyWish: ({ resource, wish }) => `${resource} fits ${wish}`,
  TopologyMerged: ({ merged }) =>
    merged === '' ? 'together they prefer no NUMA nodes' : `together they fit ${merged}`,
  TopologyWanted: ({ policy }) =>
    policy === 'single-numa-node'
      ? 'it would be admitted if all of them preferred one and the same NUMA node'
      : 'it would be admitted if all of them preferred the same NUMA nodes',
  TopologyElse: ({ hint }) => `policy best-effort would run it on ${hint}`,
  MachineKnown: ({ machine }) => `the cloud knows its machine ${machine}`,
  MachineVerified: ({ machine }) => `its machine is surely ${machine}`,
  MachineNotVerified: ({ machine }) =>
    `only the node says that its machine is ${machine}: nothing is done to that`,
  MachineAmbiguous: ({ machine }) => `another Node names its machine ${machine}, too: it is not switched off`,
  MachineUnknown: ({ machine }) => `no cloud has spoken of its machine ${machine}`,
  KeepsTaint: ({ losses }) =>
    `it has lost its readiness ${losses} times, and keeps its taint until it is stable`,
  SiteCutOff: ({ relay }) =>
    `its site is cut off: since this batch of relay ${relay}, no node of it was heard`,
  OnPartition: ({ says, by }) =>
    says === 'Evict'
      ? `nodes of such a site are evicted (${by})`
      : `no node of such a site is evicted (${by})`,
  ZoneChange: ({ reason }) => `last change: ${reason}`,
  Hidden: ({ what }) => `you may not read ${what}`,
  NoControllers: () => 'no controllers run here, so nothing happens by itself',
};

/** How things stand, or will. */
const VERDICTS: Readonly<Record<Verdict, string>> = {
  Ready: 'ready',
  NotReady: 'not ready',
  Unknown: 'Unknown',
  NeverReported: 'never reported',
  NotTainted: 'not tainted',
  Tainted: 'tainted',
  WaitsForTaint: 'waits for its NoExecute taint',
  HeldByZone: 'not tainted, because its zone holds that back',
  HeldByPartition: 'not tainted, because its site is cut off',
  HeldByHold: 'held by a Hold',
  TakesPods: 'takes new pods',
  TakesNoPods: 'takes no new pods',
  InService: 'in service',
  OutOfService: 'out of service: terminating pods are deleted by force',
  SeemsAlive: 'said to be off, but seems alive',
  Initial: 'not counted yet',
  Normal: 'Normal',
  PartialDisruption: 'partially disrupted',
  FullDisruption: 'fully disrupted',
  NodeTainted: 'a node is tainted',
  Bound: 'placed',
  Gated: 'not placed, because of its scheduling gates',
  OtherScheduler: 'left to another scheduler',
  NotTried: 'not placed yet: no attempt is recorded',
  Unschedulable: 'not placed: no node takes it',
  Ended: 'not placed any more',
  NotBound: 'not placed',
  NotEvicted: 'not evicted',
  Tolerates: 'not evicted: it tolerates the taints of its node',
  TolerationRuns: 'stays until its toleration ends',
  EvictionDue: 'about to be evicted',
  Evicted: 'evicted',
  NoBudget: 'no budget holds it',
  BudgetAllows: 'its budget lets it go',
  BudgetBlocks: 'its budget does not let it go',
  NotDeleted: 'not deleted',
  Terminating: 'terminating: its node stops it',
  NodeSilent: 'not deleted, because its node is silent',
  Orphaned: 'orphaned: its node is gone',
  Unscheduled: 'deleted before it had a node',
  HeldByFinalizers: 'not deleted, because of its finalizers',
  Deleted: 'deleted',
  Drained: 'drained',
  Draining: 'being drained',
  DrainRequested: 'about to be drained',
  DrainGaveUp: 'not drained: the drain gives up',
  PodsDeleted: 'its pods are deleted, whatever their budgets say',
  LeftByDrain: 'left in place by the drain of its node',
  DrainEvicts: 'to be evicted by the drain of its node',
  DrainDeletes: 'to be deleted by the drain of its node, whatever its budget says',
  RefusedByDrain: 'not drained, because the request does not allow it',
  VolumesAttached: 'its volumes are at its node',
  VolumesWait: 'waits for its volumes',
  Wanted: 'attached',
  DetachWaits: 'not detached',
  DetachDue: 'about to be detached',
  Detaching: 'not detached: its attacher has not ended yet',
  Detached: 'detached',
  DrainInvalid: 'not drained: the request cannot be understood',
  DrainTakenBack: 'its drain is taken back',
  NoDrain: 'not drained by anybody',
  ShuttingDown: 'shutting down',
  ShutdownOver: 'treated as any node that is not ready',
  EndsWithNode: 'ends with its node, which is shutting down, and is replaced already',
  StaysWithNode: 'not replaced: it belongs to its node, which is shutting down, or has ended',
  RefusedByTopology: 'refused by its node: what it asks for is not near enough to each other',
  HeldByShutdown: 'not tainted, because it is shutting down',
  WaitsForPace: 'silent, but still Ready: a policy paces its zone',
  AwaitsCloud: 'waits for its cloud to initialise it',
  MachineStopped: 'its machine is shut down',
  MachineLeaves: 'its machine is going to leave, so it is drained',
  MaintenanceAhead: 'maintenance of its machine is scheduled',
  MaintenancePlanned: 'its maintenance is planned',
  InMaintenance: 'in maintenance',
  MachineRuns: 'nothing is said against its machine',
  CloudSilent: 'no cloud has spoken of it',
  Hidden: 'not shown',
};

/** What would change an answer. */
const CHANGES: Readonly<Record<Change, string>> = {
  Heartbeat: 'it is heard from',
  SurvivedSilence: 'a silence that it has ended lengthens its grace period',
  NodeStatus: 'a client writes its Ready condition',
  ReadyCondition: 'Ready of the node changes',
  ZoneState: 'the state of a zone changes',
  NodesOfZone: 'nodes of the zone fail or recover',
  NodesAhead: 'nodes before it recover',
  ClientTaints: 'a client changes taints',
  Taints: 'taints of the node change',
  Tolerations: 'tolerations change',
  Cordon: 'it is cordoned or uncordoned',
  NodeComesBack: 'a Node of that name is created',
  NodeDeleted: 'the Node is deleted',
  OutOfServiceTaint: 'the node gets the taint out-of-service',
  KubeletConfirms: 'the kubelet confirms its end',
  ForceDeletion: 'a client deletes it by force',
  Deletion: 'a client deletes it',
  Eviction: 'it is evicted',
  FinalizerAdded: 'a finalizer is added',
  FinalizersRemoved: 'the finalizers are removed',
  GatesRemoved: 'the gates are removed',
  ClusterChanges: 'room, labels or taints of nodes change',
  PodChanges: 'spec or labels of the pod change',
  PodsOfNode: 'pods of the node come or go',
  Unmount: 'the node reports that it is unmounted',
  AttacherActs: 'the attacher of the driver acts',
  PodsGo: 'its pods are gone',
  ApiEviction: 'a client or a drain evicts it',
  MachineTerminated: 'its cloud says that the machine is terminated, which deletes the Node',
  MachineStopped: 'its cloud says that the machine is stopped, which taints it while it is not ready',
  MachineMissing: 'its cloud does not find the machine, which deletes the Node',
  Maintenance: 'its maintenance begins, ends or is taken back',
  ShutdownEnds: 'it cancels its shutdown or boots',
  HoldEnds: 'the Hold is deleted, or ends',
  CloudNotice: 'its cloud announces the end of the machine, which drains it',
  CloudAnswers: 'its cloud answers',
  BudgetStatus: 'the status of the budget changes',
  Policies: 'a policy changes',
  OtherPods: 'another node gives its volume free',
  OtherController: 'the other scheduler places it',
};

/** The sentence of a fact. */
export const factText = ({ fact, values = {} }: Fact): string => FACTS[fact](values);

/** The words for a verdict. */
export const verdictText = (verdict: Verdict): string => VERDICTS[verdict];

/** The words for a change. */
export const changeText = (change: Change): string => CHANGES[change];
